"""What a score has found of benchmarks as they are is not looked for again."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from abs_audit.analyses.stability.measure import IterationPlans
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.preparation import Prepared
from tests.support.fake_executor import FakeSuite, harness, trial


def plan(name: str, invocations: int) -> IterationPlan:
    return IterationPlan(
        benchmark=name, invocations=invocations, iteration_s=0.001 * invocations, wall_s=0.02
    )


@pytest.mark.parametrize(
    ("target_s", "asked"),
    [(0.02, {"probed": [20], "new": [None]}), (0.05, {"here": [None], "probed": [None], "new": [None]})],
    ids=["the same duration", "another one"],
)
def test_iterations_are_those_that_a_score_has_made(
    tmp_path: Path, target_s: float, asked: dict[str, list[int | None]]
) -> None:
    suite = FakeSuite(lambda block, position, arm: trial(block, position, arm, target_s))
    prepared = cast(Prepared, SimpleNamespace(harness=harness(tmp_path, suite)))
    before = IterationPlans(
        target_s=0.02, here={"here": plan("here", 17)}, probed={"probed": plan("probed", 20)}
    )
    found = before.of(target_s, {}).calibrated(prepared, ["here", "probed", "new"])
    made: dict[str, list[int | None]] = {}
    for block in suite.asked:
        made.setdefault(block.benchmark, []).append(block.steps[0].invocations)
    assert asked == made
    assert {"here", "probed", "new"} == found.iteration_plans.keys()
    assert (17 == found.iteration_plans["here"].invocations) is ("here" not in asked)
