"""Pairs of arms: settled by evidence only, with a second run only after a yes."""

import contextlib
import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.experiment import detection, protocol
from abs_audit.experiment.arms import arms_of_group
from abs_audit.experiment.detection import Cell
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.pair_evidence import Pair
from abs_audit.experiment.pairs import Design, settle
from abs_audit.experiment.share import Share
from abs_audit.experiment.watch import BudgetEndedError, Watch
from abs_audit.model.experiment import Arm, Block, Mode
from abs_audit.model.measurement import MethodTally, Status, Tally, Trial
from abs_audit.model.verdict import CellVerdict, Verdict
from tests.support.fake_executor import FakeSuite, harness, speaking, trial

SHARE = Share(method="m", benchmark="b", share=0.8, lowest=0.8, highest=0.8, calls=10.0, control_s=1.0)
((CONTROL, MUTANTS),) = arms_of_group([SHARE], 0.5, 1000, 20_000.0)
MUTANT = MUTANTS["m"]
CELL = Cell(method="m", benchmark="b", share=0.8, requested=0.5, threshold=0.25)
PACE = IterationPlan(benchmark="b", invocations=1000, iteration_s=0.02, wall_s=0.03)


def settled(folder: Path, invented: Callable[[Block, int, Arm], Trial | None]) -> tuple[CellVerdict, int]:
    suite = FakeSuite(invented)
    pair = Pair(cell=CELL, control=CONTROL, mutant=MUTANT)
    ((_, decision),) = settle(harness(folder, suite), {"b": PACE}, [pair], Design(name="t", seed=1))
    return decision.verdict, len(suite.asked)


def drawn(block: Block, arm: Arm) -> int:
    """Return a number below 65,536 that is a trial's own."""
    return int(hashlib.sha256((block.id + arm.label).encode()).hexdigest()[:4], 16)


def timed(slower: float, noise_step: float = 1e-6) -> Callable[[Block, int, Arm], Trial | None]:
    """Return a mutant slower by so much, with a little of everybody's own noise."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        noise = noise_step * drawn(block, arm)
        return trial(block, position, arm, 1.0 + noise + (slower if arm.mode is Mode.DELAY else 0.0))

    return invented


def test_control_and_mutant_differ_by_the_delay_alone() -> None:
    assert CONTROL == replace(MUTANT, mode=Mode.CONTROL, slowed=None, delay_ns=0.0, label="control")
    assert pytest.approx(0.5 * 0.8 * 1e9 / 10) == MUTANT.delay_ns


def test_a_clear_slowdown_is_detected_after_five_repetitions_in_two_runs(tmp_path: Path) -> None:
    verdict, blocks = settled(tmp_path, timed(0.4))

    assert (Verdict.DETECTED, (5, 5), 10) == (verdict.verdict, verdict.repetitions, blocks)


def test_no_difference_is_missed_without_a_second_run(tmp_path: Path) -> None:
    verdict, _ = settled(tmp_path, timed(0.0))

    assert (Verdict.MISSED, 1) == (verdict.verdict, len(verdict.repetitions))


@pytest.mark.parametrize(
    ("threshold", "slower", "verdict", "repetitions"),
    [
        (0.3, 0.125, Verdict.MISSED, (5,)),
        (0.3, 0.1, Verdict.MISSED, (10,)),
        (0.3, 0.15, Verdict.MISSED, (5,)),
        (0.05, 0.125, Verdict.DETECTED, (5, 5)),
        (0.05, 0.1, Verdict.DETECTED, (5, 5)),
        (0.05, 0.15, Verdict.DETECTED, (10, 10)),
    ],
)
def test_a_first_answer_is_final_only_where_another_slowdown_than_requested_does_not_favour_it(
    tmp_path: Path, threshold: float, slower: float, verdict: Verdict, repetitions: tuple[int, ...]
) -> None:
    cell = replace(CELL, share=0.25, threshold=threshold)
    pair = Pair(cell=cell, control=CONTROL, mutant=MUTANT)
    ((_, decision),) = settle(
        harness(tmp_path, FakeSuite(timed(slower, 1e-8))), {"b": PACE}, [pair], Design(name="t", seed=1)
    )
    assert (verdict, repetitions) == (decision.verdict.verdict, decision.verdict.repetitions)


def drifted(now_s: float) -> Callable[[Block, int, Arm], Trial | None]:
    """Return trials whose control takes so long now, with a little noise; delays are injected in full."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        noise = 1e-6 * drawn(block, arm)
        return trial(block, position, arm, now_s * (1 + noise) + arm.delay_ns * SHARE.calls / 1e9)

    return invented


@pytest.mark.parametrize("now_s", [0.6, 1.0, 1.5])
def test_a_machine_that_has_become_faster_or_slower_gets_a_delay_that_fits_it(
    tmp_path: Path, now_s: float
) -> None:
    suite = FakeSuite(drifted(now_s))
    pair = Pair(cell=CELL, control=CONTROL, mutant=MUTANT)
    # Where a look may stop at five, five of this noise tell what is realised to a tenth only.
    design = Design(name="t", seed=1, rule=detection.full, looks=(20,))
    ((_, decision),) = settle(harness(tmp_path, suite), {"b": PACE}, [pair], design)
    assert Verdict.DETECTED is decision.verdict.verdict
    assert 0.5 == pytest.approx(decision.verdict.realised, rel=0.08)
    first = [block for block in suite.asked if block.id.startswith("t/1/run1/1/")]
    assert (1 if now_s == 1.0 else 2) == len(first)


def in_turns(speeds: dict[int, float], injected: float = 1.0) -> Callable[[Block, int, Arm], Trial | None]:
    """Return trials of processes, some of them slower as a whole; the mutant is slower in proportion."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        iteration_plan = speeds.get(int(block.id.split("/")[3]), 1.0)
        noise = 1 + 1e-6 * drawn(block, arm)
        made = trial(block, position, arm, iteration_plan * noise * (1.4 if arm.mode is Mode.DELAY else 1.0))
        assert made.tally is not None
        requested_s = made.tally.methods["m"].injected_s * iteration_plan
        counted = replace(made.tally.methods["m"], requested_s=requested_s, injected_s=injected * requested_s)
        return replace(made, tally=replace(made.tally, methods={"m": counted}, plain_s=0.5 * iteration_plan))

    return invented


def test_what_makes_a_process_slow_as_a_whole_is_no_noise_of_the_values(tmp_path: Path) -> None:
    """Without what took turns beside them, values of 1 to 3 and 1.4 to 4.2 would not stand apart in five."""
    suite = FakeSuite(in_turns({1: 3.0, 3: 2.0, 4: 0.4}))
    pair = Pair(cell=CELL, control=CONTROL, mutant=MUTANT, plain_s=0.5)
    ((_, decision),) = settle(harness(tmp_path, suite), {"b": PACE}, [pair], Design(name="t", seed=1))
    assert (Verdict.DETECTED, (5, 5)) == (decision.verdict.verdict, decision.verdict.repetitions)
    assert 0.5 == pytest.approx(decision.verdict.realised, rel=0.08)


def test_a_delay_in_proportion_is_never_sized_anew(tmp_path: Path) -> None:
    suite = FakeSuite(in_turns(dict.fromkeys(range(100), 3.0)))
    pair = Pair(cell=CELL, control=CONTROL, mutant=MUTANT)
    list(settle(harness(tmp_path, suite), {"b": PACE}, [pair], Design(name="t", seed=1)))
    assert {0.0, MUTANT.delay_ns} == {arm.delay_ns for block in suite.asked for arm in arms_of(block)}
    assert 10 == len(suite.asked)


@pytest.mark.parametrize(("injected", "verdict"), [(0.6, Verdict.DETECTED), (0.4, Verdict.NO_VERDICT)])
def test_what_was_requested_is_what_the_probe_says_where_a_delay_is_in_proportion(
    tmp_path: Path, injected: float, verdict: Verdict
) -> None:
    suite = FakeSuite(in_turns(dict.fromkeys(range(100), 0.3), injected))
    pair = Pair(cell=CELL, control=CONTROL, mutant=MUTANT)
    ((_, decision),) = settle(harness(tmp_path, suite), {"b": PACE}, [pair], Design(name="t", seed=1))
    assert verdict is decision.verdict.verdict


def scattered(
    slower: float, slow_processes: Callable[[int], bool] = lambda _: False
) -> Callable[[Block, int, Arm], Trial | None]:
    """Return a mutant slower by so much, in processes that differ by 4 %, some of them by a fifth."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = int(block.id.split("/")[3])
        process = 1 + 0.04 * (drawn(block, arm) / 0x10000 - 0.5) + 0.2 * slow_processes(number)
        return trial(block, position, arm, process * (1 + (slower if arm.mode is Mode.DELAY else 0.0)))

    return invented


def test_where_the_share_leaves_the_verdict_open_chance_is_not_looked_at_again(tmp_path: Path) -> None:
    runtime = speaking(harness(tmp_path, FakeSuite(scattered(0.25))), forks_alike=True)
    cell = replace(CELL, share_low=0.4, share_high=1.0)
    pair = Pair(cell=cell, control=CONTROL, mutant=MUTANT)
    ((_, decision),) = settle(runtime, {"b": PACE}, [pair], Design(name="t", seed=1))
    assert protocol.LOOKS[0] == decision.verdict.repetitions[0]
    assert Verdict.NO_VERDICT is decision.verdict.verdict


@pytest.mark.parametrize(
    ("slower", "alike", "repetitions"),
    [
        (0.25, True, protocol.FURTHER[-1]),
        (0.25, False, protocol.LOOKS[-1]),
        # Noise leaves open at 20 whether enough of the slowdown arrived.
        (0.2, True, protocol.FURTHER[0]),
    ],
)
def test_where_chance_would_decide_a_run_goes_on_if_forks_are_alike(
    tmp_path: Path, slower: float, alike: bool, repetitions: int
) -> None:
    runtime = speaking(harness(tmp_path, FakeSuite(scattered(slower))), forks_alike=alike)
    pair = Pair(cell=CELL, control=CONTROL, mutant=MUTANT)
    ((_, decision),) = settle(runtime, {"b": PACE}, [pair], Design(name="t", seed=1))
    assert repetitions == decision.verdict.repetitions[0]


def test_later_repetitions_share_a_block_where_forks_are_alike(tmp_path: Path) -> None:
    suite = FakeSuite(scattered(0.25))
    design = Design(name="t", seed=1, looks=(5, 10, 20))
    pair = Pair(cell=CELL, control=CONTROL, mutant=MUTANT)
    list(settle(harness(tmp_path, suite), {"b": PACE}, [pair], design))
    steps = {int(block.id.split("/")[3]): len(block.steps) for block in suite.asked if "/run1/" in block.id}
    assert {**dict.fromkeys(range(1, 11), 2), 11: 10, 16: 10} == steps
    apart = FakeSuite(scattered(0.25))
    unlike = speaking(harness(tmp_path / "apart", apart), forks_alike=False)
    list(settle(unlike, {"b": PACE}, [pair], design))
    assert {2} == {len(block.steps) for block in apart.asked}


def beside_reference(
    invented: Callable[[Block, int, Arm], Trial | None],
) -> Callable[[Block, int, Arm], Trial | None]:
    """Return the same trials, with reference turns beside them."""

    def made(block: Block, position: int, arm: Arm) -> Trial | None:
        found = invented(block, position, arm)
        assert found is not None
        assert found.tally is not None
        return replace(found, tally=replace(found.tally, plain_s=1.0))

    return made


def test_where_forks_differ_those_with_baseline_turns_are_shared_after_the_first_look(tmp_path: Path) -> None:
    suite = FakeSuite(beside_reference(scattered(0.25)))
    ((_, decision),) = settle(
        speaking(harness(tmp_path, suite), forks_alike=False),
        {"b": PACE},
        [Pair(cell=CELL, control=CONTROL, mutant=MUTANT)],
        Design(name="t", seed=1),
    )
    steps = {int(block.id.split("/")[3]): len(block.steps) for block in suite.asked if "/run1/" in block.id}
    assert {**dict.fromkeys(range(1, 6), 2), **dict.fromkeys(range(6, 81, 5), 10)} == steps
    assert protocol.FURTHER[-1] == decision.verdict.repetitions[0]


@pytest.mark.parametrize(("slow", "first_delays"), [((2, 4, 5), 1), ((1, 2, 3, 4, 5), 2)])
def test_a_control_with_two_modes_has_not_drifted(
    tmp_path: Path, slow: tuple[int, ...], first_delays: int
) -> None:
    suite = FakeSuite(scattered(0.5, slow.__contains__))
    pair = Pair(cell=CELL, control=CONTROL, mutant=MUTANT)
    list(settle(harness(tmp_path, suite), {"b": PACE}, [pair], Design(name="t", seed=1)))
    delays = {
        arm.delay_ns
        for block in suite.asked
        for arm in arms_of(block)
        if arm.mode is Mode.DELAY and block.id.startswith("t/1/run1/")
    }
    assert first_delays == len(delays)


def test_the_second_run_has_a_delay_that_fits_the_control_of_the_first(tmp_path: Path) -> None:
    """Five percents of drift are not worth throwing values away, but here none is thrown away."""
    suite = FakeSuite(drifted(1.05))
    pair = Pair(cell=CELL, control=CONTROL, mutant=MUTANT)
    list(settle(harness(tmp_path, suite), {"b": PACE}, [pair], Design(name="t", seed=1)))
    delays = {
        run: {arm.delay_ns for block in suite.asked for arm in arms_of(block) if f"/{run}/" in block.id}
        for run in ("run1", "run2")
    }
    assert {0.0, MUTANT.delay_ns} == delays["run1"]
    # With noise of up to 7 %.
    (delay_ns,) = delays["run2"] - {0.0}
    assert 1.05 < delay_ns / MUTANT.delay_ns < 1.13


def test_a_control_in_common_is_measured_once_a_repetition(tmp_path: Path) -> None:
    ((control, mutants),) = arms_of_group((SHARE, replace(SHARE, method="n")), 0.5, 1000, 20_000.0)
    pairs = [
        Pair(cell=replace(CELL, method=method), control=control, mutant=mutant)
        for method, mutant in mutants.items()
    ]
    suite = FakeSuite(timed(0.5))
    decided = settle(harness(tmp_path, suite), {"b": PACE}, pairs, Design(name="t", seed=1))
    assert [Verdict.DETECTED] * 2 == [decision.verdict.verdict for _, decision in decided]
    assert {3} == {len(block.steps) for block in suite.asked}
    assert {1} == {arms_of(block).count(control) for block in suite.asked}


class EndsAfter(Watch):
    """A watch whose budget ends once so many blocks are made."""

    def __init__(self, blocks: int) -> None:
        super().__init__(budget_s=1e6)
        self.made: set[str] = set()
        self._blocks = blocks

    @property
    def remaining_s(self) -> float:
        return 1e6 if len(self.made) < self._blocks else 0.0


def settled_in_time(folder: Path, blocks: int, value: Callable[[Block, Arm], float]) -> dict[str, Verdict]:
    """Return the verdicts on two methods of a benchmark that are known when a budget ends."""
    ((control, mutants),) = arms_of_group((SHARE, replace(SHARE, method="n")), 0.5, 1000, 20_000.0)

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        watch.made.add(block.id)
        return trial(block, position, arm, value(block, arm))

    watch = EndsAfter(blocks)
    ending = replace(harness(folder, FakeSuite(invented)), watch=watch)
    pairs = [
        Pair(cell=replace(CELL, method=method), control=control, mutant=mutant)
        for method, mutant in mutants.items()
    ]
    settled: dict[str, Verdict] = {}
    with contextlib.suppress(BudgetEndedError):
        for pair, decision in settle(ending, {"b": PACE}, pairs, Design(name="t", seed=1)):
            settled[pair.cell.method] = decision.verdict.verdict
    return settled


def test_where_time_is_short_a_clear_answer_does_not_wait_for_an_unclear_one(tmp_path: Path) -> None:
    """Of fastjson a method that is all of a benchmark had no verdict after five minutes."""

    def value(block: Block, arm: Arm) -> float:
        slower = {"m": 0.4, "n": 0.25}.get(arm.slowed or "", 0.0)
        return 1.0 + slower + (1e-6 if arm.slowed == "n" else 1e-8) * drawn(block, arm)

    assert settled_in_time(tmp_path, 11, value) == {"m": Verdict.DETECTED}


@pytest.mark.parametrize(
    ("blocks", "kept"),
    [
        pytest.param(1, {}, id="none of both is settled"),
        pytest.param(10, {"n": Verdict.MISSED}, id="one run of two is made"),
        pytest.param(1000, {"m": Verdict.DETECTED, "n": Verdict.MISSED}, id="both are settled"),
    ],
)
def test_a_budget_that_ends_loses_what_is_under_way_alone(
    tmp_path: Path, blocks: int, kept: dict[str, Verdict]
) -> None:
    """The "no" stands after the first run; what answered "yes" there has no second one."""

    def value(block: Block, arm: Arm) -> float:
        return 1.0 + (0.5 if arm.slowed == "m" else 0.0) + 1e-8 * drawn(block, arm)

    assert kept == settled_in_time(tmp_path, blocks, value)


def test_a_method_that_is_entered_now_and_then_only_spoils_nobody_elses_evidence(tmp_path: Path) -> None:
    beside = replace(SHARE, companions=frozenset({"now and then"}))
    ((control, mutants),) = arms_of_group([beside], 0.5, 1000, 20_000.0)
    assert ("m", "now and then") == control.methods

    def invented(block: Block, position: int, arm: Arm) -> Trial | None:
        made = timed(0.5)(block, position, arm)
        assert made is not None
        assert made.tally is not None
        seen = {method: one for method, one in made.tally.methods.items() if method == "m"}
        return replace(made, tally=replace(made.tally, methods=seen))

    pair = Pair(cell=CELL, control=control, mutant=mutants["m"])
    ((_, decision),) = settle(
        harness(tmp_path, FakeSuite(invented)), {"b": PACE}, [pair], Design(name="t", seed=1)
    )
    assert Verdict.DETECTED is decision.verdict.verdict


def arms_of(block: Block) -> list[Arm]:
    return [step.arm for step in block.steps]


def spoilt(**changes: object) -> Callable[[Block, int, Arm], Trial | None]:
    """Return trials that would be detected, were the mutant's tally not spoilt."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        good = trial(block, position, arm, 2.0 if arm.mode is Mode.DELAY else 1.0)
        return replace(good, **changes) if arm.mode is Mode.DELAY else good  # type: ignore[arg-type]

    return invented


def tally(build_id: str, calls: int, injected_s: float) -> Tally:
    counted = MethodTally(calls=calls, setup_calls=0, injected_s=injected_s, timed_s=0.0)
    return Tally(build_id=build_id, methods={"m": counted})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"tally": None}, "unviable: the mutant 0.5 arm left no tally"),
        ({"tally": tally("another", 1000, 40.0)}, "unviable: the mutant 0.5 arm ran another build"),
        ({"tally": tally("build", 0, 0.0)}, "unviable: the mutant 0.5 arm never entered m"),
        ({"tally": tally("build", 1000, 1.0)}, "unviable: 1 s of delay were injected, 40 s requested"),
        ({"status": Status.TIMED_OUT, "reason": "too long", "values": ()}, "timed-out: too long"),
        ({"status": Status.FAILED, "reason": "KeyError", "values": ()}, "failed: KeyError"),
        ({"status": Status.MISSING, "reason": "silence", "values": ()}, "failed: silence"),
    ],
)
def test_a_mutant_without_proof_is_never_detected(
    tmp_path: Path, changes: dict[str, object], reason: str
) -> None:
    verdict, _ = settled(tmp_path, spoilt(**changes))

    assert (Verdict.NO_VERDICT, True) == (verdict.verdict, verdict.reason.startswith(reason))


def test_neither_the_control_nor_any_benchmark_always_comes_first(tmp_path: Path) -> None:
    """GoABS measured the baseline first and shuffled functions only: drift became an effect (defect 16)."""
    suite = FakeSuite(timed(0.5))
    pairs = [
        Pair(cell=replace(CELL, benchmark=name), control=CONTROL, mutant=MUTANT) for name in ("b", "other")
    ]
    iteration_plans = {name: replace(PACE, benchmark=name) for name in ("b", "other")}
    list(settle(harness(tmp_path, suite), iteration_plans, pairs, Design(name="t", seed=1)))
    assert {Mode.CONTROL, Mode.DELAY} == {block.steps[0].arm.mode for block in suite.asked}
    assert {"b", "other"} == {block.benchmark for block in suite.asked[::2]}
