"""What became of the proposed benchmarks, for terminals."""

from collections.abc import Sequence

from rich.console import Group
from rich.text import Text

from abs_audit.model.stub import StubOutcome
from abs_audit.report.text import facts, headline, name, page, table
from abs_audit.wording import count


def answer(outcomes: Sequence[StubOutcome]) -> str:
    """Return how many proposed benchmarks notice what they were written for."""
    if not outcomes:
        return "No benchmark is missing."
    proven = sum(outcome.detects is True for outcome in outcomes)
    return (
        f"{proven} of {count(outcomes, 'proposed benchmark')} "
        f"{'notices' if proven == 1 else 'notice'} a slowdown of the method that they were written for."
    )


def next_command(outcomes: Sequence[StubOutcome]) -> str:
    """Return the command that hands over what can be merged, or else what has to be filled in."""
    proven = any(outcome.detects for outcome in outcomes)
    return f"abs-audit stubs {'--patch stubs.patch' if proven else '--write .'}"


def summary(outcomes: Sequence[StubOutcome], *, handed_over: bool = False) -> Group:
    """Return what became of each proposed benchmark; `handed_over`: the same command writes them."""
    rows = (
        (
            _yes_or_no(stub.compiles),
            _yes_or_no(stub.runs),
            _yes_or_no(stub.detects),
            Group(name(stub.method), facts([("  file", stub.file), ("  why", stub.reason)])),
        )
        for stub in outcomes
    )
    return page(
        headline(answer(outcomes)),
        table(("compiles", "left"), ("runs", "left"), ("detects", "left"), ("method", "fold"), rows=rows),
        facts([("next", next_command(outcomes))]) if outcomes and not handed_over else None,
    )


def _yes_or_no(outcome: bool | None) -> Text:
    if outcome is None:
        return Text("–", style="dim")
    return Text("yes", style="green") if outcome else Text("no", style="red")
