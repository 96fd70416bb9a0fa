"""Unslowed runs: as many as asked for, or until a rule has enough of every benchmark."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import pytest

from abs_audit.experiment.calibration import Calibration
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.unslowed_runs import RunPlan, iterations, suite_runs
from abs_audit.model.experiment import Block
from abs_audit.model.measurement import Status, Trial
from tests.support.fake_executor import FakeExecutor
from tests.support.fixed_count import FixedCount


class CountingHarness:
    """Gives every block a value; benchmarks named in `failing` have none."""

    language = SimpleNamespace(forks_a_block=True, forks_alike=True, warmup=0)
    longest_s = 60.0

    def __init__(self, failing: frozenset[str] = frozenset(), hosts: int = 1) -> None:
        self.failing = failing
        self.executor = FakeExecutor(width=hosts)
        self.performed: list[list[str]] = []
        self.blocks: list[Block] = []

    def warmed(self, steps: list[object]) -> tuple[object, ...]:
        return tuple(steps)

    def perform(self, blocks: list[Block], purpose: str) -> dict[str, tuple[Trial, ...]]:
        self.performed.append([block.benchmark for block in blocks])
        self.blocks += blocks
        return {block.id: (self._trial(block),) for block in blocks}

    def _trial(self, block: Block) -> Trial:
        bad = block.benchmark in self.failing
        return Trial(
            block=block.id,
            position=0,
            status=Status.FAILED if bad else Status.OK,
            reason="",
            invocations=1,
            values=() if bad else (1.0,) * block.steps[0].iterations,
            tally=None,
            wall_s=0.1,
        )


def run(harness: CountingHarness, plan: RunPlan) -> tuple[int, str]:
    names = ["a", "b"]
    iteration_plans = {
        name: IterationPlan(benchmark=name, invocations=1, iteration_s=0.1, wall_s=0.1) for name in names
    }
    found, why = suite_runs(harness, Calibration(iteration_plans=iteration_plans, failed={}), names, plan)  # type: ignore[arg-type]
    return len(found.values["a"]), why


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (lambda: RunPlan(runs=3, seed=1), (3, "")),
        (
            lambda: RunPlan(runs=30, seed=1, rule=FixedCount(first=12)),
            (12, "fixed 12 has enough of every benchmark after 12 runs"),
        ),
        (
            lambda: RunPlan(runs=4, seed=1, rule=FixedCount(first=12)),
            (4, "4 runs are the most allowed; fixed 12 wants more of 2 benchmarks"),
        ),
    ],
)
def test_runs_end_at_their_number_or_where_the_rule_has_enough(
    plan: Callable[[], RunPlan], expected: tuple[int, str]
) -> None:
    harness = CountingHarness()
    assert expected == run(harness, plan())
    assert expected[0] == len(harness.performed)


@pytest.mark.parametrize(("iteration_s", "values"), [(0.02, 5), (2.0, 5), (5.0, 4), (15.0, 1), (100.0, 1)])
def test_a_benchmark_that_takes_a_minute_has_fewer_values_a_run(iteration_s: float, values: int) -> None:
    """One of attrs takes 100 s: five in each of five runs were three quarters of an hour."""
    plan = IterationPlan(benchmark="b", invocations=1, iteration_s=iteration_s, wall_s=iteration_s)
    assert values == iterations(cast(Harness, CountingHarness()), plan)


@pytest.mark.parametrize(("wall_s", "values"), [(0.06, 5), (0.09, 3), (0.125, 2), (0.5, 2)])
def test_a_benchmark_with_a_long_set_up_for_each_value_has_fewer(wall_s: float, values: int) -> None:
    plan = IterationPlan(benchmark="b", invocations=1, iteration_s=0.02, wall_s=wall_s)
    assert values == iterations(cast(Harness, CountingHarness()), plan)


def test_a_benchmark_that_fails_keeps_no_rule_waiting() -> None:
    harness = CountingHarness(failing=frozenset("b"))
    assert (2, "fixed 2 has enough of every benchmark after 2 runs") == run(
        harness, RunPlan(runs=9, seed=1, rule=FixedCount(first=2))
    )


def test_runs_take_turns_on_the_hosts_and_all_of_them_have_work_at_once() -> None:
    harness = CountingHarness(hosts=2)
    assert (4, "") == run(harness, RunPlan(runs=4, seed=1))
    first = harness.blocks[: len(harness.performed[0])]
    assert [0, 0, 1, 1, 2, 2, 3, 3] == [block.instance for block in first]
    assert {"a", "b"} == {block.benchmark for block in first[:2]}
