"""Which slowdown follows from what, and that it stays the same."""

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from abs_audit.analyses.score import slowdown
from abs_audit.analyses.score.record import Request
from abs_audit.analyses.score.slowdown import Slowdown, known_slowdown, of_a_part
from abs_audit.analyses.stability import measure as stability
from abs_audit.analyses.stability.measure import StabilityRecord, UnslowedRecord
from abs_audit.analyses.stability.model import BenchmarkSpread
from abs_audit.analyses.stability.model import stability as stability_of
from abs_audit.config import Settings
from abs_audit.errors import ControlFailedError
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.session import Session
from abs_audit.experiment.unslowed_runs import SuiteRuns
from abs_audit.experiment.watch import BudgetEndedError, Watch
from abs_audit.model.subject import Benchmark, Discovery

ASKED = Request(methods=("m",), source="", slowdown=None, protocol="switched", settle_all=True)
LISTED = tuple(Benchmark(id=name, parameters={}) for name in "abcd")


def project(**settings: Any) -> Project:
    return cast(Project, SimpleNamespace(digest="digest", settings=Settings(**settings)))


def runtime(folder: Path, budget_s: float | None) -> Runtime:
    return Runtime(
        executor=cast(Any, None),
        session=Session(folder / "session.db"),
        progress=lambda *_: None,
        watch=Watch(budget_s),
    )


@pytest.fixture
def spreads(monkeypatch: pytest.MonkeyPatch) -> dict[str, float | None]:
    """Benchmark → maxSpread, of those that a part of a budget is enough for."""
    told: dict[str, float | None] = {}

    def spread_out(*_: object) -> UnslowedRecord:
        measured = (
            BenchmarkSpread(benchmark=name, max_spread=value, means=(), rsd=None)
            for name, value in told.items()
        )
        failures = {name: "no engine" for name, value in told.items() if value is None}
        return UnslowedRecord(spreads=tuple(measured), failures=failures)

    monkeypatch.setattr(stability, "spread_out", spread_out)
    monkeypatch.setattr(slowdown, "listing", lambda *_: Discovery(benchmarks=LISTED, broken=()))
    return told


def test_under_a_budget_a_part_of_the_suite_tells_it_and_it_stays(
    tmp_path: Path, spreads: dict[str, float | None]
) -> None:
    spreads |= {"a": 0.1, "b": 0.2, "c": None}
    assert known_slowdown(project(), runtime(tmp_path, 60.0), ASKED) is None
    told = of_a_part(project(), runtime(tmp_path, 60.0), ["a"])
    assert 0.2 == told.value
    assert "3 of 4 benchmarks" in told.remark
    for budget_s in (60.0, None):
        assert told == known_slowdown(project(), runtime(tmp_path, budget_s), ASKED)
    asked = replace(ASKED, slowdown=0.5)
    assert Slowdown(value=0.5) == known_slowdown(project(), runtime(tmp_path, 60.0), asked)
    assert known_slowdown(project(benchmarks=("a", "d")), runtime(tmp_path, 60.0), ASKED) is None


def test_the_whole_suite_within_a_budget_needs_no_remark(
    tmp_path: Path, spreads: dict[str, float | None]
) -> None:
    spreads |= dict.fromkeys("abcd", 0.01)
    told = of_a_part(project(), runtime(tmp_path, 60.0), [])
    assert Slowdown(value=slowdown.LEAST_SLOWDOWN) == told


def test_what_is_known_of_the_whole_suite_is_taken(tmp_path: Path) -> None:
    within = runtime(tmp_path, 60.0)
    values = ((1.0,), (1.25,), (1.25,))
    kept = StabilityRecord(
        discovery=Discovery(benchmarks=LISTED, broken=()),
        runs=SuiteRuns(values={"a": values}, durations={}),
        result=stability_of({"a": values}),
    )
    within.session.store("digest", stability.KIND, kept)
    told = known_slowdown(project(), within, ASKED)
    assert told
    assert math.isclose(2 * 0.25 / (3.5 / 3), told.value)
    assert "" == told.remark


@pytest.mark.parametrize(
    ("failing", "error"), [("ab", BudgetEndedError), ("abcd", ControlFailedError)], ids=["some", "all"]
)
def test_without_noise_there_is_none(
    tmp_path: Path, spreads: dict[str, float | None], failing: str, error: type[Exception]
) -> None:
    """Others may have noise where there is more time."""
    spreads |= dict.fromkeys(failing)
    within = runtime(tmp_path, 60.0)
    with pytest.raises(error) as raised:
        of_a_part(project(), within, [])
    assert (error is ControlFailedError) == (
        "all of 4 benchmarks fail as they are: no engine;" in str(raised.value)
    )
    assert known_slowdown(project(), within, ASKED) is None
    assert (error is BudgetEndedError) == within.watch.ended


def test_noise_is_left_where_building_without_probes_takes_all_that_is_left(
    tmp_path: Path, spreads: dict[str, float | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """fiber's build of 90 s was begun twice in what three minutes left, instead of counting calls."""
    spreads["a"] = 0.1
    monkeypatch.setattr(Watch, "phases", lambda _: {"build": 90.0})
    assert of_a_part(project(), runtime(tmp_path / "long", 100.0), [])
    with pytest.raises(BudgetEndedError):
        of_a_part(project(), runtime(tmp_path / "short", 80.0), [])
