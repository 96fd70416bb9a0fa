"""How variable is a benchmark, and where does it come from: the iterations, the trials or the machines?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from abs_audit.analysis.sampling import Instances
from abs_audit.stats.summary import rsd

OUTLIER = 10.0
"""Values of at least this multiple of the median are errors of the environment, not of the subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkVariability:
    """Relative standard deviations (s ÷ mean, 0..1) of one benchmark by source."""

    benchmark: str
    per_trial: float | None
    """Mean over the trials: how much the iterations of one trial differ. None: no trial has two values."""
    per_instance: float | None
    """Mean over the instances: all values of one instance."""
    total: float | None
    """Of all values: iterations, trials and instances together."""
    instances: int
    trials: int
    values: int
    """After the outliers were removed."""
    outliers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Variability:
    """Answer to: how much do results differ, and is it the machine or the benchmark?"""

    benchmarks: tuple[BenchmarkVariability, ...]
    warnings: tuple[str, ...]


def variability(samples: Mapping[str, Instances]) -> Variability:
    """Return the RSD of each benchmark within trials, within instances and in total.

    Laaber, Scheuner & Leitner 2018, §3 (outliers) and §4.1. `samples`: benchmark → instances → trials →
    values, positive and finite. A benchmark without values has None everywhere and a warning; values
    that are all equal have an RSD of 0.
    """
    rows = tuple(_benchmark(name, samples[name]) for name in sorted(samples))
    return Variability(benchmarks=rows, warnings=tuple(_warnings(rows)))


def without_outliers(samples: Instances) -> list[list[list[float]]]:
    """Return the values below 10 × the median of all; instances and trials keep their places."""
    everything = [value for instance in samples for trial in instance for value in trial]
    limit = OUTLIER * median(everything) if everything else 0.0
    return [[[value for value in trial if value < limit] for trial in instance] for instance in samples]


def _benchmark(name: str, samples: Instances) -> BenchmarkVariability:
    clean = without_outliers(samples)
    instances = [pool for trials in clean if (pool := _flat(trials))]
    trials = [trial for instance in clean for trial in instance if trial]
    kept = _flat(instances)
    return BenchmarkVariability(
        benchmark=name,
        per_trial=_mean_rsd(trials),
        per_instance=_mean_rsd(instances),
        total=_mean_rsd([kept]),
        instances=len(instances),
        trials=len(trials),
        values=len(kept),
        outliers=sum(len(trial) for instance in samples for trial in instance) - len(kept),
    )


def _flat(parts: Sequence[Sequence[float]]) -> list[float]:
    return [value for part in parts for value in part]


def _mean_rsd(samples: Sequence[Sequence[float]]) -> float | None:
    known = [rsd(sample) for sample in samples if len(sample) > 1]
    return fmean(known) if known else None


def _warnings(rows: Sequence[BenchmarkVariability]) -> Iterator[str]:
    for row in rows:
        if not row.values:
            yield f"{row.benchmark}: no values"
        elif row.instances == 1:
            yield f"{row.benchmark}: one instance, so the total says nothing about other machines"
        if row.outliers:
            yield f"{row.benchmark}: {row.outliers} values of at least 10 × the median were left out"
