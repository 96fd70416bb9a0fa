"""An earlier score beside this one: what was lost stands first, and no verdict is not worse."""

from dataclasses import replace

from abs_audit.analyses.audit.page import render
from abs_audit.analyses.score.against import turns
from abs_audit.analyses.score.text import against
from abs_audit.model.verdict import Verdict
from tests.support.builders import method, score
from tests.support.sessions import small

BEFORE = score(
    method("kept"), method("open"), method("gone"), method("lost"), method("won", Verdict.UNREACHED)
)
NOW = score(
    method("kept"),
    method("open", Verdict.NO_VERDICT),
    method("new", Verdict.MISSED),
    method("won"),
    method("lost", Verdict.MISSED),
)


def test_lost_methods_stand_first_then_those_that_are_won() -> None:
    found = turns(NOW, BEFORE)
    assert ["lost", "won", "open", "new", "gone"] == [turn.method for turn in found]
    assert [("lost", True, False), ("won", False, True)] == [
        (turn.method, turn.lost, turn.won) for turn in found if turn.lost or turn.won
    ]


def test_a_sentence_counts_them() -> None:
    expected = (
        "ABS 80% before, 40% now: 1 method noticed before and not now, 1 noticed anew, 3 other changes."
    )
    assert expected == against(NOW, BEFORE)
    assert against(NOW, NOW).endswith("every method has the verdict that it had.")


def test_the_page_shows_them_where_an_earlier_score_is_given() -> None:
    report = small()
    assert 'id="against"' not in render(report)
    page = render(replace(report, before=BEFORE))
    assert 'id="against"' in page and "not asked about" in page
