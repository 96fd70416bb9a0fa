"""The section of the page on redundancy."""

from collections.abc import Sequence

from markupsafe import Markup

from abs_audit.analyses.redundancy.model import Redundancy
from abs_audit.analyses.redundancy.text import answer
from abs_audit.report.html import frame
from abs_audit.report.html.bars import Bar
from abs_audit.wording import count


def section(result: Redundancy) -> Markup:
    """Return the section: how many benchmarks notice each method, and which could go."""
    return frame.part(
        "redundancy/section.html.j2",
        result=result,
        answer=answer(result),
        watched=histogram(result.histogram),
    )


def histogram(counts: Sequence[int]) -> tuple[Bar, ...]:
    """Return one bar for each number of benchmarks that notice a method."""
    bars = [
        Bar(
            label=f"by {count(watchers, 'benchmark')}" if watchers else "by none",
            value=methods,
            kind="some" if watchers else "none",
            note=str(methods),
        )
        for watchers, methods in enumerate(counts)
        # A method that hundreds of benchmarks notice would make a picture of nothing.
        if methods or len(counts) <= 12
    ]
    return tuple(bars[:40])
