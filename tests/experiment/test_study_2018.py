"""The protocol of 2018 settles every cell, by executions of the whole suite."""

from pathlib import Path

from abs_audit.experiment import study_2018
from abs_audit.experiment.asking import Axes
from abs_audit.experiment.cell_profiles import ProfilePlan
from abs_audit.experiment.profiler import Profiler
from abs_audit.model.experiment import Mode
from abs_audit.model.explanation import Cause
from abs_audit.model.verdict import Verdict
from tests.support.fake_executor import FakeSuite, harness
from tests.support.known_shares import World, injection

SPEC = injection("paper", settle_all=True)


def test_the_whole_suite_is_executed_twice_for_the_control_and_for_each_method(tmp_path: Path) -> None:
    world = World({"high": {"m": 0.9, "n": 0.05}, "other": {"m": 0.6, "n": 0.8}, "none": {}})
    plan = ProfilePlan(
        benchmarks=tuple(world.suite), methods=("m", "n"), target_s=0.02, seed=1, everything=True
    )
    profiler = Profiler(harness(tmp_path, FakeSuite(world.trial)), plan)
    axes = Axes(methods=plan.methods, benchmarks=plan.benchmarks)
    cells = study_2018.verdicts(profiler.harness, profiler.learn_all(), axes, SPEC)
    assert {
        ("m", "high"): (Verdict.DETECTED, Cause.NOTICED),
        ("m", "other"): (Verdict.DETECTED, Cause.NOTICED),
        ("m", "none"): (Verdict.UNREACHED, Cause.NOT_CALLED),
        ("n", "high"): (Verdict.MISSED, Cause.DIFFERENCE_TOO_SMALL),
        ("n", "other"): (Verdict.DETECTED, Cause.NOTICED),
        ("n", "none"): (Verdict.UNREACHED, Cause.NOT_CALLED),
    } == {(cell.method, cell.benchmark): (cell.verdict, cell.cause) for cell in cells}
    executed = [block for block in world.made if block.id.startswith("paper/")]
    assert len(executed) == 2 * 3 * 3
    assert len({block.process for block in executed} - {""}) == 2 * 3
    assert {20} == {step.iterations for block in executed for step in block.steps}
    slowed = [block.steps[0].arm.slowed for block in executed if block.steps[0].arm.mode is Mode.DELAY]
    assert sorted(filter(None, slowed)) == [*["m"] * 4, *["n"] * 4]
