"""Pictures with a row for each name and marks on one axis: ratios, deviations, rates, changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abs_audit.report.html.geometry import Axis, Tick, label_width, thinned
from abs_audit.report.names import shortened, without_common_prefix

ROWS = 60
PLOT = 410
LABEL_LENGTH = 48
CLOUD = 40
"""Most values that are drawn in one line of dots."""
POINTS = 48


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
class DotRows:
    """The drawing; its template gives every row its place."""

    labels: Sequence[str]
    """One a line."""
    lines: Sequence[Line]
    axis: Axis
    ticks: tuple[Tick, ...]
    reference: Tick | None
    left_out: int

    @property
    def width_of_labels(self) -> float:
        """Width of their column, which lies left of x = 0."""
        return label_width(self.labels)

    @property
    def width_of_notes(self) -> float:
        """Width of their column, right of the plot."""
        return max(66.0, label_width([line.note for line in self.lines]))


def plot_axis(low: float, high: float, *, logarithmic: bool = False) -> Axis:
    """Return the axis on which rows are drawn."""
    return Axis(low=low, high=high, start=0, end=PLOT, logarithmic=logarithmic)


def violin(positions: Sequence[float], heights: Sequence[float]) -> list[tuple[float, float]]:
    """Return the outline of a density, the same above and below its row."""
    tallest = max(heights) or 1.0
    upper = [(positions[index], heights[index] / tallest) for index in thinned(len(positions), POINTS)]
    return upper + [(value, -height) for value, height in reversed(upper)]


def dot_rows(
    lines: Sequence[Line], axis: Axis, ticks: tuple[Tick, ...], reference: Tick | None = None
) -> DotRows | None:
    """Return the drawing of at most 60 lines, in their order; None for none."""
    shown = lines[:ROWS]
    if not shown:
        return None
    brief = without_common_prefix([line.name for line in shown])
    labels = [line.label or label for line, label in zip(shown, brief, strict=True)]
    return DotRows(
        labels=[shortened(label, LABEL_LENGTH) for label in labels],
        lines=shown,
        axis=axis,
        ticks=ticks,
        reference=reference,
        left_out=len(lines) - len(shown),
    )
