"""What a project accepts is not told, until its day has passed."""

from datetime import date

from abs_audit.analyses.lint.model import Accepted, LintResult, judged
from abs_audit.model.lint import Lint, Rule

TODAY = date(2026, 5, 4)
MISTAKE = Lint(rule=Rule.SLEEP_TIMED, path="benchmarks/test_a.py", line=7, benchmark="test_poll")


def accepted(until: date | None = None, id: str = MISTAKE.id) -> Accepted:
    return Accepted(id=id, reason="it measures waiting", until=until)


def result(**changes: tuple[object, ...]) -> LintResult:
    return LintResult(**({"lints": (), "accepted": (), "expired": (), "unused": ()} | changes))  # type: ignore[arg-type]


def test_what_nobody_accepts_is_told() -> None:
    assert result(lints=(MISTAKE,)) == judged([MISTAKE], {}, TODAY)


def test_what_is_accepted_is_not_told_up_to_its_day() -> None:
    for until in (None, TODAY):
        entry = accepted(until)
        assert result(accepted=(entry,)) == judged([MISTAKE], {entry.id: entry}, TODAY)


def test_an_expired_entry_is_told_with_its_mistake() -> None:
    entry = accepted(date(2026, 5, 3))
    assert result(lints=(MISTAKE,), expired=(entry,)) == judged([MISTAKE], {entry.id: entry}, TODAY)


def test_an_entry_that_fits_nothing_is_told() -> None:
    entry = accepted(id="sleep-timed:benchmarks/test_a.py:test_gone")
    assert result(unused=(entry,)) == judged([], {entry.id: entry}, TODAY)
