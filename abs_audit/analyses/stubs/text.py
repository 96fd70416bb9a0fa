"""What became of the proposed benchmarks, for terminals."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from abs_audit.advising import advised
from abs_audit.model.stub import StubOutcome
from abs_audit.report.text import facts, headline, named, page, table
from abs_audit.wording import count


def answer(outcomes: Sequence[StubOutcome]) -> str:
    """Return how many proposed benchmarks notice what they were written for."""
    if not outcomes:
        return "No benchmark is missing, as far as methods have a verdict."
    proven = sum(outcome.detects is True for outcome in outcomes)
    left = sum(not outcome.finished for outcome in outcomes)
    noticing, they_were = ("notices", "it was") if 1 in (proven, len(outcomes)) else ("notice", "they were")
    return (
        f"{proven} of {count(outcomes, 'proposed benchmark')} {noticing} a slowdown of the method that "
        f"{they_were} written for"
        f"{f'; {left} not tried to the end' if left else ''}."
    )


def next_command(outcomes: Sequence[StubOutcome]) -> str:
    """Return the command that hands over what can be merged, or else what has to be filled in."""
    proven = any(outcome.detects for outcome in outcomes)
    return advised("stubs", *(("--patch", "stubs.patch") if proven else ("--write", ".")))


def summary(outcomes: Sequence[StubOutcome], *, handed_over: bool = False) -> Group:
    """Return what became of each proposed benchmark; `handed_over`: the same command writes them."""
    return page(
        headline(answer(outcomes)),
        table(("left", "compiles", "runs", "detects"), ("fold", "method"), rows=map(_row, outcomes)),
        facts(("next", next_command(outcomes))) if outcomes and not handed_over else None,
    )


def _row(stub: StubOutcome) -> Sequence[RenderableType]:
    return *map(_yes_or_no, stages(stub)), named(stub.method, ("file", stub.file), ("why", stub.reason))


def stages(stub: StubOutcome) -> tuple[bool | None, bool | None, bool | None]:
    """Return whether it compiles, runs and detects; None: not known."""
    compiles, runs = (done if done or stub.finished else None for done in (stub.compiles, stub.runs))
    return compiles, runs, stub.detects


def _yes_or_no(outcome: bool | None) -> Text:
    if outcome is None:
        return Text("–", style="dim")
    return Text("yes", style="green") if outcome else Text("no", style="red")
