"""Every cause is a word of the documents and a sentence for people."""

import json
from pathlib import Path

import pytest

from abs_audit.model import sentences
from abs_audit.model.explanation import Cause, Explanation, NoTally, TallyGap

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("of", [sentences.of_cell, sentences.of_method])
def test_every_cause_but_a_detection_is_a_sentence(of) -> None:  # type: ignore[no-untyped-def]
    assert [Cause.NOTICED] == [cause for cause in Cause if not of(Explanation(cause=cause))]


def test_the_page_of_formats_and_the_schema_list_every_cause() -> None:
    page = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
    schema = (ROOT / "abs_audit/report/schemas/score.schema.json").read_text(encoding="utf-8")
    assert [] == [cause.value for cause in Cause if json.dumps(cause.value) not in schema]
    assert [] == [cause.value for cause in Cause if f"| `{cause.value}` |" not in page]


def test_every_gap_of_a_tally_is_told_with_its_arm() -> None:
    for gap in TallyGap:
        details = NoTally(gap=gap, probed="pkg.f", tally_of="mutant 0.5")
        told = sentences.of_cell(Explanation(cause=Cause.NO_TALLY, details=details))
        assert "the mutant 0.5 arm" in told
