"""The smaller pictures: violins, the density of spreads, needed slowdowns, costs, histograms."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from abs_audit.analyses.audit.model import AuditReport, Density
from abs_audit.analyses.score.model import Score
from abs_audit.analyses.sensitivity.model import MethodSensitivity, Sensitivity
from abs_audit.report.html.geometry import (
    Axis,
    Tick,
    label_width,
    outline,
    percent_ticks,
    slowdown_ticks,
    thinned,
)
from abs_audit.report.names import brief_method, shortened, without_common_prefix
from abs_audit.report.wording import duration, percent, slower

WIDTH = 800
PLOT = 470
STEP = 26
VIOLINS = 60
VIOLIN_POINTS = 48
BARS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One row of a picture: its label, an outline or the place of a dot, and what stands beside it."""

    y: float
    label: str
    name: str
    path: str
    x: float
    kind: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """Rows over a common axis."""

    labels: float
    """Width of the column of labels, which lies left of x = 0."""
    height: float
    shapes: tuple[Shape, ...]
    ticks: tuple[Tick, ...]
    reference: Tick | None
    left_out: int


def violins(report: AuditReport) -> Picture | None:
    """Return one violin a benchmark, the widest spread first, on one axis of relative differences."""
    drawable = [one for one in report.violins if one.positions]
    if not drawable:
        return None
    spreads = (
        {one.benchmark: one.max_spread for one in report.stability.benchmarks} if report.stability else {}
    )
    drawable.sort(key=lambda one: -(spreads.get(one.name) or 0.0))
    shown = drawable[:VIOLINS]
    labels = [shortened(label, 48) for label in without_common_prefix([one.name for one in shown])]
    reach = max(
        0.005, *(abs(position) for one in shown for position in (one.positions[0], one.positions[-1]))
    )
    axis = Axis(low=-reach, high=reach, start=0, end=PLOT - 60)
    return Picture(
        labels=label_width(labels),
        height=STEP * len(shown) + 34,
        shapes=tuple(
            _violin(one, axis, _Place(index=index, label=label, spread=spreads.get(one.name)))
            for index, (one, label) in enumerate(zip(shown, labels, strict=True))
        ),
        ticks=percent_ticks(axis, 10),
        reference=None,
        left_out=len(drawable) - len(shown),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    index: int
    label: str
    spread: float | None


def _violin(density: Density, axis: Axis, place: _Place) -> Shape:
    y = STEP * (place.index + 0.5)
    return Shape(
        y=y,
        label=place.label,
        name=density.name,
        path=outline(_mirrored(density, axis, y)),
        x=axis.at(0.0),
        kind="steady" if place.spread is not None and place.spread <= 0.05 else "restless",
        note=percent(place.spread),
    )


def _mirrored(density: Density, axis: Axis, y: float) -> list[tuple[float, float]]:
    places = thinned(len(density.positions), VIOLIN_POINTS)
    tallest = max(density.heights, default=0.0) or 1.0
    # One value, or all equal: a mark that has no shape but can be seen.
    if len(places) == 1:
        x = axis.at(density.positions[0])
        return [(x - 1, y - 8), (x + 1, y - 8), (x + 1, y + 8), (x - 1, y + 8)]
    upper = [(axis.at(density.positions[i]), y - 10 * density.heights[i] / tallest) for i in places]
    return upper + [(x, 2 * y - top) for x, top in reversed(upper)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """An area over an axis."""

    path: str
    ticks: tuple[Tick, ...]
    edges: tuple[Tick, ...]


def spread_density(report: AuditReport) -> Curve | None:
    """Return the density of the maxSpreads with the edges of the buckets, or None without one."""
    density = report.spread_density
    if density is None or not density.positions:
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


def needed_slowdowns(result: Sensitivity, injected: float | None) -> Picture | None:
    """Return how slow each method must become, on a logarithmic axis; the worst watched first."""
    if not result.methods:
        return None
    known = [one.smallest_noticed for one in result.methods if one.smallest_noticed is not None]
    axis = Axis(
        low=min([0.05, *(value for value in known if value > 0)]),
        high=1.15 * max([1.0, *known]),
        start=0,
        end=PLOT - 60,
        logarithmic=True,
    )
    shown = sorted(result.methods, key=lambda one: -(one.smallest_noticed or float("inf")))[:BARS]
    shapes = tuple(_needed(one, axis, index) for index, one in enumerate(shown))
    return Picture(
        labels=label_width(shape.label for shape in shapes),
        height=STEP * len(shown) + 34,
        shapes=shapes,
        ticks=slowdown_ticks(axis),
        reference=None if injected is None else Tick(at=axis.at(injected), label=slower(injected)),
        left_out=len(result.methods) - len(shown),
    )


def _needed(one: MethodSensitivity, axis: Axis, index: int) -> Shape:
    never = one.smallest_noticed is None
    return Shape(
        y=STEP * (index + 0.5),
        label=shortened(brief_method(one.method), 33),
        name=one.method,
        path="",
        x=axis.end if one.smallest_noticed is None else axis.at(one.smallest_noticed),
        kind="never" if never else "confirmed" if one.confirmed else "predicted",
        note="never noticed" if one.smallest_noticed is None else slower(one.smallest_noticed),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A labelled length."""

    y: float
    label: str
    width: float
    kind: str
    note: str


def costs(score: Score) -> tuple[Bar, ...]:
    """Return the benchmark time of this score beside that of the 2018 protocol; empty without an estimate."""
    paper = score.cost.paper_protocol_s
    if not paper:
        return ()
    rows = [("this score", score.cost.benchmark_s, "ours"), ("protocol of 2018, estimated", paper, "paper")]
    return _bars(rows, duration)


def histogram(counts: Sequence[int]) -> tuple[Bar, ...]:
    """Return one bar for each number of benchmarks that notice a method."""
    rows = [
        (
            f"by {n} benchmark{'' if n == 1 else 's'}" if n else "by none",
            float(size),
            "none" if n == 0 else "some",
        )
        for n, size in enumerate(counts)
    ]
    # A method that hundreds of benchmarks notice would make a picture of nothing.
    return _bars([row for row in rows if row[1] or len(rows) <= 12][:40], lambda size: f"{size:.0f}")


def buckets(sizes: Sequence[int]) -> tuple[Bar, ...]:
    """Return one bar for each class of maxSpread."""
    labels = ("up to 5%", "5 to 10%", "10 to 25%", "25 to 50%", "above 50%")
    rows = [
        (label, float(size), "restless" if index else "steady")
        for index, (label, size) in enumerate(zip(labels, sizes, strict=True))
    ]
    return _bars(rows, lambda size: f"{size:.0f}")


def _bars(rows: Sequence[tuple[str, float, str]], note: Callable[[float], str]) -> tuple[Bar, ...]:
    longest = max((value for _, value, _ in rows), default=0.0) or 1.0
    return tuple(
        Bar(
            y=28 * index,
            label=label,
            width=round(max(1.5 if value else 0.0, 500 * value / longest), 1),
            kind=kind,
            note=note(value),
        )
        for index, (label, value, kind) in enumerate(rows)
    )
