"""A proposed benchmark that keeps others from being built is tried no further, and costs them nothing."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from abs_audit.analyses.stubs import measure as stubbing
from abs_audit.errors import ControlFailedError
from abs_audit.experiment.interleaved import Injection
from abs_audit.experiment.preparation import Prepared, Project, Runtime
from abs_audit.experiment.watch import BudgetEndedError
from abs_audit.interfaces import Stub
from abs_audit.model.stub import StubOutcome
from abs_audit.model.subject import BrokenBenchmark

NOBODY = cast(Any, None)


def proposed(name: str) -> Stub:
    return Stub(method=name, path=f"p/{name}_test.go", text=name, benchmark=f"m/p.Benchmark{name}", reason="")


class Build:
    """Stands for the building of copies: refuses what is told, in the way that is told."""

    def __init__(self, refused: Mapping[str, str], raises: bool) -> None:
        self.refused, self.raises = refused, raises
        self.files: list[list[str]] = []

    @contextlib.contextmanager
    def prepare(
        self, _: Project, __: Runtime, ___: Sequence[str], files: Mapping[str, str]
    ) -> Iterator[Prepared]:
        self.files.append(sorted(files.values()))
        bad = next((message for name, message in self.refused.items() if name in files.values()), "")
        if bad and self.raises:
            raise ControlFailedError(bad)
        broken = (BrokenBenchmark(id="m/p.BenchmarkTheirs", reason=bad),) if bad else ()
        yield cast(Prepared, SimpleNamespace(discovery=SimpleNamespace(benchmarks=(), broken=broken)))


def tried(build: Build, monkeypatch: pytest.MonkeyPatch, *names: str) -> list[tuple[str, str]]:
    """Return method and reason of each proposal as it comes to its trial."""

    def outcomes(_: Prepared, stubs: Sequence[Stub], __: Injection) -> tuple[StubOutcome, ...]:
        return tuple(
            StubOutcome(
                method=one.method, file="", compiles=False, runs=False, detects=None, reason=one.reason
            )
            for one in stubs
        )

    monkeypatch.setattr(stubbing, "prepare", build.prepare)
    monkeypatch.setattr(stubbing, "_try", outcomes)
    found = stubbing._tried(NOBODY, NOBODY, (), [proposed(name) for name in names], NOBODY)
    return [(one.method, one.reason) for one in found]


@pytest.mark.parametrize("raises", [True, False])
def test_what_does_not_compile_is_left_out_and_says_why(
    raises: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = {name: f"does not compile: ./{name}_test.go:7:2: undefined: x" for name in ("Bad", "Worse")}
    build = Build(messages, raises)
    expected = [("Good", ""), ("Bad", messages["Bad"]), ("Worse", messages["Worse"])]
    assert tried(build, monkeypatch, "Good", "Bad", "Worse") == expected
    assert build.files == [["Bad", "Good", "Worse"], ["Good", "Worse"], ["Good"]]


def test_a_control_that_fails_without_proposals_stays_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    build = Build({"Good": "the disk is full"}, raises=True)
    with pytest.raises(ControlFailedError, match="the disk is full"):
        tried(build, monkeypatch, "Good")


def test_a_proposal_that_breaks_only_itself_is_tried_with_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = (BrokenBenchmark(id="m/p.BenchmarkBad", reason="panics in ./Bad_test.go:9"),)
    found = stubbing._spoiling(broken, [proposed("Bad")], ["p/Bad_test.go"])
    assert found == {}


def test_a_budget_that_ends_before_shares_are_known_leaves_no_stub_without_its_trial(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Said before: it runs, but does not call the method in its timed loop."""
    cut_short = SimpleNamespace(ended=True, reach={}, shares={}, failed={})
    monkeypatch.setattr(stubbing, "Profiler", lambda *_: SimpleNamespace(learn_all=lambda: cut_short))
    prepared = SimpleNamespace(
        discovery=SimpleNamespace(benchmarks=(), broken=()),
        harness=None,
        patch=SimpleNamespace(instrumented=()),
        iteration_s=0.01,
        project=SimpleNamespace(settings=SimpleNamespace(seed=0)),
    )
    with pytest.raises(BudgetEndedError):
        stubbing._try(cast(Prepared, prepared), [proposed("Good")], NOBODY)
