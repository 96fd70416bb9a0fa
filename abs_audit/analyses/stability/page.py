"""The section of the page on stability: classes of the spreads, and violins."""

from collections.abc import Sequence

from markupsafe import Markup

from abs_audit.analyses.stability import model
from abs_audit.analyses.stability.model import Density, Stability
from abs_audit.analyses.stability.text import answer
from abs_audit.report.html import frame
from abs_audit.report.html.bars import Bar
from abs_audit.report.html.dot_rows import ROWS, DotRows, Line, dot_rows, plot_axis, violin
from abs_audit.report.html.geometry import percent_ticks
from abs_audit.report.text import largest_first
from abs_audit.wording import percent

MEANS_SHOWN = 30
"""Means of runs in a row of the table: more of them nobody reads, and a page of many runs would be slow."""


def section(result: Stability, curves: Sequence[Density]) -> Markup:
    """Return the section; `curves` holds the violins."""
    return frame.part(
        "stability/section.html.j2",
        result=result,
        answer=answer(result),
        bucket_bars=buckets(result.buckets),
        distribution=distribution(result),
        violins=violins(result, curves),
        spreads=sorted(result.benchmarks, key=lambda spread: largest_first(spread.max_spread)),
        means_shown=MEANS_SHOWN,
    )


def violins(result: Stability, curves: Sequence[Density]) -> DotRows | None:
    """Return one violin a benchmark, the widest spread first, on one axis of relative differences."""
    spreads = {spread.benchmark: spread.max_spread for spread in result.benchmarks}
    drawable = [curve for curve in curves if curve.positions]
    drawable.sort(key=lambda curve: -(spreads.get(curve.name) or 0.0))
    ends = [abs(end) for curve in drawable[:ROWS] for end in (curve.positions[0], curve.positions[-1])]
    reach = max(0.005, *ends, 0.0)
    lines = [
        Line(
            name=curve.name,
            # One value, or all equal: a mark that has no shape but can be seen.
            dots={} if len(curve.positions) > 1 else {"in": curve.positions[0]},
            outline=violin(curve.positions, curve.heights) if len(curve.positions) > 1 else (),
            kind="steady" if (spreads.get(curve.name) or 1.0) <= 0.05 else "restless",
            note=percent(spreads.get(curve.name)),
        )
        for curve in drawable
    ]
    axis = plot_axis(-reach, reach)
    return dot_rows(lines, axis, percent_ticks(axis, 10))


def distribution(result: Stability) -> DotRows | None:
    """Return the violin of the maxSpreads (Laaber & Leitner 2018, Figure 1); None without any."""
    shape = model.violin(result)
    if shape is None:
        return None
    axis = plot_axis(0.0, max(0.3, shape.positions[-1]))
    line = Line(name=shape.name, dots={}, outline=violin(shape.positions, shape.heights), kind="restless")
    return dot_rows([line], axis, percent_ticks(axis, 8))


def buckets(sizes: Sequence[int]) -> tuple[Bar, ...]:
    """Return one bar for each class of maxSpread."""
    labels = ("up to 5%", "5 to 10%", "10 to 25%", "25 to 50%", "above 50%")
    return tuple(
        Bar(label=label, value=size, kind="restless" if index else "steady", note=str(size))
        for index, (label, size) in enumerate(zip(labels, sizes, strict=True))
    )
