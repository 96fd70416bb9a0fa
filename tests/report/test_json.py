import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import ValidationError

from abs_audit.analyses.audit.document import AuditDocument
from abs_audit.analyses.registry import schemas
from abs_audit.analyses.score import document
from abs_audit.analyses.score.document import ScoreDocument
from abs_audit.analyses.selection.document import SelectDocument
from abs_audit.analyses.stability.document import StabilityDocument
from abs_audit.analyses.stubs.document import StubsDocument
from abs_audit.analyses.trace.document import TraceDocument
from abs_audit.model.cells import Alike, Cells
from abs_audit.model.explanation import Cause, Explanation
from abs_audit.model.verdict import Verdict
from abs_audit.report.document import Document, dumps
from tests.support import builders as b
from tests.support import sessions
from tests.support.schemas import SCHEMAS, validate

SHIPPED = Path(str(files("abs_audit.report").joinpath("schemas")))
WHOLE = {"small": sessions.small(), "hostile": sessions.hostile(), "empty": b.report()}


def read_back(document: Document) -> dict[str, Any]:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(dumps(document), parse_constant=refuse)  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", WHOLE)
def test_every_document_of_a_session_satisfies_its_shipped_schema(name: str) -> None:
    whole = read_back(AuditDocument.read(WHOLE[name]))
    validate(whole)
    for part in ("list", "trace", "stability", "score", "sensitivity", "redundancy", "select", "stubs"):
        assert (whole[part] is None) == (name == "empty")
        if whole[part] is not None:
            validate(whole[part])


def test_what_changed_since_an_earlier_session_is_written_with_the_worst_first() -> None:
    earlier = b.score(b.method("m.lost"), b.method("m.won", Verdict.MISSED), b.method("m.kept"))
    later = b.score(
        b.method("m.new"), b.method("m.won"), b.method("m.lost", Verdict.MISSED), b.method("m.kept")
    )
    whole = read_back(AuditDocument.read(b.report(score=later, before=earlier)))
    validate(whole)
    assert round(100 * earlier.total, 6) == whole["against"]["total"]
    assert [
        {"method": "m.lost", "before": "detected", "now": "missed"},
        {"method": "m.won", "before": "missed", "now": "detected"},
        {"method": "m.new", "before": None, "now": "detected"},
    ] == whole["against"]["methods"]


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_every_schema_refuses_a_document_without_its_keys(name: str) -> None:
    with pytest.raises(ValidationError):
        validate({"schema": f"abs-audit/{name.removesuffix('.schema.json')}/1"})


def test_an_unknown_key_is_allowed_so_that_documents_may_grow() -> None:
    validate(read_back(ScoreDocument.read(sessions.small().score)) | {"later": 1})


def test_percentages_are_written_from_0_to_100_and_other_ratios_from_0_to_1() -> None:
    written = read_back(ScoreDocument.read(sessions.small().score))
    assert written["score"] == {
        "total": 64.705882,
        "relative": 58.823529,
        "absolute": 64.705882,
        "interval": [64.705882, 76.470588],
        "methods": 17,
        "detected": 11,
        "missed": 4,
        "unreached": 1,
        "no_verdict": 2,
        "variants_known": True,
    }
    assert written["methods"][0]["best_share"] == 0.98


def test_the_counts_of_verdicts_add_up_to_the_methods() -> None:
    totals = read_back(ScoreDocument.read(sessions.hostile().score))["score"]
    counted = sum(totals[key] for key in ("detected", "missed", "no_verdict"))
    assert totals["methods"] == counted == 12


def test_a_selection_states_its_scores_in_percent_and_its_gap_as_a_ratio() -> None:
    chosen = b.selection("x", score_kept=0.07, score_full=0.5, gap=0.25, optimal=False)
    written = read_back(SelectDocument.of(chosen, filter="-k x"))
    assert (written["score_kept"], written["score_full"], written["gap"]) == (7.0, 50.0, 0.25)
    assert written["filter"] == "-k x"


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_not_finite_becomes_null_where_null_is_allowed(number: float) -> None:
    cell = b.cell(
        "m",
        "b",
        share=number,
        requested=number,
        realised=number,
        difference_mean=number,
        difference_median=number,
        p_values=(number, 0.5),
    )
    written = read_back(ScoreDocument.read(b.score(b.method("m", best_share=number), cells=(cell,))))
    validate(written)
    assert written["cells"][0]["p_values"] == [None, 0.5]
    assert written["cells"][0]["share"] is None
    spread = b.spread("x", number, means=(number, 1.0), rsd=number)
    validate(read_back(StabilityDocument.read(b.stability(spread, slowdown=number, buckets=(0,) * 5))))


@pytest.mark.parametrize("field", ["total", "slowdown"])
def test_a_number_that_must_be_finite_is_refused_otherwise(field: str) -> None:
    broken = replace(b.score(b.method("m")), **{field: float("nan")})
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps(ScoreDocument.read(broken))


def test_the_written_text_is_plain_ascii_without_control_characters() -> None:
    text = dumps(AuditDocument.read(sessions.hostile()))
    assert text.isascii()
    assert [character for character in text if ord(character) < 32 and character != "\n"] == []


def test_a_trace_document_keeps_the_ranking() -> None:
    written = read_back(TraceDocument.of(b.trace(b.ranked("m2", 9, a=4, b=5), b.ranked("m1", 3))))
    assert [ranked["method"] for ranked in written["methods"]] == ["m2", "m1"]
    assert written["methods"][0] == {
        "method": "m2",
        "calls": 9,
        "projects": 2,
        "by_project": {"a": 4, "b": 5},
    }


def test_a_stub_that_was_not_tried_is_neither_detecting_nor_failing() -> None:
    written = read_back(
        StubsDocument(stubs=[b.stub("m", runs=False, detects=None, reason="needs a palette")])
    )
    validate(written)
    assert written["stubs"][0]["detects"] is None


def test_verdicts_are_written_as_the_glossary_spells_them() -> None:
    written = read_back(ScoreDocument.read(b.score(*(b.method(str(v), v) for v in Verdict))))
    assert [m["verdict"] for m in written["methods"]] == ["detected", "missed", "unreached", "no-verdict"]


def test_of_a_large_table_what_is_alike_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    alike = Alike(
        methods=("m", "n"),
        benchmarks=("x", "y"),
        verdict=Verdict.UNREACHED,
        explanation=Explanation(cause=Cause.NOT_CALLED),
        requested=0.4,
    )
    cells = Cells(listed=(b.cell("m", "x"),), alike=(alike,))
    score = b.score(b.method("m"), b.method("n", Verdict.UNREACHED), cells=cells)
    whole = read_back(ScoreDocument.read(score))
    assert (4, []) == (len(whole["cells"]), whole["alike"])

    monkeypatch.setattr(document, "LISTED", 3)
    written = read_back(ScoreDocument.read(score))
    assert [whole["cells"][0]] == written["cells"]
    (told,) = written["alike"]
    assert (["m", "n"], ["x", "y"], "unreached", "not-called") == tuple(
        told[name] for name in ("methods", "benchmarks", "verdict", "cause")
    )


def test_the_shipped_schemas_are_those_that_the_documents_generate() -> None:
    shipped = {path.name: path.read_text(encoding="utf-8") for path in SHIPPED.iterdir()}
    assert shipped == schemas(), "the documents have changed: make schemas"
