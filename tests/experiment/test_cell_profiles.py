"""What is counted first where time is short."""

from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.experiment import cell_profiles
from abs_audit.experiment.cell_profiles import CellProfiles, ProfilePlan, Profiler
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.watch import Watch
from abs_audit.model.experiment import Arm, Block
from abs_audit.model.measurement import Trial
from tests.support.fake_executor import FakeSuite, harness, trial

PLAN = ProfilePlan(
    benchmarks=("dear", "a", "dearest", "b"),
    methods=("m",),
    target_s=1.0,
    seed=1,
    durations_s={"a": 0.001, "dear": 60.0, "dearest": 90.0},
)
BUDGET_S = 1000.0


class Slow(Watch):
    """A watch whose time goes by benchmark: each dear one that is counted takes 300 s."""

    counted = 0

    @property
    def remaining_s(self) -> float | None:
        return BUDGET_S - 300.0 * self.counted


def counted_within(
    folder: Path, monkeypatch: pytest.MonkeyPatch, watch: Watch
) -> tuple[list[str], CellProfiles]:
    asked: list[str] = []

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        return trial(block, position, arm)

    def reach(harness: Harness, names: tuple[str, ...], methods: tuple[str, ...]) -> tuple[object, ...]:
        asked.extend(names)
        monkeypatch.setattr(Slow, "counted", len({"dear", "dearest"}.intersection(asked)))
        return counting(harness, names, methods)

    counting = cell_profiles.reach
    monkeypatch.setattr(cell_profiles, "reach", reach)
    timed = replace(harness(folder, FakeSuite(invented)), watch=watch)
    return asked, Profiler(timed, PLAN).learn_all()


def test_without_a_budget_benchmarks_are_counted_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, profiles = counted_within(tmp_path, monkeypatch, Watch())
    assert (asked, profiles.ended) == (["dear", "a", "dearest", "b"], False)


def test_under_a_budget_dear_benchmarks_are_counted_last_and_leave_time_for_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once 200 of 1,000 seconds are gone none is counted any more, and what calls it has no verdict."""
    monkeypatch.setattr(cell_profiles, "FOR_COUNTING", 0.2)
    asked, profiles = counted_within(tmp_path, monkeypatch, Slow(budget_s=BUDGET_S))
    assert (asked, profiles.ended) == (["a", "b", "dear"], True)
    assert set(profiles.reach) == {"a", "b", "dear"}
