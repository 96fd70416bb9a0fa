"""A budget of time that ends before anything was measured: what is known is told all the same."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from abs_audit.analyses.score import further
from abs_audit.analyses.score.model import Unfinished
from abs_audit.analyses.score.record import ScoreRecord, recorded
from abs_audit.analyses.sensitivity import measure as sensitivity
from abs_audit.analyses.stability import measure as stability
from abs_audit.analyses.stability.measure import UnslowedRecord
from abs_audit.analyses.stubs import measure as stubs
from abs_audit.config import Settings
from abs_audit.experiment.projects import Project, open_projects
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.watch import BudgetEndedError, Watch
from abs_audit.model.explanation import Cause, Explanation
from abs_audit.model.verdict import Verdict
from tests.cli.conftest import Run
from tests.support.builders import cell
from tests.support.recorded_scores import keep, record
from tests.support.schemas import validate

BUDGET = ("--budget-time", "1ms")


def told(out: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(out)
    validate(document)
    return document


@pytest.fixture
def scored(run: Run, checkout: Path) -> Path:
    """A checkout whose score is recorded: one method, detected."""
    keep(checkout)
    return checkout


@pytest.mark.parametrize("slowdown", [("--slowdown", "0.5"), ()])
def test_a_score_that_had_no_time_leaves_every_method_without_a_verdict(
    run: Run, checkout: Path, slowdown: tuple[str, ...]
) -> None:
    code, out, err = run("score", str(checkout), "--method", "pkg.render", *slowdown, *BUDGET, "--json")
    assert 4 == code, err
    document = told(out)
    assert [("pkg.render", "no-verdict", "budget")] == [
        (method["method"], method["verdict"], method["cause"]) for method in document["methods"]
    ]
    assert [0, 100] == document["score"]["interval"]
    assert any("the time budget ended" in warning for warning in document["warnings"])
    told_of_noise = ["noise of the suite" in warning for warning in document["warnings"]]
    assert (0 if slowdown else 1) == sum(told_of_noise)


def test_what_was_known_before_is_neither_lost_nor_left_out(run: Run, scored: Path) -> None:
    asked = ("score", str(scored), "--slowdown", "0.5", "--method")
    code, out, _ = run(*asked, "pkg.render", *BUDGET, "--json", "--seed", "7")
    assert (4, ["no-verdict"]) == (code, [method["verdict"] for method in told(out)["methods"]])
    code, out, _ = run("report", str(scored), "--format", "json")
    assert ["detected"] == [method["verdict"] for method in json.loads(out)["score"]["methods"]]


def test_of_a_command_that_had_no_time_only_what_was_open_is_left_over(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An audit that settled all of 33 methods said that 33 of 33 are not."""
    (project,) = open_projects(checkout, Settings())
    late = Explanation(cause=Cause.BUDGET)
    cells = [cell("a", "x"), cell("a", "y", Verdict.NO_VERDICT, explanation=late)]
    cells += [cell("b", "x", Verdict.NO_VERDICT, explanation=late), cell("c", "x", Verdict.UNREACHED)]
    made, left = record(*cells), Unfinished(methods=1, further_s=30.0, at_least=False)
    earlier = replace(made, evidence=replace(made.evidence, unfinished=left))

    def ends(*_: object) -> None:
        raise BudgetEndedError

    monkeypatch.setattr(further, "measure", ends)
    runtime = cast(Runtime, SimpleNamespace(watch=Watch()))
    assert left == further.in_time(project, runtime, made.request, earlier).evidence.unfinished
    new = replace(made.request, methods=(*made.request.methods, "d"))
    unknown = Unfinished(methods=2, further_s=0.0, at_least=True)
    assert unknown == further.in_time(project, runtime, new, earlier).evidence.unfinished


def test_a_sensitivity_that_had_no_time_says_so_and_not_that_nothing_is_noticed(
    run: Run, scored: Path
) -> None:
    code, out, err = run("sensitivity", str(scored), *BUDGET, "--json")
    assert 4 == code, err
    (method,) = told(out)["methods"]
    assert (None, False, False) == (method["smallest_noticed"], method["confirmed"], method["known"])
    _, out, _ = run("sensitivity", str(scored), *BUDGET)
    assert "ever be noticed" not in out
    assert "not known" in out


def test_proposals_that_had_no_time_are_not_tried_to_the_end(run: Run, checkout: Path) -> None:
    keep(checkout, Verdict.MISSED)
    code, out, err = run("stubs", str(checkout), *BUDGET, "--json")
    assert 4 == code, err
    (stub,) = told(out)["stubs"]
    assert ("pkg.render", False, None) == (stub["method"], stub["finished"], stub["detects"])


def test_an_audit_that_had_no_time_is_a_document_too(run: Run, checkout: Path) -> None:
    code, out, err = run("audit", str(checkout), "--method", "pkg.render", *BUDGET, "--json")
    assert 4 == code, err
    (method,) = told(out)["score"]["methods"]
    assert ("no-verdict", "budget") == (method["verdict"], method["cause"])
    # Which methods are asked is not known either where the budget ended in the trace.
    code, out, err = run("audit", str(checkout), "--downstream", str(checkout), *BUDGET, "--json")
    assert 4 == code, err
    assert told(out)["score"] is None


def test_a_report_of_an_audit_that_had_no_time_blames_no_changed_sources(run: Run, checkout: Path) -> None:
    run("audit", str(checkout), "--method", "pkg.render", *BUDGET)
    code, _, err = run("report", str(checkout))
    assert (2, True) == (code, "the time budget ended before anything was settled of lib" in err), err


def test_an_audit_comes_to_what_a_maintainer_acts_on_before_it_executes_the_whole_suite(
    run: Run, scored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(*_: object) -> None:
        raise BudgetEndedError

    monkeypatch.setattr(further, "measure_missing", lambda project, runtime, *_: recorded(project, runtime))
    monkeypatch.setattr(stability, "known_or_measured", ends)
    monkeypatch.setattr(sensitivity, "measure", ends)
    monkeypatch.setattr(stability, "of_benchmarks", lambda *_: UnslowedRecord(spreads=()))
    _, out, err = run("audit", str(scored), "--method", "pkg.render", "--slowdown", "0.5", "--json")
    audit = told(out)
    assert audit["stability"] is None, err
    assert None not in (audit["redundancy"], audit["select"], audit["stubs"])
    # Nothing was to be proposed: no copy was built to try it in.
    assert not Path("cache").exists()


def test_an_audit_answers_more_before_it_settles_the_cells_that_change_no_verdict(
    run: Run, scored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two thirds of the budget end while cells are left of methods that have their verdicts."""
    asked: list[str] = []
    left = iter([Unfinished(methods=methods, further_s=9.0, at_least=False) for methods in (1, 0, 0)])

    def some_time(project: Project, runtime: Runtime, *_: object) -> ScoreRecord:
        known = recorded(project, runtime)
        assert known is not None
        part = (runtime.watch.remaining_s or 0.0) < 601.0
        asked.append("score in two thirds" if part else "score")
        return replace(known, evidence=replace(known.evidence, unfinished=next(left)))

    def noted(*_: object) -> Any:
        asked.append("proposals")
        return SimpleNamespace(interrupted=False)

    monkeypatch.setattr(further, "measure_missing", some_time)
    monkeypatch.setattr(stubs, "measure", noted)

    def part_of_it(*_: object) -> None:
        asked.append("stability")
        raise BudgetEndedError

    monkeypatch.setattr(sensitivity, "measure", noted)
    monkeypatch.setattr(stability, "known_or_measured", part_of_it)
    monkeypatch.setattr(stability, "of_benchmarks", lambda *_: UnslowedRecord(spreads=()))
    words = ("audit", str(scored), "--method", "pkg.render", "--slowdown", "0.5", "--budget-time", "900s")
    _, out, err = run(*words, "--json")
    assert ["score in two thirds", "score", "proposals", "proposals", "stability", "score"] == asked
    audit = told(out)
    assert audit["select"] is not None, err
    # Which benchmarks watch the same is known once all cells are.
    assert audit["redundancy"] is None


@pytest.mark.parametrize(
    ("later", "stages"),
    [
        (Verdict.DETECTED, ["score", "proposals", "score", "sensitivity"]),
        # With it another method waits for a benchmark.
        (Verdict.UNREACHED, ["score", "proposals", "score", "proposals", "sensitivity"]),
    ],
)
def test_where_more_methods_wait_for_a_benchmark_than_for_a_verdict_proposals_come_first(
    run: Run, scored: Path, monkeypatch: pytest.MonkeyPatch, later: Verdict, stages: list[str]
) -> None:
    """Two methods of 424 took what was left of four minutes, and of 418 proposals none was tried."""
    benchmark, noted = "benchmarks/test_it.py::test_render", []
    late = Explanation(cause=Cause.BUDGET)
    uncalled = [cell(f"pkg.other{number}", benchmark, Verdict.UNREACHED) for number in range(2)]
    first = cell("pkg.render", benchmark, Verdict.NO_VERDICT, explanation=late)
    second = cell("pkg.render", benchmark, later)
    records = [
        replace(made, evidence=replace(made.evidence, unfinished=left))
        for made, left in (
            (record(first, *uncalled), Unfinished(methods=1, further_s=9.0, at_least=False)),
            (record(second, *uncalled), None),
        )
    ]

    def note(stage: str, answer: Any) -> Any:
        noted.append(stage)
        return answer

    def ends() -> None:
        raise BudgetEndedError

    monkeypatch.setattr(further, "measure_missing", lambda *_: note("score", records.pop(0)))
    tried = SimpleNamespace(interrupted=False)
    monkeypatch.setattr(stubs, "measure", lambda *_: note("proposals", tried))
    monkeypatch.setattr(sensitivity, "measure", lambda *_: note("sensitivity", None))
    monkeypatch.setattr(stability, "known_or_measured", lambda *_: ends())
    unslowed = UnslowedRecord(durations={benchmark: 0.5})
    monkeypatch.setattr(stability, "of_benchmarks", lambda *_: unslowed)
    words = ("audit", str(scored), "--method", "pkg.render", "--slowdown", "0.5", "--budget-time", "900s")
    _, _, err = run(*words, "--json")
    assert stages == noted, err


def test_an_audit_that_ends_with_methods_left_chooses_from_what_is_known(
    run: Run, scored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 34 methods 32 had verdicts, and nothing was said of a subset."""
    benchmark = "benchmarks/test_it.py::test_render"

    def most(*_: object) -> ScoreRecord:
        left = Unfinished(methods=1, further_s=9.0, at_least=False)
        slow = cell("pkg.slow", benchmark, Verdict.NO_VERDICT, explanation=Explanation(cause=Cause.BUDGET))
        made = record(cell("pkg.render", benchmark), slow)
        return replace(made, evidence=replace(made.evidence, unfinished=left))

    monkeypatch.setattr(further, "measure_missing", most)
    unslowed = UnslowedRecord(durations={benchmark: 0.5})
    monkeypatch.setattr(stability, "of_benchmarks", lambda *_: unslowed)
    code, out, err = run("audit", str(scored), "--method", "pkg.render", "--slowdown", "0.5", "--json")
    audit = told(out)
    assert (4, [benchmark], 1) == (code, audit["select"]["chosen"], audit["select"]["undecided"]), err
    assert (None, None) == (audit["redundancy"], audit["stubs"])


def test_all_suites_of_a_checkout_are_told(run: Run, checkout: Path) -> None:
    (checkout / "benchmarks" / "benchmarks.py").write_text(
        "class Suite:\n    def time_it(self):\n        pass\n"
    )
    (checkout / "asv.conf.json").write_text(
        '{"version": 1, "project": "pkg", "repo": ".", "benchmark_dir": "benchmarks"}'
    )
    asked = ("score", str(checkout), "--method", "pkg.render", "--slowdown", "0.5")
    code, out, err = run(*asked, *BUDGET, "--json")
    assert 4 == code, err
    assert 2 == len(told(out)["suites"])
