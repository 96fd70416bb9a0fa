import io
import re
from collections.abc import Callable
from dataclasses import replace
from typing import TextIO

import pytest
from rich.cells import cell_len
from rich.console import RenderableType

from abs_audit.analyses.audit import text as audit_text
from abs_audit.analyses.audit.model import AuditReport
from abs_audit.analyses.list import text as list_text
from abs_audit.analyses.redundancy import text as redundancy_text
from abs_audit.analyses.score import text as score_text
from abs_audit.analyses.selection import text as selection_text
from abs_audit.analyses.sensitivity import text as sensitivity_text
from abs_audit.analyses.stability import text as stability_text
from abs_audit.analyses.stubs import text as stubs_text
from abs_audit.analyses.trace import text as trace_text
from abs_audit.experiment.forecast import Forecast
from abs_audit.experiment.watch import Phase
from abs_audit.model.explanation import Cause
from abs_audit.model.verdict import FalseAlarms, Verdict
from abs_audit.report.text import show
from tests.support import builders as b
from tests.support import sessions

SUMMARIES: dict[str, Callable[[AuditReport], RenderableType]] = {
    "list": lambda report: list_text.summary(report.discovery),
    "trace": lambda report: trace_text.summary(report.trace),
    "stability": lambda report: stability_text.summary(report.stability),
    "score": lambda report: score_text.summary(report.score),
    "sensitivity": lambda report: sensitivity_text.summary(report.sensitivity),
    "redundancy": lambda report: redundancy_text.summary(report.redundancy),
    "select": lambda report: selection_text.summary(report.selection, report.selection_filter),
    "stubs": lambda report: stubs_text.summary(report.stubs),
    "audit": audit_text.summary,
}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(content: RenderableType, out: TextIO | None = None) -> str:
    out = out or io.StringIO()
    show(content, out, width=80)
    return out.getvalue()  # type: ignore[attr-defined,no-any-return]


def words(content: RenderableType) -> str:
    """What is shown, whatever the line breaks."""
    return " ".join(shown(content).split())


@pytest.mark.parametrize("session", ["small", "hostile"])
@pytest.mark.parametrize("command", SUMMARIES)
def test_every_summary_says_what_its_golden_file_says(
    command: str, session: str, golden: Callable[[str, str], None]
) -> None:
    golden(f"{command}-{session}.txt", shown(SUMMARIES[command](getattr(sessions, session)())))


@pytest.mark.parametrize("command", SUMMARIES)
def test_a_plain_summary_fits_80_columns_and_holds_no_escape(command: str) -> None:
    text = shown(SUMMARIES[command](sessions.hostile()))
    lines = text.split("paste:")[0].splitlines()
    # Ids of `list` are to be copied: neither wrapped nor shortened.
    assert [line for line in lines[: 2 if command == "list" else None] if cell_len(line) > 80] == []
    assert re.findall(r"[^\x20-\x7e\n…–█⠀-￿δ×]", text) == []


@pytest.mark.parametrize("command", SUMMARIES)
def test_colour_on_a_terminal_changes_no_word(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)
    content = SUMMARIES[command](sessions.small())
    coloured = shown(content, Terminal())
    assert "\x1b[" in coloured
    bare = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert bare.splitlines() == shown(content).splitlines()


def test_the_first_line_of_a_score_is_its_answer() -> None:
    text = words(score_text.summary(sessions.small().score))
    assert text.startswith(
        "11 of 17 methods (65%) would be noticed if they became 40% slower; "
        "4 would not (1 of them never called while a benchmark is timed); 2 have no verdict."
    )


def test_methods_that_are_all_unreached_are_counted_once() -> None:
    result = b.score(b.method("m"), *(b.method(name, Verdict.UNREACHED) for name in "no"))
    assert "; 2 would not: never called while a benchmark is timed." in words(score_text.summary(result))


@pytest.mark.parametrize(
    ("benchmark_s", "told"),
    [
        (60.0, "100 s in all, 60 s of it benchmarks and 4 s builds"),
        (660.0, "100 s; 11 min of benchmarks, with those recorded before and 4 s builds"),
    ],
)
def test_what_earlier_commands_recorded_is_not_part_of_the_time_of_this_one(
    benchmark_s: float, told: str
) -> None:
    usual = b.score(b.method("m"))
    cost = replace(usual.cost, total_s=100.0, benchmark_s=benchmark_s, build_s=4.0)
    assert told in words(score_text.summary(replace(usual, cost=cost)))


def test_a_set_up_that_took_long_is_told() -> None:
    """Installing what a suite of datamodel-code-generator needs took two of four minutes."""
    usual = b.score(b.method("m"))
    cost = replace(usual.cost, total_s=100.0, benchmark_s=9.0, build_s=4.0, phases={"set_up": 60.0})
    told = "100 s in all, 60 s of it set-up, 9 s benchmarks and 4 s builds"
    assert told in words(score_text.summary(replace(usual, cost=cost)))


def test_thousands_are_told_alike() -> None:
    methods = [b.method(f"m{number}", Verdict.UNREACHED) for number in range(1200)]
    assert "; 1 200 would not" in words(score_text.summary(b.score(*methods)))


def test_methods_without_a_verdict_are_never_counted_as_noticed() -> None:
    text = words(
        score_text.summary(
            b.score(b.method("m", Verdict.NO_VERDICT, explanation=b.because(Cause.FAILED, "exit code 1")))
        )
    )
    assert text.startswith("0 of 1 method (0%) would be noticed")
    assert "1 has no verdict" in text
    assert "between 0% and 100%" in text


def test_a_score_says_why_it_ends_with_4_though_every_method_has_a_verdict() -> None:
    noisy = b.cell("m", "y", Verdict.NO_VERDICT, explanation=b.because(Cause.NOISY, "as said"))
    unasked = b.cell("m", "z", Verdict.NO_VERDICT, explanation=b.because(Cause.ANOTHER_BENCHMARK_NOTICES, ""))
    told = words(score_text.summary(b.score(b.method("m"), cells=(b.cell("m", "x"), noisy, unasked))))
    assert "1 cell without a verdict (exit code 4): m in y: noisy: as said" in told
    assert "exit code" not in shown(score_text.summary(b.score(b.method("m"), cells=(unasked,))))


def test_a_score_without_methods_claims_nothing() -> None:
    assert shown(score_text.summary(b.score())).startswith("No method was audited, so nothing is known")


@pytest.mark.parametrize(
    ("alarms", "sentence"),
    [
        (FalseAlarms(cells=0, alarms=0), "not measured: how often noise passes for a slowdown is unknown"),
        (FalseAlarms(cells=20, alarms=0), "0 of 20 comparisons of control with control raised a false alarm"),
        (FalseAlarms(cells=20, alarms=3), "3 of 20 comparisons"),
    ],
)
def test_every_score_says_how_often_noise_passed_for_a_slowdown(alarms: FalseAlarms, sentence: str) -> None:
    assert sentence in shown(score_text.summary(b.score(b.method("m"), false_alarms=alarms)))


@pytest.mark.parametrize(
    ("verdict", "cause", "command"),
    [
        (Verdict.MISSED, Cause.SHARE_TOO_SMALL, "abs-audit stubs"),
        (Verdict.UNREACHED, Cause.NOT_CALLED, "abs-audit stubs"),
        (Verdict.NO_VERDICT, Cause.NOISY, "abs-audit doctor"),
        (Verdict.NO_VERDICT, Cause.TIMED_OUT, "abs-audit score --timeout 3600"),
        (Verdict.NO_VERDICT, Cause.FAILED, "abs-audit list"),
        (Verdict.NO_VERDICT, Cause.NOT_RUN, "abs-audit score"),
        (Verdict.NO_VERDICT, Cause.BUDGET, "abs-audit score"),
        (Verdict.NO_VERDICT, Cause.UNVIABLE, "abs-audit inject --method 'a b' --slowdown 0.4 --diff"),
    ],
)
def test_every_finding_names_the_command_that_helps(verdict: Verdict, cause: Cause, command: str) -> None:
    method = b.method("a b", verdict, explanation=b.because(cause, "said"))
    lines = shown(score_text.summary(b.score(method))).splitlines()
    assert [line.split("next")[1].strip() for line in lines if " next " in line] == [command]


def test_what_is_told_of_many_methods_in_a_row_is_told_once() -> None:
    """Of graphql-core's 1,081 methods 600 were followed by the same two lines."""
    few = [b.method(name, Verdict.MISSED) for name in ("a1", "a2")]
    many = [b.method(f"b{number}", Verdict.UNREACHED) for number in range(600)]
    lines = shown(score_text.summary(b.score(*few, *many))).splitlines()
    assert 3 == sum(" why " in line for line in lines)
    assert 3 == sum(" next " in line for line in lines)
    last = next(number for number, line in enumerate(lines) if line.endswith(" b599"))
    assert lines[last + 1].split("why")[1].strip() == "all 600: not called by any benchmark"


def test_methods_of_which_the_same_is_told_follow_each_other() -> None:
    """Of jdbi's 2,095 methods that a budget left over each few told again how many benchmarks were left."""
    reasons = [b.because(Cause.BUDGET, said) for said in ("of 70", "of 71")]
    methods = [
        b.method(f"m{number}", Verdict.NO_VERDICT, explanation=reasons[number % 2]) for number in range(10)
    ]
    lines = shown(score_text.summary(b.score(*methods))).splitlines()
    assert 2 == sum("all 5: " in line for line in lines)


def test_square_brackets_of_a_parameter_are_shown() -> None:
    method = b.method("m", detected_by=("bench.py::test_x[a-b]",))
    assert "bench.py::test_x[a-b]" in shown(score_text.summary(b.score(method)))


def test_a_name_cannot_give_orders_to_a_ci_service() -> None:
    text = shown(list_text.summary(b.discovery("::error::x", "##[group]x", "bench.py::TestX::test_y")))
    assert ":\\:error::x" in text
    assert "#\\#[group]x" in text
    assert "bench.py::TestX::test_y" in text


def test_the_filter_of_a_subset_can_be_copied_as_one_line() -> None:
    long = " ".join(f"bench.py::test_{index}" for index in range(100))
    assert long in shown(selection_text.summary(b.selection("x"), long)).splitlines()
    assert long in shown(selection_text.summary(b.selection("x"), long), Terminal())


def test_a_benchmark_without_a_result_in_every_run_comes_before_the_noisy_ones() -> None:
    text = words(stability_text.summary(b.stability(b.spread("noisy", 0.6), b.spread("gone", None))))
    assert text.index("gone") < text.rindex("noisy")
    assert "1 more without a result in some run" in text


def test_a_session_without_a_score_says_how_to_get_one() -> None:
    text = shown(audit_text.summary(b.report()))
    assert "No score has been recorded yet." in text
    assert "abs-audit score" in text


def test_a_line_of_a_file_is_one_line_whatever_its_length() -> None:
    ids = [f"bench.py::test_{'x' * 400}[{number}]" for number in range(3)]
    out = io.StringIO()
    show(list_text.summary(b.discovery(*ids)), out)
    assert ids == out.getvalue().splitlines()[2:]


def test_one_proposed_benchmark_that_notices_is_told_as_one() -> None:
    outcomes = sessions.small().stubs
    assert " notices a slowdown of the method that it was written for" in stubs_text.answer(outcomes)
    assert stubs_text.answer([replace(outcomes[0], detects=False)]).startswith(
        "0 of 1 proposed benchmark notices"
    )


def test_what_is_ahead_is_told_of_one_as_of_many() -> None:
    phases = {Phase.CELLS: 2.0}
    ahead = Forecast(methods=6, benchmarks=4, reached=1, calling=1, phases=phases, needed=phases)
    assert (
        "6 methods × 4 benchmarks; inside a timed region: 1 cell in 1 benchmark; about 2 s more (cells 2 s), "
        "longer where values scatter; 1 trial recorded already"
    ) == score_text.ahead_of(ahead, 1)


def test_what_may_be_ahead_is_told_where_the_most_promising_benchmarks_answer() -> None:
    """Of commons-rng 52 s were told; none of them noticed, and the other 31 took ten minutes."""
    few, all_of_them = {Phase.CELLS: 2.0}, {Phase.CELLS: 60.0}
    ahead = Forecast(methods=1, benchmarks=9, reached=9, calling=9, phases=all_of_them, needed=few)
    assert (
        "about 2 s more (cells 2 s), longer where values scatter, "
        "and up to 60 s where the most promising benchmarks do not notice"
    ) in score_text.ahead_of(ahead, 0, settle_all=False)
    assert "--goal score would save about 58 s" in score_text.ahead_of(ahead, 0)
    later = score_text.ahead_of(replace(ahead, uncounted=3), 0)
    assert later.endswith("; then what 3 more benchmarks call")


def test_a_duration_of_some_benchmarks_is_not_told_as_that_of_all() -> None:
    known = b.discovery("a", "b", "c", durations_s={"a": 1.0, "c": 2.0})
    assert "3 benchmarks; executing 2 of them once takes 3 s." == list_text.answer(known)
