"""The section of the page on stability: classes, density and violins of the spreads."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from abs_audit.analyses.stability.model import Density, Stability
from abs_audit.analyses.stability.text import answer, worst_first
from abs_audit.report.html import frame
from abs_audit.report.html.bars import Bar
from abs_audit.report.html.dot_rows import ROWS, DotRows, Line, dot_rows, plot_axis
from abs_audit.report.html.geometry import Axis, Tick, outline, percent_ticks, thinned
from abs_audit.wording import percent

WIDTH = 800
VIOLIN_POINTS = 48
MEANS_SHOWN = 30
"""Means of runs in a row of the table: more of them nobody reads, and a page of many runs would be slow."""


def section(result: Stability, curves: Sequence[Density], spreads: Density | None) -> Markup:
    """Return the section; `curves` holds the violins, `spreads` the density of the maxSpreads."""
    return frame.part(
        "stability/section.html.j2",
        result=result,
        answer=answer(result),
        bucket_bars=buckets(result.buckets),
        density=spread_density(spreads) if spreads else None,
        violins=violins(result, curves),
        spreads=sorted(result.benchmarks, key=worst_first)[: frame.TABLE_ROWS],
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
            outline=_mirrored(curve) if len(curve.positions) > 1 else (),
            kind="steady" if (spreads.get(curve.name) or 1.0) <= 0.05 else "restless",
            note=percent(spreads.get(curve.name)),
        )
        for curve in drawable
    ]
    axis = plot_axis(-reach, reach)
    return dot_rows(lines, axis, percent_ticks(axis, 10))


def _mirrored(density: Density) -> list[tuple[float, float]]:
    tallest = max(density.heights) or 1.0
    places = thinned(len(density.positions), VIOLIN_POINTS)
    upper = [(density.positions[place], density.heights[place] / tallest) for place in places]
    return upper + [(value, -height) for value, height in reversed(upper)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """An area over an axis."""

    path: str
    ticks: tuple[Tick, ...]
    edges: tuple[Tick, ...]


def spread_density(density: Density) -> Curve | None:
    """Return the density of the maxSpreads with the edges of the buckets, or None without one."""
    if not density.positions:
        return None
    axis = Axis(low=0.0, high=max(0.3, density.positions[-1]), start=10, end=WIDTH - 10)
    tallest = max(density.heights, default=0.0) or 1.0
    curve = [
        (axis.at(density.positions[i]), 130 - 115 * density.heights[i] / tallest)
        for i in thinned(len(density.positions), 160)
    ]
    return Curve(
        path=outline([(curve[0][0], 130.0), *curve, (curve[-1][0], 130.0)]),
        ticks=percent_ticks(axis, 10),
        edges=tuple(
            Tick(at=axis.at(edge), label=percent(edge)) for edge in (0.05, 0.1, 0.25, 0.5) if edge < axis.high
        ),
    )


def buckets(sizes: Sequence[int]) -> tuple[Bar, ...]:
    """Return one bar for each class of maxSpread."""
    labels = ("up to 5%", "5 to 10%", "10 to 25%", "25 to 50%", "above 50%")
    return tuple(
        Bar(label=label, value=size, kind="restless" if index else "steady", note=str(size))
        for index, (label, size) in enumerate(zip(labels, sizes, strict=True))
    )
