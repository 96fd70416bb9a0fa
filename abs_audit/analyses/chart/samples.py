"""Counters of test runs, and what is done to them before they are charted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from abs_audit.analyses.chart.load import LoadFilter, filter_load, learn_scaling
from abs_audit.stats.arrays import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterSamples:
    """The samples of one counter in one run; both arrays have shape (n,)."""

    values: Floats
    load: Floats | None
    """Load of the moment each sample was taken; None where it is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartRun:
    """One test run: counters sampled over time. Benchmarks serve as counters too; they have no load."""

    name: str
    counters: Mapping[str, Floats]
    """Name → samples in the order measured in, shape (n,)."""
    load: Floats | None
    """One load a sample, shape (n,); None without a load column."""

    def samples(self, counter: str) -> CounterSamples:
        """Return one counter with its loads; ValueError where it has no samples, or not one load each."""
        values = np.asarray(self.counters[counter], dtype=np.float64)
        if values.size == 0:
            raise ValueError(
                f"expected samples of {counter} in {self.name}, found none: leave the counter out"
            )
        if self.load is not None and self.load.shape != values.shape:
            raise ValueError(
                f"expected one load for each of the {values.size} samples of {counter} in {self.name}, "
                f"found {self.load.size}"
            )
        return CounterSamples(values=values, load=self.load)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartValues:
    """What limits are drawn from and what is held against them."""

    baseline: Floats
    """Pooled values of all baselines."""
    target: Floats
    notes: tuple[str, ...]


def main_load(samples: CounterSamples) -> tuple[CounterSamples, LoadFilter]:
    """Return the samples under the main load, and what the filter did (`filter_load`)."""
    done = filter_load(samples.values)
    load = None if samples.load is None else samples.load[done.kept]
    return CounterSamples(values=samples.values[done.kept], load=load), done


def doubt(done: LoadFilter) -> str:
    """Say where a filter dropped most of a run: then it may have kept the wrong load. Empty elsewhere."""
    dropped = int(np.count_nonzero(~done.kept))
    if 2 * dropped <= done.kept.size:
        return ""
    return f"the filter dropped {dropped} of {done.kept.size} samples: look at the density before trusting it"


def at_one_load(baselines: Sequence[CounterSamples], target: CounterSamples) -> ChartValues:
    """Return baseline and target values brought to the median baseline load, as far as that can be done.

    The line is learned from the baselines alone. Runs without load, and counters that do not follow it, are
    taken as they are, and the notes say so.
    """
    pooled = np.concatenate([run.values for run in baselines])
    loads = [run.load for run in baselines if run.load is not None]
    if target.load is None or len(loads) < len(baselines):
        return ChartValues(baseline=pooled, target=target.values, notes=("not scaled: no load recorded",))
    load = np.concatenate(loads)
    scaling = learn_scaling(pooled, load)
    baseline, stuck = scaling.apply(pooled, load)
    scaled, stuck_in_target = scaling.apply(target.values, target.load)
    notes = [f"not scaled: {scaling.reason}"] if scaling.reason else []
    if stuck + stuck_in_target:
        notes.append(f"{stuck + stuck_in_target} samples not scaled: their predicted value is not positive")
    return ChartValues(baseline=baseline, target=scaled, notes=tuple(notes))
