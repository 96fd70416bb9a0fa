"""Summaries of what follows from the verdicts: sensitivity, redundancy, the subset for CI, and stubs."""

from collections.abc import Sequence

from rich.console import Group
from rich.text import Text

from abs_audit.analyses.redundancy.model import Redundancy
from abs_audit.analyses.selection.model import Selection
from abs_audit.analyses.sensitivity.model import MethodSensitivity, Sensitivity
from abs_audit.model.stub import StubOutcome
from abs_audit.report import headlines
from abs_audit.report.text.page import facts, headline, name, names, page, table, verbatim, warnings
from abs_audit.report.wording import and_more, percent, slower


def sensitivity(result: Sensitivity) -> Group:
    """Return how slow each method must become, worst watched first."""
    rows = (
        (
            Text("never" if one.smallest_noticed is None else slower(one.smallest_noticed)),
            Text("yes" if one.confirmed else "no"),
            Group(name(one.method), facts([("  by", one.benchmark or ""), ("  why", one.reason)])),
        )
        for one in sorted(result.methods, key=_worst_first)
    )
    missing = any(one.smallest_noticed is None for one in result.methods)
    return page(
        headline(headlines.sensitivity(result)),
        table(("noticed when", "left"), ("confirmed", "left"), ("method", "fold"), rows=rows),
        facts(
            [
                ("threshold", f"a benchmark notices when it becomes {percent(result.threshold)} slower"),
                ("next", "abs-audit stubs" if missing else "abs-audit redundancy"),
            ]
        ),
        warnings(result.warnings),
    )


def redundancy(result: Redundancy) -> Group:
    """Return what could be removed, and how many benchmarks notice each method."""
    rows = (
        (
            Text(str(len(one.benchmarks))),
            Group(name(one.method), facts([("  by", _by(one.benchmarks))])),
        )
        for one in sorted(result.methods, key=lambda one: len(one.benchmarks))
    )
    return page(
        headline(headlines.redundancy(result)),
        names("removable together:", result.removable, limit=50),
        table(("noticed by", "right"), ("method", "fold"), rows=rows),
        facts([("next", "abs-audit select --budget 60s")]),
        warnings(result.warnings),
    )


def selection(result: Selection, framework_filter: str) -> Group:
    """Return the subset and what to paste to execute it."""
    return page(
        headline(headlines.selection(result)),
        names("chosen:", result.chosen, limit=50),
        names("no longer noticed:", result.lost),
        facts([("proof", headlines.optimality(result))]),
        Group(Text("paste:", style="dim"), verbatim(framework_filter)) if framework_filter else None,
        warnings(result.warnings),
    )


def stubs(outcomes: Sequence[StubOutcome]) -> Group:
    """Return what became of each proposed benchmark."""
    rows = (
        (
            _answer(one.compiles),
            _answer(one.runs),
            _answer(one.detects),
            Group(name(one.method), facts([("  file", one.file), ("  why", one.reason)])),
        )
        for one in outcomes
    )
    return page(
        headline(headlines.stubs(outcomes)),
        table(("compiles", "left"), ("runs", "left"), ("detects", "left"), ("method", "fold"), rows=rows)
        if outcomes
        else None,
        facts([("next", "abs-audit stubs --write .")]) if outcomes else None,
    )


def _worst_first(one: MethodSensitivity) -> float:
    return float("-inf") if one.smallest_noticed is None else -one.smallest_noticed


def _by(benchmarks: Sequence[str]) -> str:
    return and_more(benchmarks[0], len(benchmarks) - 1) if benchmarks else ""


def _answer(outcome: bool | None) -> Text:
    if outcome is None:
        return Text("–", style="dim")
    return Text("yes", style="green") if outcome else Text("no", style="red")
