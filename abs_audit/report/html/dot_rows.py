"""Pictures with a row for each name and marks on one axis: ratios, deviations, rates, changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abs_audit.report.html.geometry import Axis, Tick, dots, label_width, outline, thinned
from abs_audit.report.names import shortened, without_common_prefix

ROWS = 60
STEP = 26
PLOT = 410
LABEL_LENGTH = 48
CLOUD = 40
"""Most values that are drawn in one line of dots."""
TALLEST = 10
POINTS = 48
APART = 8
"""Pixels between the marks of a row and the dots above or below them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What one row shows."""

    name: str
    dots: Mapping[str, float]
    """Kind of a mark, which is its shape and colour → its value."""
    note: str = ""
    span: tuple[float, float] | None = None
    """Ends of an interval, or of a stem."""
    kind: str = ""
    """Colour of the span."""
    label: str = ""
    """Empty: the name without what it has in common with the other names."""
    clouds: tuple[Sequence[float], ...] = ()
    """Single values, drawn as dots: the first above the marks, the second below them."""
    outline: Sequence[tuple[float, float]] = ()
    """Values with what is drawn above and below the row there, -1..1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line that has its place."""

    line: Line
    label: str
    y: float
    marks: Mapping[str, float]
    span: tuple[float, float] | None
    clouds: tuple[str, ...]
    """SVG paths, as the outline."""
    outline: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DotRows:
    """The drawing."""

    labels: float
    """Width of the column of labels, which lies left of x = 0."""
    plot: float
    notes: float
    """Width of the column of notes, right of the plot."""
    height: float
    rows: tuple[Row, ...]
    ticks: tuple[Tick, ...]
    reference: Tick | None
    left_out: int


def plot_axis(low: float, high: float, *, logarithmic: bool = False) -> Axis:
    """Return the axis on which rows are drawn."""
    return Axis(low=low, high=high, start=0, end=PLOT, logarithmic=logarithmic)


def violin(positions: Sequence[float], heights: Sequence[float]) -> list[tuple[float, float]]:
    """Return the outline of a density, the same above and below its row."""
    tallest = max(heights) or 1.0
    upper = [(positions[place], heights[place] / tallest) for place in thinned(len(positions), POINTS)]
    return upper + [(value, -height) for value, height in reversed(upper)]


def dot_rows(
    lines: Sequence[Line], axis: Axis, ticks: tuple[Tick, ...], reference: Tick | None = None
) -> DotRows | None:
    """Return the drawing of at most 60 lines, in their order; None for none."""
    shown = lines[:ROWS]
    if not shown:
        return None
    brief = without_common_prefix([line.name for line in shown])
    labels = [shortened(line.label or label, LABEL_LENGTH) for line, label in zip(shown, brief, strict=True)]
    step = STEP + APART if any(line.clouds for line in shown) else STEP
    return DotRows(
        labels=label_width(labels),
        plot=PLOT,
        notes=max(66.0, label_width([line.note for line in shown])),
        height=step * len(shown) + 34,
        rows=tuple(
            _row(line, label, axis, step * (index + 0.5))
            for index, (line, label) in enumerate(zip(shown, labels, strict=True))
        ),
        ticks=ticks,
        reference=reference,
        left_out=len(lines) - len(shown),
    )


def _row(line: Line, label: str, axis: Axis, y: float) -> Row:
    return Row(
        line=line,
        label=label,
        y=y,
        marks={kind: axis.at(value) for kind, value in line.dots.items()},
        span=None if line.span is None else (axis.at(line.span[0]), axis.at(line.span[1])),
        clouds=tuple(
            dots((axis.at(cloud[index]), height) for index in thinned(len(cloud), CLOUD))
            for cloud, height in zip(line.clouds, (y - APART, y + APART), strict=False)
        ),
        outline=outline((axis.at(value), y - TALLEST * height) for value, height in line.outline),
    )
