"""One decision at a time: what settles a commit, and what leaves it open."""

import itertools
import math

import numpy as np
import pytest

from abs_audit.analysis.root_cause.bisection import Judgement
from abs_audit.analysis.root_cause.rules import Ends, Known, MidpointRule, PaperRule
from abs_audit.analysis.root_cause.samples import Run, Sample, samples, spread

ENDS = Ends(good=0, bad=1, last_good=0)


Values = tuple[float, ...]


def flat(*levels: float) -> list[Values]:
    return [(level,) * 5 for level in levels]


def known(*runs: list[Values]) -> Known:
    """Every run in a round of its own, so that no drift can be seen."""
    count = itertools.count()
    own = {place: [Run(round=next(count), values=one) for one in some] for place, some in enumerate(runs)}
    return Known(samples=samples(own), skipped={})


def sample(runs: list[Values]) -> Sample:
    return known(runs).samples[0]


def judged(candidate: list[Values]) -> Judgement:
    return MidpointRule().judge(known(flat(1, 1, 1), flat(1.2, 1.2, 1.2), candidate), ENDS, 2)


@pytest.mark.parametrize(
    ("level", "judgement"),
    [
        (1.0, Judgement.GOOD),
        (0.5, Judgement.GOOD),
        (1.2, Judgement.BAD),
        (5.0, Judgement.BAD),
        (1.09, Judgement.UNSURE),
        (1.10, Judgement.UNSURE),
    ],
)
def test_near_an_end_one_run_settles_it_near_the_midpoint_none_does(
    level: float, judgement: Judgement
) -> None:
    assert judgement is judged(flat(level))


def test_after_the_most_runs_the_sign_decides() -> None:
    # The geometric midpoint of 1 and 1.2 is 1.0954.
    assert (Judgement.GOOD, Judgement.BAD) == (judged(flat(*[1.0953] * 10)), judged(flat(*[1.0956] * 10)))


def test_the_odds_are_even_at_the_geometric_midpoint_and_mirrored_around_it() -> None:
    rule, middle = MidpointRule(), math.sqrt(1.2)

    def odds(factor: float) -> float:
        runs = known(flat(1, 1, 1), flat(1.2, 1.2, 1.2), flat(middle * factor))
        return rule.log_odds(runs, ENDS, 2)

    assert 0 == pytest.approx(odds(1), abs=1e-9)
    assert odds(1.03) == pytest.approx(-odds(1 / 1.03))


def test_runs_that_lie_far_apart_make_the_same_distance_worth_less() -> None:
    rule = MidpointRule()
    calm = known(flat(1, 1, 1), flat(1.2, 1.2, 1.2), flat(1.2))
    restless = known(flat(0.9, 1, 1.1), flat(1.1, 1.2, 1.3), flat(1.2))

    assert rule.log_odds(calm, ENDS, 2) > 4 * rule.log_odds(restless, ENDS, 2) > 0


def test_the_spread_of_calm_runs_is_between_nothing_and_the_presumption() -> None:
    # Two degrees of freedom of 1 %, four of nothing: (2 · .0001 + 0) ÷ 6.
    found = spread([sample(flat(1, 1, 1)), sample(flat(2, 2, 2))])

    assert (0.0002 / 6, 6.0) == (pytest.approx(found.variance), found.freedom)


def test_the_spread_of_nothing_is_the_presumption() -> None:
    assert (0.01**2, 2.0) == (pytest.approx(spread([]).variance), spread([]).freedom)


def test_a_millisecond_outlier_moves_no_centre() -> None:
    assert math.log(2.0) == pytest.approx(sample([(2.0,) * 9 + (200.0,)]).level)


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


def test_a_machine_that_slows_down_for_a_while_does_not_make_a_commit_slow() -> None:
    runs = drifting(np.array([0.0] * 8 + [0.09, 0.09]))
    found = samples(runs)
    raw = {commit: np.mean([np.mean(np.log(run.values)) for run in own]) for commit, own in runs.items()}

    assert raw[2] - raw[0] > 0.05
    assert found[2].level - found[0].level < 0.03
    assert MidpointRule().log_odds(Known(samples=found, skipped={}), ENDS, 2) < 0


def test_without_drift_hardly_anything_is_taken_off() -> None:
    runs = drifting(np.zeros(10))
    plain = {commit: [np.mean(np.log(run.values)) for run in own] for commit, own in runs.items()}

    for commit, one in samples(runs).items():
        assert plain[commit] == pytest.approx(one.centres, abs=0.006)


def test_no_runs_are_no_samples() -> None:
    assert {} == samples({})
