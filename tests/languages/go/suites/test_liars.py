"""Benchmarks that tempt to a wrong verdict: what the tallies of their methods say.

All of them are scored by benchmarks/liars.py; here are those whose answer needs no clock.
"""

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.execution.local import LocalExecutor
from abs_audit.execution.workspace import checkout, source_tree
from abs_audit.experiment.counting import reach
from abs_audit.injectors.go.injector import GoInjector
from abs_audit.model.experiment import Mode, Workspace
from abs_audit.model.measurement import Status
from tests.support.fake_executor import FakeSuite, speaking
from tests.support.fake_executor import harness as invented_harness
from tests.support.go_subjects import SUITE, executed, prepared, probed, settings, workspace
from tests.support.python_subjects import arm, block, step

LIARS = Path(__file__).parents[4] / "fixtures" / "liars" / "go"
TRUTH: dict[str, bool] = json.loads((LIARS / "truth.json").read_text())
PACKAGE = "example.com/liars"
FEW, MANY = 2, 12
CALLS: dict[str, dict[str, float]] = {
    "Receivers/value": {"Dial.Value": 1},
    "Receivers/pointer": {"(*Dial).Pointer": 1},
    "Receivers/method_value": {"(*Dial).Bound": 1},
    "Receivers/expression(*T)": {"(*Dial).Expressed": 1},
    "Receivers/embedded^twice$": {"(*Dial).Turn": 1},
    "Receivers/shadowed/a+b": {"Panel.Shadowed": 1},
    "Figures": {"Square.Area": 9, "(*Circle).Area": 1},
    "Serve": {"HandlerFunc.Serve": 1, "Handled": 1},
    "Hooking": {"Hooking": 1},
    "Table": {"InTable": 1},
    "Endings/deferred": {"Deferred": 1},
    "Endings/many_defers": {"ManyDefers": 1},
    "Endings/recovering": {"Recovering": 1},
    "Endings/panicking": {"Panicking": 1},
    "Exiting": {"Exiting": 1},
    "Arguments/variadic": {"Variadic": 1},
    "Recursion/self": {"Recursive": 10},
    "Recursion/mutual": {"Even": 6},
    "Stack": {"(*Stack).Push": 2, "(*Stack).Len": 1},
    "Swapped": {"Pair.Swapped": 1},
    "Map": {"Map": 1, "Largest": 1},
    "Text/json": {"(*Text).MarshalJSON": 1},
    "Text/errors": {"(*Text).Is": 1},
    "Prepared": {},
    "NotReset": {},
    "Paused": {"Resumed": 1},
    "Loop": {"InLoop": 1},
    "PerN": {},
    "Stopped": {},
    "Twice": {"Twice": 1},
    "Readied": {"Readied": 1},
    "Parallel": {"Parallel": 1},
    "HalfOfN": {"HalfOfN": 0.5},
    "TwiceN": {"TwiceN": 2},
    "Cache/hit": {"(*Cache).Hit": 1},
    "Cache/miss": {"Rendered": 1},
    "Cache/once": {"(*Cache).Loaded": 1},
    "Cache/pool": {"(*Cache).Borrowed": 1},
    "Cache/taken": {"Filled": 1},
    "Spreading": {"Spread": 4},
    "Server": {"Answered": 1},
    "Asked": {"(*Server).Ask": 1, "Answered": 1},
    "Car": {"engine.Engine.Start": 1, "engine.Engine.Idle": 1},
    "Platform": {"Platform": 1, "Tagged": 1},
    "AllAtOnce": {},
    "Pulled": {"Pulled": 3},
    "Sized": {"(*Sized).Light": 1},
    "Pipelined": {"Produced": 4, "Consumed": 4},
    "External": {"External": 1},
}
"""Benchmark → calls an invocation of all methods that the timed region calls."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Return a build in which all methods carry probes."""
    place = workspace(tmp_path_factory.mktemp("liars"))
    place.tree.rmdir()
    shutil.copytree(LIARS, place.tree)
    assert probed(place, list(TRUTH)).instrumented == tuple(TRUTH)
    assert prepared(place, settings()).exit_code == 0
    return place


@pytest.fixture(scope="module")
def calls(place: Workspace) -> Mapping[str, Mapping[str, float]]:
    """Count all methods in all benchmarks of the table: what grows with the invocations."""
    counted = [
        step(arm(Mode.COUNT, *TRUTH), invocations=number, iterations=1, warmup=0) for number in (FEW, MANY)
    ]
    blocks = [block(name, f"{PACKAGE}.Benchmark{name}", *counted, limit_s=60.0) for name in CALLS]
    trials = executed(place, settings(), blocks)
    assert [(trial.status, trial.reason) for trial in trials] == [(Status.OK, "")] * 2 * len(blocks)
    grown: dict[str, dict[str, float]] = {}
    for few, many in zip(trials[::2], trials[1::2], strict=True):
        assert few.tally is not None
        assert many.tally is not None
        more = {
            method.rpartition("/")[2].removeprefix("liars."): counted.calls - few.tally.methods[method].calls
            for method, counted in many.tally.methods.items()
        }
        grown[many.block] = {method: number / (MANY - FEW) for method, number in more.items() if number}
    return grown


@pytest.mark.parametrize("name", CALLS)
def test_what_the_timed_region_calls_is_counted_and_nothing_else(
    calls: Mapping[str, Mapping[str, float]], name: str
) -> None:
    assert calls[name] == CALLS[name]


def test_looks_at_the_stack_leave_out_what_comes_before_the_timer_is_reset(place: Workspace) -> None:
    method = f"{PACKAGE}.PerN"
    looks = step(arm(Mode.SAMPLE, method), invocations=300_000, iterations=1, warmup=0)
    (trial,) = executed(place, settings(), [block("b", f"{PACKAGE}.BenchmarkPerN", looks, limit_s=60.0)])
    assert trial.tally is not None
    assert trial.tally.samples >= 10
    assert (0, 0) == (trial.tally.methods[method].samples, trial.tally.methods[method].samples_outside)


def test_what_a_cache_loads_again_when_its_entry_expires_is_reached(place: Workspace, tmp_path: Path) -> None:
    harness = replace(
        speaking(invented_harness(tmp_path, FakeSuite(lambda *_: None), LocalExecutor()), warmup=0),
        suite=SUITE,
        workspace=place,
        settings=settings(),
    )
    expiring, kept = reach(harness, [f"{PACKAGE}.BenchmarkExpiring", f"{PACKAGE}.BenchmarkKept"], list(TRUTH))
    assert 0.0 < expiring.calls[f"{PACKAGE}.(*Expiring).Reload"] < 0.5
    assert 0.0 < kept.calls[f"{PACKAGE}.(*Kept).Refill"] < 0.5


def test_the_truth_is_told_of_methods_that_exist() -> None:
    tree = source_tree(checkout(LIARS), (".go", "go.mod"))
    assert set(TRUTH) <= {method.id for method in GoInjector().all_functions(tree)}
    assert len(TRUTH) >= 40


def test_the_table_names_benchmarks_as_the_suite_does() -> None:
    assert SUITE.filter([f"{PACKAGE}.BenchmarkReceivers/shadowed/a+b"]) == (
        r"^BenchmarkReceivers$/^shadowed$/^a\+b$"
    )
