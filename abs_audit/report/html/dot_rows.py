"""Pictures with a row for each name and marks on one axis: ratios, deviations, rates, changes."""

from collections.abc import Sequence
from dataclasses import dataclass

from abs_audit.report.html.geometry import Axis, Tick, label_width
from abs_audit.report.names import shortened, without_common_prefix

ROWS = 60
STEP = 26
PLOT = 410
LABEL_LENGTH = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A mark at a value; `kind` is its shape and colour."""

    value: float
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What one row shows."""

    name: str
    dots: tuple[Dot, ...]
    span: tuple[float, float] | None
    """Ends of an interval, or of a stem."""
    kind: str
    """Colour of the span."""
    note: str
    label: str = ""
    """Empty: the name without what it has in common with the other names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A dot that has its place."""

    x: float
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line that has its place."""

    y: float
    label: str
    name: str
    marks: tuple[Mark, ...]
    span: tuple[float, float] | None
    kind: str
    note: str


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


def dot_rows(
    lines: Sequence[Line], axis: Axis, ticks: tuple[Tick, ...], reference: Tick | None = None
) -> DotRows | None:
    """Return the drawing of at most 60 lines, in their order; None for none."""
    shown = lines[:ROWS]
    if not shown:
        return None
    brief = without_common_prefix([line.name for line in shown])
    labels = [shortened(line.label or label, LABEL_LENGTH) for line, label in zip(shown, brief, strict=True)]
    return DotRows(
        labels=label_width(labels),
        plot=PLOT,
        notes=max(66.0, label_width([line.note for line in shown])),
        height=STEP * len(shown) + 34,
        rows=tuple(
            _row(line, label, axis, STEP * (index + 0.5))
            for index, (line, label) in enumerate(zip(shown, labels, strict=True))
        ),
        ticks=ticks,
        reference=reference,
        left_out=len(lines) - len(shown),
    )


def _row(line: Line, label: str, axis: Axis, y: float) -> Row:
    return Row(
        y=y,
        label=label,
        name=line.name,
        marks=tuple(Mark(x=axis.at(dot.value), kind=dot.kind) for dot in line.dots),
        span=None if line.span is None else (axis.at(line.span[0]), axis.at(line.span[1])),
        kind=line.kind,
        note=line.note,
    )
