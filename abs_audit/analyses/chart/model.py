"""Is a new run out of control? Control charts of counters against baseline runs."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import ArrayLike

from abs_audit.analyses.chart.load import LoadFilter
from abs_audit.analyses.chart.samples import (
    ChartRun,
    ChartValues,
    CounterSamples,
    at_one_load,
    doubt,
    main_load,
)

FEW_BASELINES = 20  # where a good run still has a counter above its learned threshold more often than not
LEAST_THRESHOLD = 0.001  # stands for a learned threshold of 0 where counters are ordered


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Lower limit, centre line and upper limit, in the unit of the counter."""

    lcl: float
    cl: float
    ucl: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdRule:
    """A counter is out of control if its violation ratio > max(floor, factor · learned threshold).

    The limit lies at most halfway from the threshold to 1: where baselines differ much, twice the threshold
    would be out of reach, and a run whose every sample violates must not pass.
    """

    floor: float
    factor: float

    def limit(self, threshold: float | None) -> float:
        """Return the largest violation ratio that is still in control, 0..1.

        Without a threshold the floor alone decides; where there is none either, nothing is out of control.
        """
        if threshold is None:
            return self.floor or 1.0
        return max(self.floor, min(self.factor * threshold, (1.0 + threshold) / 2))


PAPER_RULE = ThresholdRule(floor=0.0, factor=1.0)
"""Nguyen et al. 2012, §5.3. With few baselines nearly every good run has a counter above it."""
STRICT_RULE = ThresholdRule(floor=0.25, factor=2.0)
"""Ours: gives up small shifts for good runs that stay unflagged.

On 100 simulated systems of 30 counters that did not choose it (`benchmarks/control_charts.py`), 6, 4 and 0 %
of the good runs have a flag with 5, 10 and 20 baselines, where the paper's rule flags 97, 87 and 67 %. A
shift of 10 % is found in 93 to 94 % of the counters (paper's rule: all), one of 5 % in a third (paper's rule:
85 to 88 %).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartSettings:
    """How counters are charted."""

    percentiles: tuple[float, float] = (5.0, 95.0)
    """Lower and upper control limit; the paper also names 1/99 and 10/90."""
    scale_load: bool = True
    """Bring counters to one load, where runs come with loads."""
    filter_load: bool = False
    """Drop samples of a second, lower kind of load."""
    rule: ThresholdRule = STRICT_RULE
    """What marks a counter as out of control."""


USUAL = ChartSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartedCounter:
    """One counter of the new run against its limits."""

    name: str
    limits: Limits
    violation_ratio: float
    """Share of the samples strictly outside the limits, 0..1."""
    threshold: float | None
    """Largest violation ratio of a baseline charted against the others; None with one baseline."""
    above_threshold: bool
    """The paper's rule: violation ratio > threshold."""
    limit: float
    """Largest violation ratio that the rule of the settings still takes for in control."""
    out_of_control: bool
    """The rule of the settings: violation ratio > limit."""
    baseline: tuple[float, ...]
    """The values that the limits are drawn from: filtered and scaled, one baseline after the other."""
    samples: tuple[float, ...]
    """The charted values: filtered and scaled, in the order measured in."""
    filtered: LoadFilter | None
    """None where no filter was asked for."""
    notes: tuple[str, ...]
    """What scaling and filtering did or could not do."""

    @property
    def excess(self) -> float:
        """Violation ratio ÷ threshold, the order of the answer; a threshold of 0 counts as .001."""
        return self.violation_ratio / max(self.threshold or 0.0, LEAST_THRESHOLD)


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlChart:
    """Answer to: is the new run out of control, and where most?"""

    baselines: tuple[str, ...]
    target: str
    counters: tuple[ChartedCounter, ...]
    """Largest violation relative to the threshold first."""
    average_violation: float | None
    """Mean violation ratio of the counters out of control; None without any."""
    warnings: tuple[str, ...]


def control_limits(baseline: ArrayLike, percentiles: tuple[float, float] = (5.0, 95.0)) -> Limits:
    """Return the limits over pooled baseline values: median, and two percentiles (numpy's linear ones).

    Nguyen et al. 2012, §2.2. One value or all equal: three times that value. Empty: ValueError.
    """
    values = np.asarray(baseline, dtype=np.float64)
    if values.size == 0:
        raise ValueError("expected baseline values to draw limits from, found none")
    lcl, cl, ucl = np.percentile(values, (percentiles[0], 50.0, percentiles[1]))
    return Limits(lcl=float(lcl), cl=float(cl), ucl=float(ucl))


def violation_ratio(limits: Limits, target: ArrayLike) -> float:
    """Return the share of values strictly outside the limits, 0..1; a value on a limit is no violation.

    Nguyen et al. 2012, §2.2. A good run at 5/95 has .10 on average. Empty: ValueError.
    """
    values = np.asarray(target, dtype=np.float64)
    if values.size == 0:
        raise ValueError("expected values of the new run, found none")
    return float(np.mean((values < limits.lcl) | (values > limits.ucl)))


def leave_one_out(baselines: Sequence[CounterSamples], settings: ChartSettings = USUAL) -> tuple[float, ...]:
    """Return for each baseline run its violation ratio on a chart of the others; empty for one run.

    Nguyen et al. 2012, §5.3, step 1. Scaling is learned anew without the run that is left out; the samples
    are taken as they are given, that is filtered already.
    """
    if len(baselines) < 2:
        return ()
    ratios = []
    for left_out, target in enumerate(baselines):
        others = [*baselines[:left_out], *baselines[left_out + 1 :]]
        values = _values(others, target, settings)
        ratios.append(violation_ratio(control_limits(values.baseline, settings.percentiles), values.target))
    return tuple(ratios)


def control_chart(
    baselines: Sequence[ChartRun], target: ChartRun, settings: ChartSettings = USUAL
) -> ControlChart:
    """Return all counters of the target that a baseline has too, charted; most violated first.

    Nguyen et al. 2012, §4 and §5.3. Values are finite. A counter that some baselines lack is charted against
    the others; one that no baseline has is named in the warnings. No baseline: ValueError.
    """
    if not baselines:
        raise ValueError("expected at least one baseline run, found none")
    charted = []
    for name in target.counters:
        having = [run.samples(name) for run in baselines if name in run.counters]
        if having:
            charted.append(_charted(name, having, target.samples(name), settings))
    counters = tuple(sorted(charted, key=lambda counter: -counter.excess))
    return ControlChart(
        baselines=tuple(run.name for run in baselines),
        target=target.name,
        counters=counters,
        average_violation=average_violation(counters),
        warnings=tuple(_warnings(baselines, target, settings)),
    )


def average_violation(counters: Sequence[ChartedCounter]) -> float | None:
    """Return the mean violation ratio of the counters out of control; None without any (paper, Table 5)."""
    ratios = [counter.violation_ratio for counter in counters if counter.out_of_control]
    return fmean(ratios) if ratios else None


def _charted(
    name: str, baselines: Sequence[CounterSamples], target: CounterSamples, settings: ChartSettings
) -> ChartedCounter:
    notes: list[str] = []
    filtered = None
    if settings.filter_load:
        done = [main_load(samples) for samples in (*baselines, target)]
        filtered = done[-1][1]
        *baselines, target = (samples for samples, _ in done)
        notes = [note for _, verdict in done if (note := doubt(verdict))]
    values = _values(baselines, target, settings)
    limits = control_limits(values.baseline, settings.percentiles)
    ratio = violation_ratio(limits, values.target)
    threshold = max(leave_one_out(baselines, settings), default=None)
    few = _few(values.baseline.size, settings.percentiles)
    return ChartedCounter(
        name=name,
        limits=limits,
        violation_ratio=ratio,
        threshold=threshold,
        above_threshold=threshold is not None and ratio > threshold,
        limit=settings.rule.limit(threshold),
        out_of_control=ratio > settings.rule.limit(threshold),
        baseline=tuple(values.baseline.tolist()),
        samples=tuple(values.target.tolist()),
        filtered=filtered,
        notes=(*notes, *values.notes, *([few] if few else [])),
    )


def _few(values: int, percentiles: tuple[float, float]) -> str:
    """Say where there are so few baseline values that no percentile lies within the extremes."""
    low, high = percentiles
    needed = math.ceil(100 / max(min(low, 100 - high), 1.0))
    return f"limits from {values} values; {needed} are needed" if values < needed else ""


def _values(
    baselines: Sequence[CounterSamples], target: CounterSamples, settings: ChartSettings
) -> ChartValues:
    if settings.scale_load:
        return at_one_load(baselines, target)
    pooled = np.concatenate([run.values for run in baselines])
    return ChartValues(baseline=pooled, target=target.values, notes=())


def _warnings(baselines: Sequence[ChartRun], target: ChartRun, settings: ChartSettings) -> Iterator[str]:
    in_baselines = {name for run in baselines for name in run.counters}
    if alien := sorted(set(target.counters) - in_baselines):
        yield f"no baseline has {', '.join(alien)}: not charted"
    if missing := sorted(in_baselines - set(target.counters)):
        yield f"{target.name} lacks {', '.join(missing)}: not charted"
    if len(baselines) == 1:
        yield "one baseline: no threshold can be learned; give at least 10 baselines"
    elif len(baselines) < FEW_BASELINES and settings.rule == PAPER_RULE:
        share = 1 / (len(baselines) + 1)
        yield (
            f"with {len(baselines)} baselines about {share:.0%} of the good counters exceed their threshold: "
            "a flag is a hint, not a regression"
        )
