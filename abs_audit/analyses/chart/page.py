"""The page of `chart`: the chart of each counter with its limits, and one of all counters."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from abs_audit.analyses.chart.flag_quality import FlagQuality
from abs_audit.analyses.chart.load import LoadFilter
from abs_audit.analyses.chart.model import ChartedCounter, ChartSettings, ControlChart, ThresholdRule
from abs_audit.analyses.chart.text import answer, filtering, flags
from abs_audit.analyses.stability.model import Density
from abs_audit.report.html import frame
from abs_audit.report.html.dot_rows import DotRows, Line, dot_rows, plot_axis, violin
from abs_audit.report.html.geometry import Axis, Tick, dots, percent_ticks, quantity_ticks, thinned
from abs_audit.wording import percent, quantity

COUNTERS = 60
"""Counters that are drawn one by counter, so that a page stays within 2 MB."""
POINTS = 300
WIDTH = 800
HEIGHT = 190
TOP = 10
LEFT = 70
MIDDLE = 380
"""Left of it the baselines, right of it the new run."""


def render(result: ControlChart, settings: ChartSettings, quality: FlagQuality | None = None) -> str:
    """Return the page of `chart`."""
    low, high = settings.percentiles
    return frame.measurement(
        "chart/page.html.j2",
        kind="Control chart",
        sources=result.target,
        answer=answer(result),
        notes=result.warnings,
        chart=result,
        expected=(low + 100 - high) / 100,
        rule=rule(settings.rule),
        quality=quality and flags(quality),
        overview=overview(result),
        filtering=filtering,
        counters=counters(result),
        table=result.counters[: frame.TABLE_ROWS],
    )


def rule(limit: ThresholdRule) -> str:
    """Return a rule in words."""
    if not limit.floor and limit.factor == 1:
        return "above the learned threshold"
    return f"above {percent(limit.floor)} and above {limit.factor:g} times the learned threshold"


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterPicture:
    """The control chart of one counter."""

    counter: ChartedCounter
    lcl: float
    cl: float
    ucl: float
    """Heights of the limits."""
    baseline: str
    inside: str
    """Paths of dots: of the baselines, and of the new run's samples that keep the limits."""
    outside: str
    """Path of the samples that violate them."""
    ticks: tuple[Tick, ...]
    drawn: int
    """Samples of the new run that are drawn."""
    density: DotRows | None
    """Of the new run before the filter; None where no filter was asked for."""


def overview(result: ControlChart) -> DotRows | None:
    """Return a row a counter: its violation ratio, its learned threshold, and what is still in control."""
    axis = plot_axis(0.0, 1.0)
    lines = [
        Line(
            name=counter.name,
            dots=_marks(counter),
            span=(0.0, counter.violation_ratio),
            kind="out" if counter.out_of_control else "in",
            note=percent(counter.violation_ratio),
        )
        for counter in result.counters
    ]
    return dot_rows(lines, axis, percent_ticks(axis, 5))


def _marks(counter: ChartedCounter) -> dict[str, float]:
    marks = {} if counter.threshold is None else {"threshold": counter.threshold}
    if counter.limit < 1.0:
        marks["limit"] = counter.limit
    return {**marks, "out" if counter.out_of_control else "in": counter.violation_ratio}


def counters(result: ControlChart) -> tuple[CounterPicture, ...]:
    """Return the charts of the most violated counters; values far outside are drawn at the edge."""
    return tuple(_picture(counter) for counter in result.counters[:COUNTERS])


def _picture(counter: ChartedCounter) -> CounterPicture:
    axis = _axis(counter)
    drawn = thinned(len(counter.samples), POINTS)
    samples = list(
        zip(_places(len(drawn), MIDDLE + 12, WIDTH - 8), (counter.samples[i] for i in drawn), strict=True)
    )
    baseline = thinned(len(counter.baseline), POINTS)
    left = _places(len(baseline), LEFT + 8, MIDDLE - 12)
    limits = counter.limits
    return CounterPicture(
        counter=counter,
        lcl=axis.at(limits.lcl),
        cl=axis.at(limits.cl),
        ucl=axis.at(limits.ucl),
        baseline=dots((x, axis.at(counter.baseline[index])) for x, index in zip(left, baseline, strict=True)),
        inside=dots((x, axis.at(value)) for x, value in samples if limits.lcl <= value <= limits.ucl),
        outside="".join(
            f"M{x:g} {axis.at(value) - 4:g}l4 4-4 4-4-4z"  # a diamond
            for x, value in samples
            if not limits.lcl <= value <= limits.ucl
        ),
        ticks=quantity_ticks(axis),
        drawn=len(drawn),
        density=_density(counter.name, counter.filtered) if counter.filtered else None,
    )


def _density(counter: str, done: LoadFilter) -> DotRows | None:
    """Return the violin of the new run, with a line where the filter cuts."""
    curve = Density.of(counter, done.samples)
    axis = plot_axis(curve.positions[0], curve.positions[-1])
    line = Line(name=curve.name, dots={}, outline=violin(curve.positions, curve.heights), kind="restless")
    below = None if done.cut is None else Tick(at=axis.at(done.cut), label=quantity(done.cut))
    return dot_rows([line], axis, quantity_ticks(axis, 6), below)


def _axis(counter: ChartedCounter) -> Axis:
    """Return an axis over nearly all values: a few far ones must not flatten the rest."""
    values = [*counter.baseline, *counter.samples, counter.limits.lcl, counter.limits.ucl]
    low, high = np.percentile(values, (0.5, 99.5))
    low, high = min(low, counter.limits.lcl), max(high, counter.limits.ucl)
    margin = 0.08 * (high - low) or 0.5 * abs(high) or 1.0
    return Axis(low=float(low - margin), high=float(high + margin), start=HEIGHT - 20, end=TOP)


def _places(count: int, start: float, end: float) -> Sequence[float]:
    return [round(float(x), 1) for x in np.linspace(start, end, count)] if count > 1 else [start][:count]
