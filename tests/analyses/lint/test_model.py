"""What a project accepts is not told, until its day has passed."""

from datetime import date

from abs_audit.analyses.lint.model import LintResult, Rotten, judged
from abs_audit.analyses.lint.text import summary
from abs_audit.model.accepted import AcceptedEntry, AcceptList
from abs_audit.model.lint import Lint, Rule
from tests.report.test_measurement_texts import shown

TODAY = date(2026, 5, 4)
MISTAKE = Lint(rule=Rule.SLEEP_TIMED, path="benchmarks/test_a.py", line=7, benchmark="test_poll")
ROTTEN = Rotten(benchmark="a.py::test_x", reason="failed: gone", since=None, suspects=())


def entry(until: date | None = None, id: str = MISTAKE.id) -> AcceptedEntry:
    return AcceptedEntry(id=id, reason="it measures waiting", until=until)


def accepting(*entries: AcceptedEntry) -> AcceptList:
    return AcceptList(entries=entries, today=TODAY)


def result(**changes: object) -> LintResult:
    return LintResult(**({"lints": (), "accepted": (), "expired": (), "unused": ()} | changes))  # type: ignore[arg-type]


def test_what_nobody_accepts_is_told() -> None:
    assert result(lints=(MISTAKE,)) == judged([MISTAKE], None, accepting())


def test_what_is_accepted_is_not_told_up_to_its_day() -> None:
    for until in (None, TODAY):
        accepted = entry(until)
        assert result(accepted=(accepted,)) == judged([MISTAKE], None, accepting(accepted))


def test_an_expired_entry_is_told_with_its_mistake() -> None:
    expired = entry(date(2026, 5, 3))
    assert result(lints=(MISTAKE,), expired=(expired,)) == judged([MISTAKE], None, accepting(expired))


def test_an_entry_that_fits_nothing_is_told() -> None:
    unused = entry(id="sleep-timed:benchmarks/test_a.py:test_gone")
    assert result(unused=(unused,)) == judged([], None, accepting(unused))


def test_rot_is_accepted_as_mistakes_are() -> None:
    assert "rot:a.py::test_x" == ROTTEN.id
    accepted = entry(id=ROTTEN.id)
    assert result(rot=(), accepted=(accepted,)) == judged([], [ROTTEN], accepting(accepted))
    expired = entry(date(2026, 5, 3), ROTTEN.id)
    assert result(rot=(ROTTEN,), expired=(expired,)) == judged([], [ROTTEN], accepting(expired))


def test_an_entry_for_rot_is_unused_only_where_somebody_looked() -> None:
    accepted = entry(id=ROTTEN.id)
    assert result() == judged([], None, accepting(accepted))
    assert result(unused=(accepted,), rot=()) == judged([], [], accepting(accepted))


def test_an_entry_for_a_method_is_not_one_of_lint() -> None:
    assert result() == judged([], None, accepting(entry(id="example.com/lib.Parse")))


def test_mistakes_of_a_kind_are_told_together_with_their_reason_once() -> None:
    others = [Lint(rule=Rule.CLOCK_INSIDE, path="b.py", line=line, benchmark="test_y") for line in (3, 9)]
    told = shown(summary(judged([MISTAKE, *others], None, accepting())))
    assert told.index("b.py:9: test_y: clock-inside") < told.index(
        "benchmarks/test_a.py:7: test_poll: sleep-timed"
    )
    assert 1 == told.count("leave timing to the framework")
    assert f"id = '{MISTAKE.id}'" in " ".join(told.split())
