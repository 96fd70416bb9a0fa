"""Benchmarks that tempt to a wrong verdict: what their methods' tallies say of them.

All of them are scored by benchmarks/liars.py; here are those whose answer needs no clock.
"""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.execution.local import LocalExecutor
from abs_audit.execution.workspace import checkout, source_tree
from abs_audit.experiment.counting import reach
from abs_audit.experiment.reach import Reach
from abs_audit.injectors.python.injector import PythonInjector
from abs_audit.languages.python.suites.pytest_benchmark import PytestBenchmarkSuite
from abs_audit.model.experiment import Mode, Workspace
from abs_audit.model.explanation import Cause
from abs_audit.model.measurement import MethodTally, Status
from tests.support.fake_executor import FakeSuite
from tests.support.fake_executor import harness as invented_harness
from tests.support.python_subjects import SETTINGS, arm, block, executed, step

LIARS = Path(__file__).parents[4] / "fixtures" / "liars" / "python"
TRUTH: dict[str, bool] = json.loads((LIARS / "truth.json").read_text())
ELSEWHERE = {
    "test_in_a_child": ("in_a_child", "processes"),
    "test_in_a_pool": ("in_a_pool", "processes"),
    "test_in_an_interpreter": ("in_an_interpreter", "processes"),
    "test_in_threads": ("in_threads", "threads"),
}
BOUND = {
    "test_binding.py::test_bound_at_import[from import]": "binding.imported_by_name",
    "test_binding.py::test_bound_at_import[partial]": "binding.in_a_partial",
    "test_binding.py::test_bound_at_import[default]": "binding.as_a_default",
    "test_binding.py::test_bound_at_import[class attribute]": "binding.as_a_class_attribute",
    "test_binding.py::test_bound_at_import[bound]": "binding.Bound.kept",
    "test_binding.py::test_patched_clock": "binding.registered",
    "test_caching.py::test_misses": "caching.misses",
    "test_shapes.py::test_shapes[method]": "shapes.Slotted.method",
    "test_shapes.py::test_shapes[dropped]": "shapes.Dropped.__del__",
    "test_endings.py::test_endings[thrown into]": "endings.thrown_into",
    "test_endings.py::test_endings[assigned]": "endings.Checked.__set__",
}
RENEWAL = "liars.renewal."
UNTIMED = {
    "test_caching.py::test_hits": "caching.hits",
    "test_binding.py::test_replaced_by_builtin": "binding.Replaced.by_builtin",
    "test_binding.py::test_replaced_by_the_benchmark": "binding.Replaced.by_the_benchmark",
    "test_shapes.py::test_set_up_and_tear_down": "shapes.set_up",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Return a copy of which all methods carry probes."""
    place = Workspace(root=tmp_path_factory.mktemp("liars"))
    shutil.copytree(LIARS, place.tree)
    patch = PythonInjector().instrument(source_tree(checkout(LIARS), (".py",)), list(TRUTH))
    for path, text in patch.files.items():
        (place.tree / path).write_text(text)
    return place


@pytest.fixture(scope="module")
def tallies(place: Workspace) -> dict[str, MethodTally]:
    """Count the methods of some benchmarks, all at once; method → its tally in its own benchmark."""
    wanted = {f"test_elsewhere.py::{name}": f"elsewhere.{method}" for name, (method, _) in ELSEWHERE.items()}
    wanted |= BOUND | UNTIMED
    count = step(arm(Mode.COUNT, *TRUTH), invocations=2, iterations=1)
    blocks = [block(name, f"benchmarks/{name}", count, limit_s=60.0) for name in wanted]
    trials = executed(PytestBenchmarkSuite(), place, blocks)
    assert [(trial.status, trial.reason) for trial in trials] == [(Status.OK, "")] * len(blocks)
    return {
        wanted[trial.block]: trial.tally.of(f"liars.{wanted[trial.block]}") for trial in trials if trial.tally
    }


@pytest.fixture(scope="module")
def reached(place: Workspace, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Reach]:
    """Look for what first invocations and seldom ones do; test → what it reaches of its module."""
    harness = replace(
        invented_harness(tmp_path_factory.mktemp("session"), FakeSuite(lambda *_: None), LocalExecutor()),
        suite=PytestBenchmarkSuite(),
        workspace=place,
        settings=SETTINGS,
    )
    tests = ("filled_while_it_is_timed", "filled_before", "expiring", "put")
    names = [f"benchmarks/test_renewal.py::test_{test}" for test in tests]
    methods = [method for method in TRUTH if method.startswith(RENEWAL)]
    return dict(zip(tests, reach(harness, names, methods), strict=True))


def test_what_a_suite_times_of_its_first_invocation_is_open(reached: dict[str, Reach]) -> None:
    timed, untimed = reached["filled_while_it_is_timed"], reached["filled_before"]
    assert {RENEWAL + "Index.fill": "first"} == timed.elsewhere
    assert timed.first_part > 0.5
    assert ({}, 0.0) == (untimed.elsewhere, untimed.first_part)
    assert Cause.AT_FIRST is untimed.unreached(RENEWAL + "Index.fill")


@pytest.mark.parametrize(("test", "method"), [("expiring", "Expiring.load"), ("put", "Table.compact")])
def test_what_is_done_again_now_and_then_is_reached(
    reached: dict[str, Reach], test: str, method: str
) -> None:
    assert 0.0 < reached[test].calls[RENEWAL + method] < 1.0


@pytest.mark.parametrize(("method", "elsewhere"), ELSEWHERE.values(), ids=ELSEWHERE)
def test_work_that_others_do_is_told(tallies: dict[str, MethodTally], method: str, elsewhere: str) -> None:
    assert tallies[f"elsewhere.{method}"].elsewhere == elsewhere


@pytest.mark.parametrize("method", BOUND.values(), ids=BOUND)
def test_what_is_held_by_another_name_is_counted(tallies: dict[str, MethodTally], method: str) -> None:
    assert (tallies[method].calls, tallies[method].elsewhere) == (2, "")


@pytest.mark.parametrize("method", UNTIMED.values(), ids=UNTIMED)
def test_what_the_timed_region_does_not_execute_is_not_counted(
    tallies: dict[str, MethodTally], method: str
) -> None:
    assert tallies[method].calls == 0


def test_the_truth_is_told_of_methods_that_exist() -> None:
    listing = PythonInjector().api_methods(source_tree(checkout(LIARS), (".py",)))
    assert set(TRUTH) <= {method.id for method in listing.methods}
    assert len(TRUTH) >= 40


def test_benchmarks_that_a_probe_breaks_tell_without_probes_what_they_call(tmp_path: Path) -> None:
    place = Workspace(root=tmp_path)
    shutil.copytree(LIARS, place.tree)
    fragile = {"test_looked_at": "liars.fragile.looked_at", "test_source_of": "liars.fragile.source_of"}
    counted = step(arm(Mode.PROFILE, *TRUTH), invocations=2, iterations=1)
    blocks = [block(name, f"benchmarks/test_fragile.py::{name}", counted, limit_s=60.0) for name in fragile]
    trials = executed(PytestBenchmarkSuite(), place, blocks)
    calls = {
        trial.block: {name: tally.calls for name, tally in trial.tally.methods.items() if tally.calls}
        for trial in trials
        if trial.tally
    }
    assert calls == {name: {method: 2} for name, method in fragile.items()}
