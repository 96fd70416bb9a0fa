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
from abs_audit.report.html.geometry import Tick, percent_ticks, quantity_ticks, thinned
from abs_audit.wording import percent, quantity

COUNTERS = 60
"""Counters that are drawn one by counter, so that a page stays within 2 MB."""
POINTS = 300
"""Samples of each side that are drawn, evenly spread."""


def render(result: ControlChart, settings: ChartSettings, quality: FlagQuality | None = None) -> str:
    """Return the page of `chart`."""
    low, high = settings.percentiles
    return frame.measurement(
        "chart/page.html.j2",
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
    low: float
    high: float
    """Values between which nearly all lie; those beyond are drawn at the edge."""
    baseline: tuple[float, ...]
    samples: tuple[float, ...]
    """What is drawn of the baselines and of the new run, in the order measured in."""
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
    low, high = _reach(counter)
    return CounterPicture(
        counter=counter,
        low=low,
        high=high,
        baseline=_drawn(counter.baseline),
        samples=_drawn(counter.samples),
        density=_density(counter.name, counter.filtered) if counter.filtered else None,
    )


def _drawn(values: Sequence[float]) -> tuple[float, ...]:
    return tuple(values[index] for index in thinned(len(values), POINTS))


def _density(counter: str, done: LoadFilter) -> DotRows | None:
    """Return the violin of the new run, with a line where the filter cuts."""
    curve = Density.of(counter, done.samples)
    axis = plot_axis(curve.positions[0], curve.positions[-1])
    line = Line(name=curve.name, dots={}, outline=violin(curve.positions, curve.heights), kind="restless")
    below = None if done.cut is None else Tick(at=axis.at(done.cut), label=quantity(done.cut))
    return dot_rows([line], axis, quantity_ticks(axis, 6), below)


def _reach(counter: ChartedCounter) -> tuple[float, float]:
    """Return between which ends nearly all values lie: a few far ones must not flatten the rest."""
    values = [*counter.baseline, *counter.samples, counter.limits.lcl, counter.limits.ucl]
    low, high = np.percentile(values, (0.5, 99.5))
    low, high = min(low, counter.limits.lcl), max(high, counter.limits.ucl)
    margin = 0.08 * (high - low) or 0.5 * abs(high) or 1.0
    return float(low - margin), float(high + margin)
