from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from abs_audit.experiment import detection, evidence, protocol
from abs_audit.experiment.detection import Answer, Cell, Decision, Rule, Run
from abs_audit.model.explanation import Cause, Explanation, TrialEnded
from abs_audit.model.verdict import Verdict
from abs_audit.stats import rank_sum

CELL = Cell(method="m", benchmark="b", share=0.8, requested=0.5, threshold=0.25)


def around(centre: float, count: int) -> list[float]:
    """Return distinct values within 2 % of the centre."""
    return [centre * (1 + 0.02 * i / count) for i in range(count)]


def run(count: int, slowdown: float = 0.0) -> Run:
    return Run(control=around(1.0, count), mutant=around((1 + slowdown) * 1.00013, count))


def verdict(runs: Sequence[Run], rule: Rule = detection.full) -> Decision:
    return detection.decide(CELL, runs, rule)


def test_two_runs_that_say_yes_detect() -> None:
    decision = verdict([run(20, 0.4), run(20, 0.5)])
    assert decision.verdict.verdict is Verdict.DETECTED
    assert decision.verdict.repetitions == (20, 20)
    assert decision.verdict.difference_mean == pytest.approx(0.4, abs=1e-3)


def test_the_realised_slowdown_is_the_typical_difference_divided_by_the_share() -> None:
    assert verdict([run(20, 0.4), run(20, 0.4)]).verdict.realised == pytest.approx(0.5, abs=1e-3)


def test_what_the_share_may_be_is_told_with_every_verdict() -> None:
    wide = replace(CELL, share_low=0.7, share_high=0.9)
    told = detection.decide(wide, [run(20, 0.4)], detection.full).verdict
    assert (0.8, (0.7, 0.9)) == (told.share, told.share_interval)
    unclear = evidence.unmeasured(wide, Explanation(cause=Cause.FAILED, details=TrialEnded(said="no")))
    assert unclear.share_interval == (0.7, 0.9)
    assert verdict([run(20, 0.4)]).verdict.share_interval == (0.8, 0.8)


def test_one_no_is_enough_to_miss_and_no_second_run_is_needed() -> None:
    decision = verdict([run(20, 0.1)])
    assert decision.verdict.verdict is Verdict.MISSED
    assert "below the threshold 25%" in decision.verdict.reason


def test_a_no_of_the_second_run_misses_too() -> None:
    assert verdict([run(20, 0.4), run(20, 0.1)]).verdict.verdict is Verdict.MISSED


def test_a_yes_without_a_second_run_is_no_verdict() -> None:
    decision = verdict([run(20, 0.4)])
    assert decision.verdict.verdict is Verdict.NO_VERDICT
    assert decision.verdict.cause is Cause.NOT_RUN


def test_no_run_is_no_verdict() -> None:
    empty = verdict([Run(control=[], mutant=[])])
    assert verdict([]).verdict.verdict is Verdict.NO_VERDICT
    assert empty.verdict.verdict is Verdict.NO_VERDICT
    assert empty.verdict.difference_mean is None


@pytest.mark.parametrize("rule", [detection.full, detection.look])
def test_four_and_four_values_are_refused_however_large_the_difference(rule: Rule) -> None:
    decision = verdict([run(4, 5.0), run(4, 5.0)], rule)
    assert decision.verdict.verdict is Verdict.NO_VERDICT
    assert decision.verdict.cause is Cause.TOO_FEW_REPETITIONS
    assert "cannot reach the p that is asked for" in decision.verdict.reason


def test_a_speed_up_is_never_detected() -> None:
    assert detection.full(run(20, -0.5), 0.25) is Answer.NO


def test_a_large_difference_inside_the_noise_is_missed_and_the_reason_says_so() -> None:
    noisy = Run(control=[1.0, 9.0] * 10, mutant=[1.0, 16.0] * 10)
    decision = verdict([noisy])
    assert decision.verdict.verdict is Verdict.MISSED
    assert decision.verdict.cause is Cause.NOT_SIGNIFICANT
    assert "noise" in decision.verdict.reason


def test_five_and_five_values_use_the_exact_distribution() -> None:
    """JavaABS had a t-test against the pooled baselines of all runs (defect 8)."""
    assert detection.compare(run(5, 0.5)).p == pytest.approx(2 / 252)
    assert detection.full(run(5, 0.5), 0.25) is Answer.YES


@pytest.mark.parametrize(
    ("slowdown", "expected"), [(0.0, Answer.NO), (0.25, Answer.CONTINUE), (0.5, Answer.YES)]
)
@pytest.mark.parametrize("count", [5, 10])
def test_an_early_look_answers_only_what_is_clear(slowdown: float, expected: Answer, count: int) -> None:
    assert detection.look(run(count, slowdown), 0.25) is expected


def test_the_last_look_is_the_full_rule() -> None:
    assert detection.look(run(20, 0.26), 0.25) is Answer.YES
    assert detection.look(run(20, 0.2), 0.25) is Answer.NO


def test_fewer_than_five_repetitions_are_never_looked_at() -> None:
    assert detection.look(run(4, 0.0), 0.25) is Answer.CONTINUE


def test_an_outlier_in_the_control_does_not_hide_a_slowdown_from_an_early_look() -> None:
    control = [*around(1.0, 4), 10.0]
    assert detection.look(Run(control=control, mutant=around(1.5, 5)), 0.25) is Answer.CONTINUE


def test_an_outlier_in_the_control_does_not_make_an_early_no_of_a_mean() -> None:
    # The mutant is 15 % slower, short of the threshold but not clearly nothing; the means say −57 %.
    control = [*around(1.0, 4), 10.0]
    assert detection.look(Run(control=control, mutant=around(1.15, 5)), 0.25) is Answer.CONTINUE


def test_an_outlier_in_the_mutant_does_not_make_an_early_yes() -> None:
    mutant = [*around(1.00013, 4), 10.0]
    assert detection.look(Run(control=around(1.0, 5), mutant=mutant), 0.25) is Answer.CONTINUE


def test_an_early_yes_needs_the_mean_as_well_as_the_median() -> None:
    # Median + 35 %, mean + 29.9 %, both seen from about 1; clear is 30 %.
    mutant = [1.26, 1.26, 1.35, 1.36, 1.36]
    assert detection.look(Run(control=around(1.0, 5), mutant=mutant), 0.25) is Answer.CONTINUE


def test_an_early_yes_needs_a_difference_that_the_noise_cannot_bring_below_the_threshold() -> None:
    control = [0.98 + i / 250 for i in range(10)]
    slowed = (1.1, 1.15, 1.2, 1.25, 1.35, 1.5, 1.3, 1.6, 1.7, 1.8)
    wide = Run(control=control, mutant=[value * times for value, times in zip(control, slowed, strict=True)])
    assert detection.compare(wide).p < protocol.ALPHA
    assert detection.look(wide, 0.25) is Answer.CONTINUE


def test_noise_as_large_as_the_threshold_keeps_an_early_no_waiting() -> None:
    wide = Run(control=[0.7, 0.9, 1.0, 1.1, 1.3], mutant=[1.01, 0.71, 1.29, 0.89, 1.12])
    assert detection.look(wide, 0.25) is Answer.CONTINUE


@pytest.mark.parametrize(("slowdown", "expected"), [(0.0, Answer.NO), (0.5, Answer.YES)])
def test_what_both_arms_of_a_repetition_share_does_not_keep_a_look_waiting(
    slowdown: float, expected: Answer
) -> None:
    # Two modes, 10 % apart: one a fork.
    forks = [1.0, 1.1, 1.01, 1.11, 1.12]
    again = [value * times * (1 + slowdown) for value, times in zip(forks, around(1.0, 5), strict=True)]
    assert detection.look(Run(control=forks, mutant=again), 0.25) is expected


@pytest.mark.parametrize(("slowdown", "expected"), [(0.2, False), (0.248, True), (0.252, True), (0.3, False)])
def test_a_difference_within_the_noise_of_the_threshold_is_at_the_border(
    slowdown: float, expected: bool
) -> None:
    control = [1.0, 1.02] * 10
    mutant = [(1 + slowdown) * value for value in [1.01, 1.01, 1.0, 1.02, 1.0] * 4]
    assert detection.at_the_border(Run(control=control, mutant=mutant), 0.25) is expected


def test_where_repetitions_differ_more_than_their_arms_chance_decides_the_full_rule() -> None:
    control = [1.0 + 0.2 * place for place in range(20)]
    noise = [0.99, 1.01] * 10
    run = Run(
        control=control, mutant=[1.3 * value * times for value, times in zip(control, noise, strict=True)]
    )
    assert detection.full(run, 0.25) is Answer.NO
    assert detection.at_the_border(run, 0.25)


@pytest.mark.parametrize(
    ("slower", "expected", "difference"),
    [
        ((0.4, 0.1, 0.4), Verdict.DETECTED, 0.3),
        ((0.1, 0.4, 0.4), Verdict.DETECTED, 0.3),
        ((0.4, 0.0, 0.1), Verdict.MISSED, 0.5 / 3),
        ((0.4, 0.4, -0.3), Verdict.MISSED, 0.5 / 3),
        # One large run is no evidence that another would repeat.
        ((0.9, 0.1, 0.1), Verdict.NO_VERDICT, 1.1 / 3),
    ],
)
def test_of_more_than_two_runs_the_mean_decides_and_two_must_say_yes(
    slower: Sequence[float], expected: Verdict, difference: float
) -> None:
    decision = verdict([run(20, more) for more in slower])
    assert decision.verdict.verdict is expected
    assert decision.verdict.difference_mean == pytest.approx(difference, abs=1e-3)
    assert decision.doses == (pytest.approx(decision.verdict.realised / 0.5),)
    assert (decision.verdict.cause is Cause.NOISY) == (expected is Verdict.NO_VERDICT)


times = st.lists(st.floats(0.5, 2.0), min_size=5, max_size=20, unique=True)


rules = st.sampled_from([detection.full, detection.look])


@given(times, times, st.floats(0.01, 1.0), st.floats(0.0, 3.0), rules)
def test_a_detected_mutant_stays_detected_when_it_becomes_slower_still(
    control: list[float], mutant: list[float], threshold: float, further: float, rule: Rule
) -> None:
    slower = [value * (1 + further) for value in mutant]
    # The law is about ranks: ties change the distribution, and a mutant that is faster but for one
    # outlier is "detected" by the published rule, until it moves up.
    assume(rank_sum.u_statistic(mutant, control) > len(control) * len(mutant) / 2)
    assume(len({*control, *mutant}) == len({*control, *slower}) == len(control) + len(mutant))
    if rule(Run(control=control, mutant=mutant), threshold) is Answer.YES:
        assert rule(Run(control=control, mutant=slower), threshold) is Answer.YES


@given(times, times, st.floats(0.01, 1.0), st.sampled_from([0.25, 2.0, 1024.0]))
def test_the_unit_of_time_does_not_matter(
    control: list[float], mutant: list[float], threshold: float, factor: float
) -> None:
    scaled = Run(control=[v * factor for v in control], mutant=[v * factor for v in mutant])
    plain = Run(control=control, mutant=mutant)
    assert detection.look(scaled, threshold) is detection.look(plain, threshold)
