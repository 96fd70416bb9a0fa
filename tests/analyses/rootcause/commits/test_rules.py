"""One decision at a time: what settles a commit, and what leaves it open."""

import itertools
import math

import numpy as np
import pytest

from abs_audit.analyses.rootcause.commits.bisection import Judgement
from abs_audit.analyses.rootcause.commits.rules import Ends, MidpointRule, PaperRule
from abs_audit.analyses.rootcause.commits.samples import Measurements, Run, Sample, measured

ENDS = Ends(good=0, bad=1, last_good=0)


Values = tuple[float, ...]


def flat(*levels: float) -> list[Values]:
    return [(level,) * 5 for level in levels]


def known(*runs: list[Values]) -> Measurements:
    """Every run in a round of its own, so that no drift can be seen."""
    count = itertools.count()
    own = {place: [Run(round=next(count), values=one) for one in some] for place, some in enumerate(runs)}
    return measured(own)


def sample(runs: list[Values]) -> Sample:
    return known(runs).samples[0]


def judged(candidate: list[Values]) -> Judgement:
    return MidpointRule().judge(known(flat(1, 1, 1), flat(1.2, 1.2, 1.2), candidate), ENDS, 2)


@pytest.mark.parametrize(
    ("level", "judgement"),
    [
        (1.0, Judgement.GOOD),
        (0.5, Judgement.GOOD),
        (1.2, Judgement.UNSURE),
        (5.0, Judgement.UNSURE),
        (1.09, Judgement.UNSURE),
        (1.10, Judgement.UNSURE),
    ],
)
def test_one_fast_run_settles_it_one_slow_run_does_not(level: float, judgement: Judgement) -> None:
    assert judgement is judged(flat(level))


@pytest.mark.parametrize(
    ("level", "judgement"),
    [(1.2, Judgement.BAD), (5.0, Judgement.BAD), (1.09, Judgement.UNSURE), (1.10, Judgement.UNSURE)],
)
def test_two_slow_runs_settle_it_unless_they_lie_near_the_midpoint(
    level: float, judgement: Judgement
) -> None:
    assert judgement is judged(flat(level, level))


def test_the_more_runs_are_disturbed_the_more_agreeing_ones_it_takes_to_be_slow() -> None:
    ends = flat(1, 1, 1.5, 1, 1.6, 1), flat(1.2, 1.2, 1.2, 1.9, 1.2, 1.8)
    answers = [MidpointRule().judge(known(*ends, flat(*[1.2] * runs)), ENDS, 2) for runs in (1, 2, 3, 4, 5)]

    assert [Judgement.UNSURE] * 3 + [Judgement.BAD] * 2 == answers


def test_after_the_most_runs_the_sign_decides() -> None:
    # The geometric midpoint of 1 and 1.2 is 1.0954.
    assert (Judgement.GOOD, Judgement.BAD) == (judged(flat(*[1.0953] * 10)), judged(flat(*[1.0956] * 10)))


def test_the_odds_are_even_at_the_geometric_midpoint_and_mirrored_around_it() -> None:
    rule, middle = MidpointRule(), math.sqrt(1.2)

    def odds(factor: float) -> float:
        runs = known(flat(1, 1, 1), flat(1.2, 1.2, 1.2), flat(*[middle * factor] * 4))
        return rule.log_odds(runs, ENDS, 2)

    assert 0 == pytest.approx(odds(1), abs=1e-9)
    assert odds(1.03) == pytest.approx(-odds(1 / 1.03))


def test_runs_that_lie_far_apart_make_the_same_distance_worth_less() -> None:
    rule = MidpointRule()
    calm = known(flat(1, 1, 1), flat(1.2, 1.2, 1.2), flat(1.0))
    restless = known(flat(0.97, 1, 1.03), flat(1.17, 1.2, 1.23), flat(1.0))

    assert rule.log_odds(calm, ENDS, 2) < 1.5 * rule.log_odds(restless, ENDS, 2) < 0


def test_the_spread_of_calm_runs_is_between_nothing_and_the_presumption() -> None:
    # Two degrees of freedom of 1 %, four of nothing: (2 · .0001 + 0) ÷ 6.
    machine = known(flat(1, 1, 1), flat(2, 2, 2)).machine

    assert (0.0002 / 6, 6.0) == (pytest.approx(machine.variance), machine.freedom)
    # Half a disturbed run in ten is presumed, none in six was seen.
    assert 0.5 / 16 == pytest.approx(machine.disturbed)


def test_a_machine_of_which_nothing_is_known_is_as_presumed() -> None:
    machine = measured({}).machine

    assert (0.01**2, 2.0, 0.05) == (pytest.approx(machine.variance), machine.freedom, machine.disturbed)


def test_runs_far_above_the_others_of_their_commit_are_disturbed_and_count_for_nothing() -> None:
    found = sample(flat(1.0, 2.1, 1.01, 1.4, 0.99))

    assert (2, 5) == (found.runs - found.trusted, found.runs)
    assert (0.0, 1.0) == (pytest.approx(found.level, abs=0.01), pytest.approx(found.mean, abs=0.01))


def test_most_runs_being_disturbed_does_not_make_the_rest_fast() -> None:
    assert 2 == sample(flat(1.0, 1.9, 1.01, 1.4, 1.6)).trusted


def test_a_single_fast_run_among_many_does_not_disturb_the_others() -> None:
    assert 10 == sample(flat(0.8, *[1.0] * 9)).trusted


def test_runs_of_a_restless_machine_are_not_disturbed() -> None:
    draw = np.random.default_rng(1)
    found = known(*[flat(*(1 + 0.05 * draw.normal(size=10))) for _ in range(5)])

    assert sum(one.runs - one.trusted for one in found.samples.values()) <= 3
    assert 0.05 == pytest.approx(math.sqrt(found.machine.variance), rel=0.3)


def test_a_millisecond_outlier_moves_no_centre() -> None:
    assert math.log(2.0) == pytest.approx(sample([(2.0,) * 9 + (200.0,)]).level)


def test_other_work_that_slows_down_most_of_the_values_of_a_run_moves_no_centre() -> None:
    """The processor was given away by turns: two thirds of the values are four times the others."""
    values = tuple([1.0 + 0.001 * number for number in range(17)] + [4.0] * 33)

    assert 0.0 == pytest.approx(sample([values]).level, abs=0.02)


@pytest.mark.parametrize("runs", [[], [()], [(1.0, 0.0)], [(1.0, float("nan"))], [(-1.0,)]])
def test_values_that_are_no_times_are_refused(runs: list[Values]) -> None:
    with pytest.raises(ValueError, match="expected"):
        sample(runs)


def test_the_paper_compares_with_the_last_good_commit_and_asks_for_growth() -> None:
    runs = known([(1.0, 1.1, 0.9)], [(2.0, 2.1, 1.9)], [(1.5, 1.6, 1.4)], [(0.4, 0.5, 0.3)])

    def judge(last_good: int, candidate: int) -> Judgement:
        return PaperRule().judge(runs, Ends(good=0, bad=1, last_good=last_good), candidate)

    assert (Judgement.BAD, Judgement.GOOD) == (judge(0, 2), judge(0, 3))
    assert (Judgement.BAD, Judgement.GOOD) == (judge(3, 0), judge(1, 2))


def test_a_difference_that_does_not_matter_is_settled_as_none() -> None:
    calm = known(flat(*[1.0] * 6), flat(*[1.001] * 6))

    assert Judgement.GOOD is MidpointRule().slower(calm, 0, 1)


def test_after_the_most_runs_a_clear_difference_counts_though_most_runs_were_disturbed() -> None:
    busy = known(flat(*[1.0] * 10), flat(*[1.1] * 7, *[1.9] * 13))

    assert Judgement.BAD is MidpointRule().slower(busy, 0, 1)


def test_a_difference_that_too_few_runs_show_is_unsure() -> None:
    assert Judgement.UNSURE is MidpointRule().slower(known(flat(1.0), flat(1.03)), 0, 1)


def drifting(weather: np.ndarray) -> dict[int, list[Run]]:
    """Two ends in every round, candidates of level 0 in the last two; the machine drifts with the weather."""
    draw = np.random.default_rng(1)
    runs: dict[int, list[Run]] = {0: [], 1: [], 2: []}
    for number, slower in enumerate(weather):
        for commit, level in ((0, 0.0), (1, 0.1), (2, 0.0)):
            if commit < 2 or number >= len(weather) - 2:
                values = np.exp(level + slower + 0.01 * draw.normal() + 0.01 * draw.normal(size=20))
                runs[commit].append(Run(round=number, values=tuple(values.tolist())))
    return runs


@pytest.mark.parametrize("slower", [0.04, 0.09, 0.13])
def test_a_machine_that_slows_down_for_a_while_does_not_make_a_commit_slow(slower: float) -> None:
    runs = drifting(np.array([0.0] * 8 + [slower, slower]))
    found = measured(runs).samples
    raw = {commit: np.mean([np.mean(np.log(run.values)) for run in own]) for commit, own in runs.items()}

    assert raw[2] - raw[0] > 0.6 * slower
    assert found[2].level - found[0].level < 0.03
    assert MidpointRule().log_odds(measured(runs), ENDS, 2) < 0


def test_whoever_is_slow_in_a_stormy_round_only_is_not_taken_for_slow() -> None:
    known = measured(drifting(np.array([0.0] * 8 + [0.7, 0.5])))

    assert (0, 2) == (known.samples[2].trusted, known.samples[2].runs)
    assert Judgement.UNSURE is MidpointRule().judge(known, ENDS, 2)


def test_whoever_is_fast_in_a_stormy_round_is_fast() -> None:
    runs = drifting(np.array([0.0] * 8 + [0.7, 0.7]))
    runs[2] = [Run(round=run.round, values=(1.0,) * 20) for run in runs[2]]

    assert Judgement.GOOD is MidpointRule().judge(measured(runs), ENDS, 2)


def test_without_drift_hardly_anything_is_taken_off() -> None:
    runs = drifting(np.zeros(10))
    plain = {commit: np.mean([np.mean(np.log(run.values)) for run in own]) for commit, own in runs.items()}

    found = measured(runs).samples
    assert plain[1] - plain[0] == pytest.approx(found[1].level - found[0].level, abs=0.01)


def test_no_runs_are_no_samples() -> None:
    assert {} == measured({}).samples


def test_of_an_improvement_being_slow_still_has_to_be_seen_twice_and_being_fast_once() -> None:
    rule = MidpointRule(improvement=True)
    ends = flat(1.2, 1.2, 1.2), flat(1, 1, 1)

    assert [Judgement.BAD, Judgement.UNSURE, Judgement.GOOD] == [
        rule.judge(known(*ends, flat(*levels)), ENDS, 2) for levels in ([1.0], [1.2], [1.2, 1.2])
    ]
    assert (Judgement.BAD, Judgement.GOOD) == (
        rule.slower(known(*ends), 0, 1),
        rule.slower(known(*ends), 1, 0),
    )


def test_the_paper_s_rule_turns_round_for_an_improvement() -> None:
    runs = known([(1.0, 1.1, 0.9)], [(2.0, 2.1, 1.9)])
    rule = PaperRule(improvement=True)

    assert (Judgement.GOOD, Judgement.BAD) == (rule.slower(runs, 0, 1), rule.slower(runs, 1, 0))
