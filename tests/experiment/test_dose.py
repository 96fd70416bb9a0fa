"""Doses: neither a slowdown that did not arrive nor one that is far too large is evidence."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.experiment import detection, dose, protocol
from abs_audit.experiment.detection import Cell, Run
from abs_audit.experiment.pair_evidence import Pair
from abs_audit.experiment.pairs import Design, settle
from abs_audit.model.experiment import Arm, Block, Mode
from abs_audit.model.explanation import Cause
from abs_audit.model.measurement import Trial
from abs_audit.model.verdict import Verdict
from tests.experiment.test_pairs import CELL, CONTROL, MUTANT, PACE, timed
from tests.support.fake_executor import FakeSuite, harness

# δ = .4 where .2 is asked for; twenty repetitions answer.
ASKED = Cell(method="m", benchmark="b", share=0.8, requested=0.4, threshold=0.2)


def judged(cell: Cell, slower: Sequence[float]) -> tuple[Verdict, Cause]:
    """Return what becomes of runs whose mutants are slower by so much."""
    noise = [1 + 1e-4 * number for number in range(20)]
    runs = [Run(control=noise, mutant=[(1 + more) * value for value in noise]) for more in slower]
    verdict = dose.judged(cell, detection.decide(cell, runs, detection.look)).verdict
    return verdict.verdict, verdict.cause


@pytest.mark.parametrize(
    ("share", "slower", "verdict", "cause"),
    [
        # Realised ÷ requested is slower ÷ (.4 · share).
        (0.8, (0.32, 0.32), Verdict.DETECTED, Cause.NOTICED),
        (0.8, (0.47, 0.47), Verdict.DETECTED, Cause.NOTICED),
        (0.8, (0.32, 0.5), Verdict.NO_VERDICT, Cause.OVER_INJECTED),
        (0.35, (0.28, 0.28), Verdict.NO_VERDICT, Cause.OVER_INJECTED),
        (0.8, (0.1,), Verdict.NO_VERDICT, Cause.UNDER_INJECTED),
        (0.8, (0.17,), Verdict.MISSED, Cause.DIFFERENCE_TOO_SMALL),
        (0.8, (0.01,), Verdict.MISSED, Cause.NOT_SLOWER),
        (0.8, (-0.2,), Verdict.MISSED, Cause.NOT_SLOWER),
        # No delay makes a benchmark faster by all that it should make it slower.
        (0.8, (-0.4,), Verdict.NO_VERDICT, Cause.NOISY),
        # A third of its time could not show however well it is slowed.
        (0.35, (0.01,), Verdict.MISSED, Cause.DIFFERENCE_TOO_SMALL),
    ],
)
def test_what_is_far_from_requested_is_no_evidence_for_what_it_favours(
    share: float, slower: tuple[float, ...], verdict: Verdict, cause: Cause
) -> None:
    assert (verdict, cause) == judged(replace(ASKED, share=share), slower)


def test_what_is_noticed_of_a_delay_that_was_hardly_felt_is_no_evidence() -> None:
    """A benchmark that does less where it was slow would make up for all of it in its suite's own time."""
    cell = replace(ASKED, threshold=0.05)
    assert (Verdict.NO_VERDICT, Cause.UNDER_INJECTED) == judged(cell, (0.1, 0.2))
    assert (Verdict.DETECTED, Cause.NOTICED) == judged(cell, (0.2, 0.2))


@pytest.mark.parametrize(
    ("share", "low", "high", "verdict"),
    [
        (0.6, 0.55, 0.65, Verdict.DETECTED),
        (0.6, 0.45, 0.65, Verdict.NO_VERDICT),
        (0.4, 0.35, 0.45, Verdict.MISSED),
        (0.4, 0.35, 0.55, Verdict.NO_VERDICT),
    ],
)
def test_a_verdict_that_another_share_of_the_interval_would_change_is_none(
    share: float, low: float, high: float, verdict: Verdict
) -> None:
    cell = replace(ASKED, share=share, share_low=low, share_high=high)
    assert verdict is judged(cell, (0.4 * share, 0.4 * share))[0]


@pytest.mark.parametrize(
    ("dose", "low", "verdict", "cause", "repetitions"),
    [
        (1.0, 0.4, Verdict.NO_VERDICT, Cause.UNCERTAIN_SHARE, (5,)),
        (1.0, 0.0, Verdict.NO_VERDICT, Cause.UNCERTAIN_SHARE, (5,)),
        # The share is far above or below what was told, so that either end of its interval says the same.
        (1.4, 0.4, Verdict.DETECTED, Cause.NOTICED, (10, 10)),
        (0.7, 0.4, Verdict.MISSED, Cause.DIFFERENCE_TOO_SMALL, (20,)),
    ],
)
def test_what_only_the_share_can_settle_is_not_repeated(
    tmp_path: Path, dose: float, low: float, verdict: Verdict, cause: Cause, repetitions: tuple[int, ...]
) -> None:
    cell = replace(ASKED, share=0.5, share_low=low, share_high=0.65)
    pair = Pair(cell=cell, control=CONTROL, mutant=MUTANT)
    suite = FakeSuite(timed(dose * cell.expected, 1e-7))
    ((_, decision),) = settle(harness(tmp_path, suite), {"b": PACE}, [pair], Design(name="t", seed=1))
    told = decision.verdict
    assert (verdict, cause, repetitions) == (told.verdict, told.cause, told.repetitions)


@pytest.mark.parametrize(
    ("share", "low", "high", "slower", "verdict"),
    [
        # Less shows than was requested: the smallest share would bring it below the threshold.
        (0.69, 0.59, 0.79, 0.23, Verdict.DETECTED),
        # More shows than was requested: the largest share would bring it above the threshold.
        (0.02, 0.0, 0.28, 0.02, Verdict.MISSED),
    ],
)
def test_noise_of_what_was_realised_is_not_taken_for_one_of_the_share(
    share: float, low: float, high: float, slower: float, verdict: Verdict
) -> None:
    cell = replace(ASKED, share=share, share_low=low, share_high=high)
    assert verdict is judged(cell, (slower, slower))[0]


@pytest.mark.parametrize(
    ("scatter", "verdict"), [(0.001, Verdict.MISSED), (0.03, Verdict.NO_VERDICT)], ids=["quiet", "noisy"]
)
def test_noise_that_hides_a_short_delay_says_nothing_of_the_largest_share(
    scatter: float, verdict: Verdict
) -> None:
    """A twentieth of its time is likely, nine tenths are possible: 1.1 % slower is too much for a no."""
    control = [1 + 1e-4 * number for number in range(20)]
    slower = [1 - scatter, 1 + scatter] * 10
    run = Run(control=control, mutant=[factor * value for factor, value in zip(slower, control, strict=True)])
    cell = replace(ASKED, share=0.05, share_low=0.04, share_high=0.9)
    assert verdict is dose.judged(cell, detection.decide(cell, [run], detection.look)).verdict.verdict


@pytest.mark.parametrize(
    ("scatter", "verdict", "cause"),
    [(0.01, Verdict.MISSED, Cause.DIFFERENCE_TOO_SMALL), (0.5, Verdict.NO_VERDICT, Cause.NOISY)],
)
def test_values_that_scatter_over_the_threshold_miss_nothing(
    scatter: float, verdict: Verdict, cause: Cause
) -> None:
    """Ten repetitions are slower by 15 % less the scatter and ten by 15 % more; 20 % are asked for."""
    control = [1 + 1e-4 * number for number in range(20)]
    slower = [1.15 - scatter, 1.15 + scatter] * 10
    run = Run(control=control, mutant=[factor * value for factor, value in zip(slower, control, strict=True)])
    cell = replace(ASKED, share=0.45)
    decision = dose.judged(cell, detection.decide(cell, [run], detection.look))
    assert (verdict, cause) == (decision.verdict.verdict, decision.verdict.cause)


@pytest.mark.parametrize(("high", "verdict"), [(0.4, Verdict.MISSED), (0.9, Verdict.NO_VERDICT)])
def test_a_mutant_without_a_delay_misses_only_what_cannot_show(
    tmp_path: Path, high: float, verdict: Verdict
) -> None:
    """What the suite's first invocation does was most of its time, and a share of nothing of the others'."""
    nothing = replace(ASKED, share=0.0, share_low=0.0, share_high=high)
    pair = Pair(cell=nothing, control=CONTROL, mutant=replace(MUTANT, delay_ns=0.0))
    suite = FakeSuite(timed(0.0))
    ((_, decision),) = settle(harness(tmp_path, suite), {"b": PACE}, [pair], Design(name="t", seed=1))
    assert verdict is decision.verdict.verdict


@pytest.mark.parametrize(("most", "verdict"), [(0.1, Verdict.NO_VERDICT), (0.24, Verdict.DETECTED)])
def test_a_slowdown_that_few_values_show_is_not_noticed(most: float, verdict: Verdict) -> None:
    """A benchmark that does less where it is slow was told to notice by a tenth of its values."""
    control = [1 + 1e-4 * number for number in range(20)]
    mutant = [value * (1.6 if number % 3 == 0 else 1 + most) for number, value in enumerate(control)]
    runs = [Run(control=control, mutant=mutant)] * 2
    told = dose.judged(ASKED, detection.decide(ASKED, runs, detection.look)).verdict
    assert told.difference_mean is not None
    assert told.difference_mean > ASKED.threshold
    assert (verdict, Cause.NOTICED if verdict is Verdict.DETECTED else Cause.NOISY) == (
        told.verdict,
        told.cause,
    )


def test_a_misdosed_pair_is_measured_again_twice(tmp_path: Path) -> None:
    suite = FakeSuite(timed(0.8))
    pair = Pair(cell=CELL, control=CONTROL, mutant=MUTANT)
    ((_, decision),) = settle(harness(tmp_path, suite), {"b": PACE}, [pair], Design(name="t", seed=1))
    assert (Verdict.NO_VERDICT, Cause.OVER_INJECTED) == (decision.verdict.verdict, decision.verdict.cause)
    assert {"t", "t again", "t once more"} == {block.id.split("/")[0] for block in suite.asked}
    # That it is misdosed is certain after the second look: further repetitions would show nothing else.
    assert protocol.LOOKS[1] >= max(int(block.id.split("/")[3]) for block in suite.asked)


def interrupted(slower: float, every: int) -> Callable[[Block, int, Arm], Trial | None]:
    """Return mutants slower by so much; each so many-th is held up amid its delays for three seconds more."""
    usual = timed(slower)

    def invented(block: Block, position: int, arm: Arm) -> Trial | None:
        made = usual(block, position, arm)
        if made is None or made.tally is None or arm.mode is not Mode.DELAY:
            return made
        if (int(block.id.split("/")[3]) + position // 2) % every:
            return made
        counted = made.tally.methods["m"]
        held = replace(counted, injected_s=2 * counted.injected_s)
        values = tuple(value + 3 for value in made.values)
        return replace(made, values=values, tally=replace(made.tally, methods={"m": held}))

    return invented


@pytest.mark.parametrize(("slower", "verdict"), [(0.4, Verdict.DETECTED), (0.22, Verdict.MISSED)])
def test_a_repetition_whose_delays_were_interrupted_is_left_out_and_the_others_answer(
    tmp_path: Path, slower: float, verdict: Verdict
) -> None:
    suite = FakeSuite(interrupted(slower, 3))
    pair = Pair(cell=CELL, control=CONTROL, mutant=MUTANT)
    ((_, decision),) = settle(harness(tmp_path, suite), {"b": PACE}, [pair], Design(name="t", seed=1))
    assert verdict is decision.verdict.verdict
    assert slower == pytest.approx(decision.verdict.difference_mean, abs=0.04)


@pytest.mark.parametrize(
    ("more", "is_whole", "realised"),
    [(-0.3, True, 0.5), (0.0, True, 0.5), (0.3, True, 0.5), (0.3, False, 0.65)],
)
def test_what_delays_took_beyond_what_was_requested_does_not_count(
    tmp_path: Path, more: float, is_whole: bool, realised: float
) -> None:
    """Beside busy processes the last delays of a trial take longer, and nothing makes up for them.

    Where values leave something out, delays there are left alone.
    """

    def invented(block: Block, position: int, arm: Arm) -> Trial | None:
        made = timed(0.4 * (1 + more))(block, position, arm)
        if made is None or made.tally is None or arm.mode is not Mode.DELAY:
            return made
        counted = made.tally.methods["m"]
        longer = replace(counted, injected_s=(1 + more) * counted.injected_s)
        return replace(made, tally=replace(made.tally, methods={"m": longer}, is_whole=is_whole))

    pair = Pair(cell=CELL, control=CONTROL, mutant=MUTANT)
    suite = FakeSuite(invented)
    ((_, decision),) = settle(harness(tmp_path, suite), {"b": PACE}, [pair], Design(name="t", seed=1))
    assert realised == pytest.approx(decision.verdict.realised, abs=0.05)


def test_a_mutant_that_is_interrupted_time_and_again_has_no_verdict(tmp_path: Path) -> None:
    suite = FakeSuite(interrupted(0.4, 1))
    pair = Pair(cell=CELL, control=CONTROL, mutant=MUTANT)
    ((_, decision),) = settle(harness(tmp_path, suite), {"b": PACE}, [pair], Design(name="t", seed=1))
    assert (Verdict.NO_VERDICT, Cause.OVER_INJECTED) == (decision.verdict.verdict, decision.verdict.cause)


@pytest.mark.parametrize(
    ("injected_s", "fault"),
    [(0.4, Cause.UNDER_INJECTED), (0.5, None), (1.5, None), (1.6, Cause.OVER_INJECTED)],
)
def test_a_tally_proves_a_dose_within_bounds_on_both_sides(injected_s: float, fault: Cause | None) -> None:
    assert dose.tallied(injected_s, 1.0) is fault
