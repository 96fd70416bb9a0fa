"""The harness makes each trial once, and whatever a command leaves unsaid is no evidence."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.model.experiment import UNPROBED, Arm, Block, BlockKind, Command, Execution, Step
from abs_audit.model.measurement import Status, Trial
from tests.support.fake_executor import FakeExecutor, FakeSuite, Invented, harness, trial

STEP = Step(arm=UNPROBED, invocations=1, target_s=0.01, iterations=1, warmup=0)
THREE = [Block(id=f"block {name}", benchmark=name, steps=(STEP, STEP), limit_s=1.0) for name in "abc"]
BLOCKS = THREE[:2]


def test_every_step_has_exactly_one_trial_in_the_order_of_the_steps(tmp_path: Path) -> None:
    found = harness(tmp_path, FakeSuite(trial)).perform(BLOCKS, "test")

    assert {block.id: [0, 1] for block in BLOCKS} == {
        name: [one.position for one in trials] for name, trials in found.items()
    }


def test_recorded_blocks_are_not_executed_again(tmp_path: Path) -> None:
    first = harness(tmp_path, FakeSuite(trial)).perform(BLOCKS, "test")
    again = FakeSuite(trial)

    assert first == harness(tmp_path, again).perform(BLOCKS, "test")
    assert [] == again.asked


def test_a_block_that_was_cut_off_asks_for_its_missing_steps_only(tmp_path: Path) -> None:
    started = harness(tmp_path, FakeSuite(trial))
    started.session.record("context", BLOCKS[0], trial(BLOCKS[0], 0, UNPROBED))
    suite = FakeSuite(trial)

    found = harness(tmp_path, suite).perform(BLOCKS[:1], "test")

    assert [1] == [len(block.steps) for block in suite.asked]
    assert [0, 1] == [one.position for one in found[BLOCKS[0].id]]


@pytest.mark.parametrize("evidence", [trial, lambda *_: None], ids=["all report", "none reports"])
def test_progress_is_told_trial_by_trial(tmp_path: Path, evidence: Invented) -> None:
    told: list[tuple[float, float]] = []
    telling = replace(
        harness(tmp_path, FakeSuite(evidence)), progress=lambda _, done, planned: told.append((done, planned))
    )

    telling.perform(BLOCKS, "test")

    assert [pytest.approx((0.01 * trials, 0.04)) for trials in range(5)] == told


def silent(block: Block, position: int, arm: object) -> Trial | None:
    return None


def outcome(folder: Path, executor: FakeExecutor) -> tuple[Status, str]:
    found = harness(folder, FakeSuite(silent), executor).perform(BLOCKS[:1], "test")
    assert 2 == len(found[BLOCKS[0].id])
    return found[BLOCKS[0].id][1].status, found[BLOCKS[0].id][1].reason


def test_a_process_that_dies_leaves_failed_trials_with_its_last_words(tmp_path: Path) -> None:
    """JavaABS ignored exit codes and read the results of the run before (defect 6)."""
    status, reason = outcome(tmp_path, FakeExecutor(exit_code=-11, log="first\nSegmentation fault\n"))

    assert (Status.FAILED, True) == (status, "Segmentation fault" in reason)


def test_a_process_that_is_killed_at_its_limit_leaves_timed_out_trials(tmp_path: Path) -> None:
    assert Status.TIMED_OUT is outcome(tmp_path, FakeExecutor(exit_code=-9, timed_out=True))[0]


def test_silence_is_missing_even_where_the_process_says_that_all_is_well(tmp_path: Path) -> None:
    assert Status.MISSING is outcome(tmp_path, FakeExecutor())[0]


class StarvingExecutor(FakeExecutor):
    """Lets whatever mentions the hungry block run out of memory, and hands nothing of it over."""

    def __init__(self, suite: FakeSuite) -> None:
        super().__init__()
        self.suite = suite

    def execute(self, command: Command, on_line: Callable[[str], None] | None = None) -> Execution:
        hungry = "block a" in self.suite.executing
        return replace(super().execute(command, on_line), out_of_memory=hungry)


def test_who_shared_a_process_with_a_block_that_starved_is_tried_alone(tmp_path: Path) -> None:
    suite = FakeSuite(trial)

    found = harness(tmp_path, suite, StarvingExecutor(suite)).perform(BLOCKS, "test")

    assert [Status.OK] * 2 == [one.status for one in found["block b"]]
    assert [Status.FAILED] * 2 == [one.status for one in found["block a"]]
    assert "out of memory; allow more with --memory" in found["block a"][0].reason


def ending_with(suite: list[FakeSuite], killer: str) -> Invented:
    """Return what is told where a benchmark ends the process in which it is executed."""

    def told(block: Block, position: int, arm: Arm) -> Trial | None:
        executing = suite[0].executing
        ended = killer in executing and executing.index(block.id) >= executing.index(killer)
        return None if ended else trial(block, position, arm)

    return told


@pytest.mark.parametrize("killer", [block.id for block in THREE])
def test_a_benchmark_that_ends_its_process_costs_no_other_its_result(tmp_path: Path, killer: str) -> None:
    suites: list[FakeSuite] = []
    suites.append(FakeSuite(ending_with(suites, killer)))

    made = harness(tmp_path, suites[0], FakeExecutor(exit_code=-9)).perform(THREE, "test")

    assert {block.id: block.id != killer for block in THREE} == {
        name: trials[0].status is Status.OK for name, trials in made.items()
    }


@pytest.mark.parametrize("hanging", [block.id for block in THREE])
def test_a_benchmark_that_hangs_costs_no_other_its_result(tmp_path: Path, hanging: str) -> None:
    """It alone is timed out, with all of its blocks: each of them would take as long."""
    suites: list[FakeSuite] = []
    suites.append(FakeSuite(ending_with(suites, hanging)))
    again = [replace(block, id=f"{block.id} again") for block in THREE if block.id == hanging]

    made = harness(tmp_path, suites[0], FakeExecutor(exit_code=-9, timed_out=True)).perform(
        [*THREE, *again], "test"
    )

    lost = {name for name, trials in made.items() if trials[0].status is Status.TIMED_OUT}
    assert {hanging, f"{hanging} again"} == lost


def test_processes_that_tell_nothing_are_tried_twice_and_not_once_a_benchmark(tmp_path: Path) -> None:
    suite = FakeSuite(silent)

    harness(tmp_path, suite, FakeExecutor(exit_code=1)).perform(THREE, "test")

    assert ["block a", "block b", "block c", "block b", "block c"] == [block.id for block in suite.asked]


def test_a_host_is_remembered_as_the_instance_of_unslowed_runs(tmp_path: Path) -> None:
    suite = FakeSuite(trial)
    step = Step(arm=UNPROBED, invocations=1, target_s=0.1, iterations=1, warmup=0)
    for run, host in ((1, "north"), (2, "")):
        block = Block(
            id=f"runs/1/{run}/b", benchmark="b", steps=(step,), limit_s=1.0, kind=BlockKind.UNSLOWED
        )
        opened = harness(tmp_path, suite, FakeExecutor(host=host))
        opened.perform([block], "runs")
    assert [("north", "1"), ("1", "2")] == [(one.instance, one.trial) for one in opened.session.unslowed()]


def test_several_hosts_execute_pieces_at_once_and_lose_none(tmp_path: Path) -> None:
    suite = FakeSuite(trial)
    step = Step(arm=UNPROBED, invocations=1, target_s=8.0, iterations=1, warmup=0)
    blocks = [Block(id=f"x/{one}", benchmark="b", steps=(step,), limit_s=1.0) for one in range(9)]
    done = harness(tmp_path, suite, FakeExecutor(width=3)).perform(blocks, "pieces")
    assert [(Status.OK,)] * 9 == [tuple(trial.status for trial in done[block.id]) for block in blocks]
