"""Gates of a score: what fails them, and what a project lives with."""

from datetime import date

import pytest

from abs_audit.cli.score import worse_than
from abs_audit.errors import ExitCode
from abs_audit.model.accepted import AcceptedEntry, AcceptList
from abs_audit.model.verdict import Verdict
from tests.support import builders as b

BEFORE = b.score(b.method("lib.render"), b.method("lib.parse"))
NOW = b.score(b.method("lib.render", Verdict.MISSED), b.method("lib.parse"))


def accepting(*names: str) -> AcceptList:
    entries = tuple(AcceptedEntry(id=name, reason="it is to be removed") for name in names)
    return AcceptList(entries=entries, today=date(2026, 5, 4))


def test_a_method_that_was_detected_and_is_not_fails_the_gate(capsys: pytest.CaptureFixture[str]) -> None:
    assert ExitCode.GATE_FAILED is worse_than(NOW, BEFORE, accepting("lib.parse"))
    assert "abs-audit: lib.render was detected before and is not now\n" == capsys.readouterr().err


def test_one_that_is_accepted_does_not_and_is_told_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert ExitCode.DONE is worse_than(NOW, BEFORE, accepting("lib.render"))
    told = "abs-audit: lib.render was detected before and is not now; accepted: it is to be removed\n"
    assert told == capsys.readouterr().err


def test_nothing_fails_without_an_earlier_score() -> None:
    assert ExitCode.DONE is worse_than(NOW, None, accepting())
