"""What a score has found of benchmarks as they are is not looked for again."""

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from abs_audit.analyses.stability import measure as stability
from abs_audit.analyses.stability.measure import IterationPlans, UnslowedRecord
from abs_audit.experiment import watch
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.preparation import Prepared
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.unslowed_runs import RUNS
from abs_audit.experiment.watch import BudgetEndedError, Watch
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


@pytest.mark.parametrize("durations", [{}, {"a": 1.0}], ids=["not built yet", "built before"])
def test_what_was_built_before_is_executed_in_what_is_left_of_a_budget(
    monkeypatch: pytest.MonkeyPatch, durations: dict[str, float]
) -> None:
    """Methods that benchmarks of xxh3 notice stayed open: both builds together had taken longer."""
    now_s = [0.0]
    monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: now_s[0]))
    runtime = cast(Runtime, SimpleNamespace(watch=Watch(budget_s=30.0)))
    with runtime.watch.phase(watch.Phase.BUILD):
        now_s[0] += 20.0
    known = UnslowedRecord(durations=durations)
    monkeypatch.setattr(stability, "prepare", lambda *_: contextlib.nullcontext())
    monkeypatch.setattr(stability, "_all_known", lambda *_: known)
    monkeypatch.setattr(stability, "_executed", lambda _, before, names, __: replace(before, wholes=names))
    ended = contextlib.nullcontext() if durations else pytest.raises(BudgetEndedError)
    with ended:
        record = stability.of_benchmarks(cast(Project, None), runtime, ["a", "b"], {})
        assert ["b"] == record.wholes


@pytest.mark.parametrize(
    ("each_s", "lasting_s", "expected"),
    [
        (1.0, {}, ["ba", "jenhclfo", "idmgk"]),
        (3.0, {}, ["ba", "jenhcl", "f"]),
        (9.0, {}, ["b", "a", "j"]),
        (1.0, {"a": 100.0}, ["b", "jenh", "clfoidmg", "k"]),
        (1.0, {"c": 100.0}, ["ba"]),
        (100.0, {}, []),
        (1.0, {"b": 0.0, "a": 0.0}, ["ba", "je", "nhclfoid", "mgk"]),
    ],
    ids=["all", "as many as fit", "one", "without what lasts too long", "cut", "none", "the first ones fail"],
)
def test_as_many_benchmarks_of_all_parts_of_the_suite_as_a_budget_is_enough_for(
    monkeypatch: pytest.MonkeyPatch, each_s: float, lasting_s: dict[str, float], expected: list[str]
) -> None:
    assert expected == executed_in(monkeypatch, each_s, lasting_s, forks_alike=True)


@pytest.mark.parametrize(
    ("each_s", "lasting_s", "expected"),
    [
        (1.0, {}, [*"bajenhclfoidmgk"]),
        (4.0, {}, [*"bajenhc"]),
        (4.0, {"a": 7.0, "j": 14.0}, [*"baj"]),
        (9.0, {}, [*"baj"]),
        (26.0, {}, ["b"]),
        (50.0, {}, []),
        (1.0, {"b": 0.0, "a": 0.0}, [*"bajenhclfoidmgk"]),
    ],
    ids=[
        "all",
        "as many as fit",
        "some last longer",
        "each in two parts",
        "one",
        "none",
        "the first ones fail",
    ],
)
def test_what_has_a_fork_of_its_own_is_executed_one_by_one(
    monkeypatch: pytest.MonkeyPatch, each_s: float, lasting_s: dict[str, float], expected: list[str]
) -> None:
    """Of jdbi 14 were calibrated, two after two, before there was time for all runs of any."""
    assert expected == executed_in(monkeypatch, each_s, lasting_s, forks_alike=False)


def executed_in(
    monkeypatch: pytest.MonkeyPatch, each_s: float, lasting_s: dict[str, float], *, forks_alike: bool
) -> list[str]:
    """Return the portions that 30 seconds are enough for, of benchmarks that take so long each."""
    now_s = [0.0]
    monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: now_s[0]))
    runtime = cast(Runtime, SimpleNamespace(watch=Watch(budget_s=30.0)))
    executed: list[str] = []
    left_s = {name: lasting_s.get(name, each_s) for name in "abcdefghijklmno"}

    def invented(_: Prepared, before: UnslowedRecord, names: Sequence[str], *__: object) -> UnslowedRecord:
        remaining_s = runtime.watch.remaining_s or 0.0
        part = min(1.0, remaining_s / (sum(left_s[name] for name in names) or remaining_s))
        now_s[0] += part * sum(left_s[name] for name in names)
        # What was executed is recorded.
        left_s.update({name: (1 - part) * left_s[name] for name in names})
        if part < 1:
            raise BudgetEndedError
        executed.append("".join(names))
        working = [name for name in names if lasting_s.get(name, each_s)]
        return replace(before, durations={**before.durations, **dict.fromkeys(working, each_s)})

    def calibrated(*_: object) -> set[str]:
        whole_s = {name: lasting_s.get(name, each_s) for name in left_s}
        return {name for name in left_s if left_s[name] < RUNS / (1 + RUNS) * whole_s[name]}

    harness = SimpleNamespace(
        language=SimpleNamespace(forks_alike=forks_alike),
        session=SimpleNamespace(measured=calibrated),
        context="",
    )
    prepared = SimpleNamespace(benchmarks=[*left_s], harness=harness)
    monkeypatch.setattr(stability, "prepare", lambda *_: contextlib.nullcontext(prepared))
    monkeypatch.setattr(stability, "_all_known", lambda *_: UnslowedRecord())
    monkeypatch.setattr(stability, "_executed", invented)
    record = stability.spread_out(cast(Project, None), runtime, ["b"], 1.0)
    assert {name for name in "".join(executed) if lasting_s.get(name, each_s)} == record.durations.keys()
    return executed
