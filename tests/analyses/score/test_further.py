"""One more method asked of what was answered before: which of them are measured?"""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from abs_audit.analyses.score import further
from abs_audit.analyses.score.combining import completed, kept_beside, of_methods, together
from abs_audit.analyses.score.further import still_missing
from abs_audit.analyses.score.model import Cost, Evidence, ScoreSettings, Unfinished, score
from abs_audit.analyses.score.record import Identity, Request, ScoreRecord, recorded
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.session import Session
from abs_audit.experiment.watch import BudgetEndedError
from abs_audit.model.cells import Cells
from abs_audit.model.explanation import Cause, Explanation
from abs_audit.model.verdict import CellVerdict, FalseAlarms, Verdict
from tests.support.builders import cell, spread

COST = Cost(total_s=1.0, benchmark_s=1.0, build_s=1.0, paper_protocol_s=None)
SETTINGS = ScoreSettings(
    protocol="switched", slowdown=0.5, runs=2, false_alarms=FalseAlarms(cells=3, alarms=0), cost=COST
)


def request(*methods: str) -> Request:
    return Request(methods=methods, source="here", slowdown=0.5, protocol="switched", settle_all=True)


def record(*cells: CellVerdict) -> ScoreRecord:
    methods = tuple(dict.fromkeys(made.method for made in cells))
    evidence = Evidence(methods=methods, cells=Cells.of(cells), skipped=(), spreads={"b": 0.1})
    return ScoreRecord(
        request=request(*methods),
        context="c",
        trials=1,
        shares={},
        identity=Identity(subject="s", framework="f", sources="d"),
        evidence=evidence,
        result=score(evidence, SETTINGS),
    )


def open_cell(method: str) -> CellVerdict:
    return replace(cell(method, "b", Verdict.NO_VERDICT), explanation=Explanation(cause=Cause.BUDGET))


def test_only_methods_without_an_answer_are_measured() -> None:
    earlier = record(cell("m", "b"), cell("n", "b", Verdict.MISSED))
    assert still_missing(earlier, request("m", "n", "o")) == ("o",)
    assert still_missing(earlier, request("n")) == ()


def test_what_a_budget_left_over_goes_on_in_its_own_build() -> None:
    earlier = record(cell("m", "b"), open_cell("n"))
    assert still_missing(earlier, request("m", "n")) == ("m", "n")
    # With another method there is another build anyway; only what is open is in it.
    assert still_missing(earlier, request("m", "n", "o")) == ("n", "o")


def test_what_probes_changed_is_measured_again_with_fewer_of_them() -> None:
    changed = replace(open_cell("n"), explanation=Explanation(cause=Cause.CHANGED_BY_PROBE))
    earlier = record(cell("m", "b"), changed, replace(changed, method="o"), cell("o", "c"))
    assert still_missing(earlier, request("m", "n", "o")) == ()
    assert still_missing(earlier, request("n", "o")) == ("n",)


def test_a_budget_that_ended_in_a_later_build_goes_on_in_that_one() -> None:
    older, newer = record(cell("m", "b")), record(open_cell("n"), cell("o", "b"))
    whole = together(request("m", "n", "o"), [newer, of_methods(older, ["m"])])
    assert [made.method for made in whole.result.methods] == ["m", "n", "o"]
    assert still_missing(whole, request("m", "n", "o")) == ("n", "o")


def test_what_was_settled_is_kept_where_going_on_ends_before_it_is_as_far() -> None:
    """The second part of an audit's budget takes the way of the first anew."""
    before = record(cell("m", "b"), cell("n", "b", Verdict.MISSED), open_cell("o"))
    now = record(open_cell("m"), open_cell("n"), open_cell("o"))
    left = Unfinished(methods=3, further_s=9.0, at_least=False)
    now = replace(now, evidence=replace(now.evidence, unfinished=left))
    both = kept_beside(now, before)
    assert both.evidence.cells == before.evidence.cells
    assert both.evidence.unfinished == replace(left, methods=1)
    assert [made.verdict for made in both.result.methods] == [
        Verdict.DETECTED,
        Verdict.MISSED,
        Verdict.NO_VERDICT,
    ]


def test_what_is_measured_now_counts_whatever_was_said_before() -> None:
    now = record(cell("m", "b", Verdict.NO_VERDICT), cell("n", "b", Verdict.MISSED))
    assert kept_beside(now, record(cell("m", "b"), cell("n", "b"))) is now


def test_nothing_is_left_over_where_all_that_is_open_now_was_settled_before() -> None:
    before, now = record(cell("m", "b")), record(open_cell("m"))
    left = Unfinished(methods=1, further_s=9.0, at_least=False)
    now = replace(now, evidence=replace(now.evidence, unfinished=left))
    assert kept_beside(now, before).is_complete


def test_a_cell_that_was_measured_without_a_verdict_is_not_measured_again() -> None:
    disturbed = replace(
        cell("m", "b", Verdict.NO_VERDICT), explanation=Explanation(cause=Cause.UNCERTAIN_SHARE)
    )
    assert still_missing(record(disturbed), request("m")) == ()


def test_spreads_that_were_measured_after_the_verdicts_count_in_relative_and_absolute_scores() -> None:
    whole = record(cell("m", "b"), cell("n", "b", Verdict.MISSED))
    before = replace(whole, evidence=replace(whole.evidence, spreads={"b": None, "c": 0.3}))
    before = replace(before, result=score(before.evidence, SETTINGS))
    later = completed(before, [spread("b", 0.1), spread("c", 0.9), spread("d", None)])
    assert (before.result.absolute, later.result.absolute) == (0.0, 0.5)
    assert later.evidence.spreads == {"b": 0.1, "c": 0.3}
    assert any("without a maxSpread" in warning for warning in before.result.warnings)
    assert not any("without a maxSpread" in warning for warning in later.result.warnings)
    assert completed(later, [spread("b", 0.2)]) is later


PROJECT = cast(Project, SimpleNamespace(digest="digest"))


@pytest.fixture
def runtime(tmp_path: Path) -> Runtime:
    return Runtime(
        executor=cast(Any, None), session=Session(tmp_path / "session.db"), progress=lambda *_: None
    )


def test_what_a_command_has_answered_is_not_lost_where_it_goes_on(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """starlark-go has broken benchmarks, so no list is kept: an audit in the end knew nothing."""

    def ended(*_: object) -> ScoreRecord:
        raise BudgetEndedError

    monkeypatch.setattr(further, "measure", ended)
    before = record(cell("m", "b"), open_cell("n"))
    monkeypatch.setattr(further, "identity", lambda _: before.identity)
    after = further.measure_missing(PROJECT, runtime, request("m", "n"), before)
    assert after.evidence.cells == before.evidence.cells


def test_what_only_counts_have_told_is_kept_where_nothing_else_is(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """fiber's plain build outlasted the budget: the audit's second try knew nothing of what was counted."""
    counted = record(open_cell("m"), cell("n", "b", Verdict.UNREACHED))
    for measured in (counted, record(open_cell("m"), open_cell("n"))):
        monkeypatch.setattr(further, "measure", lambda *_, measured=measured: measured)
        assert measured == further.in_time(PROJECT, runtime, request("m", "n"))
        assert counted == recorded(PROJECT, runtime)


def test_what_counts_have_told_is_kept_where_the_command_had_no_time_for_them_at_first(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = record(open_cell("m"), cell("n", "b", Verdict.UNREACHED))
    nothing = replace(counted, evidence=replace(counted.evidence, cells=Cells()))
    monkeypatch.setattr(further, "measure", lambda *_: counted)
    assert counted == further.measure_missing(PROJECT, runtime, request("m", "n"), nothing)
    assert counted == recorded(PROJECT, runtime)


def test_that_a_score_is_a_shards_is_told_however_it_is_added_to() -> None:
    part = "only shard 1/3 of the benchmarks"
    now = record(cell("m", "b"), open_cell("n"))
    now = replace(now, evidence=replace(now.evidence, part=part))
    before = record(cell("m", "b"), cell("n", "b"))
    both = together(request("m", "n"), [now, before])
    for whole in (kept_beside(now, before), completed(now, [spread("c", 0.1)]), both):
        assert part in whole.result.warnings
