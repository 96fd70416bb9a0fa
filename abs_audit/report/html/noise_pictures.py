"""Pictures of noise: deviations by source, A/A rates, and the regressions that samplings show."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from abs_audit.analyses.compare.model import Comparison
from abs_audit.analyses.detectable.model import Detectable, SmallestRegression
from abs_audit.analyses.detectable.recommendation import Recommendation
from abs_audit.analyses.detectable.sampling import Sampling, Strategy
from abs_audit.analyses.variability.model import BenchmarkVariability, Variability
from abs_audit.report.answers import by_attention
from abs_audit.report.html.dot_rows import ROWS, Dot, DotRows, Line, dot_rows, plot_axis
from abs_audit.report.html.geometry import Tick, change_ticks, decade_ticks, percent_ticks
from abs_audit.report.wording import change, fine_percent, percent

CLASSES = (
    (0.01, "1%"),
    (0.05, "2 to 5%"),
    (0.1, "10%"),
    (0.25, "15 to 25%"),
    (1.0, "50 to 100%"),
)
"""Upper edges of the regressions that share a colour, and what to call them; beyond them: none."""
BAR = 430


def deviations(result: Variability) -> DotRows | None:
    """Return a row a benchmark: its RSD in total, within an instance, within a trial; the noisiest first."""
    known = [one for one in result.benchmarks if one.total is not None]
    values = [value for one in known for value in _sources(one) if value]
    if not values:
        return None
    axis = plot_axis(max(1e-4, 0.8 * min(values)), 1.2 * max(values), logarithmic=True)
    known.sort(key=lambda one: -(one.total or 0.0))
    lines = [
        Line(
            name=one.benchmark,
            dots=tuple(
                Dot(value=value, kind=kind)
                for value, kind in zip(_sources(one), ("trial", "instance", "total"), strict=True)
                if value is not None
            ),
            span=None,
            kind="",
            note=fine_percent(one.total),
        )
        for one in known
    ]
    return dot_rows(lines, axis, decade_ticks(axis))


def _sources(one: BenchmarkVariability) -> tuple[float | None, float | None, float | None]:
    return one.per_trial, one.per_instance, one.total


def false_alarms(result: SmallestRegression) -> DotRows | None:
    """Return a row a sampling: its mean A/A rates, with the nominal 5 % for reference."""
    axis = plot_axis(0.0, 1.0)
    lines = [
        Line(name=label(sampling), dots=_rates(rows), span=None, kind="", note="")
        for sampling in result.samplings
        if (rows := result.under(sampling))
    ]
    return dot_rows(lines, axis, percent_ticks(axis, 5), Tick(at=axis.at(0.05), label="5%"))


def _rates(rows: Sequence[Detectable]) -> tuple[Dot, ...]:
    medians = [one.false_alarms_of_medians for one in rows if one.false_alarms_of_medians is not None]
    rates = [
        (fmean(one.false_alarms for one in rows), "total"),
        (fmean(one.false_alarms_of_effect for one in rows), "instance"),
        *([(fmean(medians), "trial")] if medians else []),
    ]
    return tuple(Dot(value=value, kind=kind) for value, kind in rates)


def label(sampling: Sampling) -> str:
    """Return a sampling as short as a label must be: "3 × 5 same"."""
    kind = "same" if sampling.strategy is Strategy.TRIALS else "different"
    return f"{sampling.instances} × {sampling.trials} {kind}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion:
    """A part of a bar: the benchmarks whose smallest regression lies in one class."""

    x: float
    width: float
    kind: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingBar:
    """What one sampling shows to all benchmarks."""

    y: float
    label: str
    chosen: bool
    portions: tuple[Portion, ...]
    note: str


def shares(result: SmallestRegression, advice: Recommendation) -> tuple[SamplingBar, ...]:
    """Return a bar a sampling, divided by how small the regressions are that its benchmarks show."""
    bars = []
    for index, sight in enumerate(advice.sights):
        bars.append(
            SamplingBar(
                y=28 * index,
                label=label(sight.sampling),
                chosen=sight is advice.chosen,
                portions=_portions(result.under(sight.sampling), result.asked),
                note="none" if sight.smallest is None else percent(sight.smallest),
            )
        )
    return tuple(bars)


def legend() -> tuple[tuple[str, str], ...]:
    """Return each class with its name."""
    named = [(f"s{index}", text) for index, (_, text) in enumerate(CLASSES)]
    return (*named, ("none", "no regression up to 100%"))


def size_class(smallest: float | None) -> str:
    """Return the class of a smallest regression: s0 (1 %) to s4, and `none`."""
    if smallest is None:
        return "none"
    return f"s{next(index for index, (edge, _) in enumerate(CLASSES) if smallest <= edge)}"


def _portions(rows: Sequence[Detectable], asked: int) -> tuple[Portion, ...]:
    kinds = [size_class(row.smallest) for row in rows]
    portions, x = list[Portion](), 0.0
    for kind in (*(f"s{index}" for index in range(len(CLASSES))), "none"):
        size = kinds.count(kind)
        if size:
            width = BAR * size / max(asked, 1)
            portions.append(Portion(x=round(x, 1), width=round(width, 1), kind=kind, size=size))
            x += width
    return tuple(portions)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """One benchmark: its smallest regression under each sampling, None where there is no answer."""

    benchmark: str
    cells: tuple[Detectable | None, ...]


def matrix(result: SmallestRegression) -> tuple[MatrixRow, ...]:
    """Return the benchmarks × samplings of the paper's Tables 6 and 7, the blindest benchmark first."""
    cells = {(one.benchmark, one.strategy, one.instances, one.trials): one for one in result.benchmarks}
    names = sorted({one.benchmark for one in result.benchmarks})
    rows = [
        MatrixRow(
            benchmark=name,
            cells=tuple(
                cells.get((name, one.strategy, one.instances, one.trials)) for one in result.samplings
            ),
        )
        for name in names
    ]
    return tuple(sorted(rows, key=_blindness, reverse=True))


def _blindness(row: MatrixRow) -> float:
    return sum(2.0 if cell.smallest is None else cell.smallest for cell in row.cells if cell is not None)


def changes(result: Comparison) -> DotRows | None:
    """Return a row a benchmark: the change of its median with its interval; what became slower first."""
    ranked = sorted(result.benchmarks, key=by_attention)
    shown = [end for one in ranked[:ROWS] for end in (*(one.interval or ()), one.ratio)]
    if not shown:
        return None
    # A few endless intervals must not shrink the others to nothing: they end at the edge.
    reach = math.exp(max(0.05, float(np.quantile(np.abs(np.log(shown)), 0.9))))
    axis = plot_axis(1 / reach, reach, logarithmic=True)
    lines = [
        Line(
            name=one.benchmark,
            dots=(Dot(value=one.ratio, kind=one.change.value),),
            span=one.interval,
            kind=one.change.value,
            note=change(one.ratio - 1),
        )
        for one in ranked
    ]
    return dot_rows(lines, axis, change_ticks(axis), Tick(at=axis.at(1.0), label="0%"))
