"""How variable is a benchmark, and where does it come from: the iterations, the trials or the machines?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Annotated

from abs_audit.analyses.detectable.sampling import Instances
from abs_audit.model.bounds import Count, MaybeSize, bounded, told_as
from abs_audit.stats.summary import rsd
from abs_audit.wording import count

OUTLIER = 10.0
"""Values of at least this multiple of the median are errors of the environment, not of the subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviations:
    """Relative standard deviations, s ÷ mean; null: not enough values."""

    per_trial: MaybeSize
    """Mean over the trials: how much the iterations of one trial differ."""
    per_instance: MaybeSize
    """Mean over the instances: all values of one instance."""
    total: MaybeSize
    """Of all values: iterations, trials and instances together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkVariability:
    """How much one benchmark varies, by source."""

    benchmark: Annotated[str, told_as("id")]
    rsd: Deviations
    instances: Count
    trials: Count
    values: Count
    """That the figures rest on: without the outliers where they were removed."""
    outliers: Annotated[int, bounded(0, description="values of at least 10 times the median, removed or not")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variability:
    """Answer to: how much do results differ, and is it the machine or the benchmark?"""

    benchmarks: tuple[BenchmarkVariability, ...]
    outliers_removed: bool
    warnings: tuple[str, ...]


def variability(samples: Mapping[str, Instances], *, remove_outliers: bool = False) -> Variability:
    """Return the RSD of each benchmark within trials, within instances and in total.

    Laaber, Scheuner & Leitner 2018, §3 (outliers, which the paper removes; here it is a choice) and §4.1.
    `samples`: benchmark → instances → trials → values, positive and finite. A benchmark without values has
    None everywhere and a warning; values that are all equal have an RSD of 0.
    """
    rows = tuple(_benchmark(name, samples[name], remove=remove_outliers) for name in sorted(samples))
    return Variability(
        benchmarks=rows,
        outliers_removed=remove_outliers,
        warnings=tuple(_warnings(rows, removed=remove_outliers)),
    )


def cleaned(samples: Mapping[str, Instances]) -> dict[str, Instances]:
    """Return all benchmarks without their outliers."""
    return {name: without_outliers(values) for name, values in samples.items()}


def without_outliers(samples: Instances) -> list[list[list[float]]]:
    """Return the values below 10 × the median of all; instances and trials keep their places."""
    everything = [value for instance in samples for trial in instance for value in trial]
    limit = OUTLIER * median(everything) if everything else 0.0
    return [[[value for value in trial if value < limit] for trial in instance] for instance in samples]


def _benchmark(name: str, samples: Instances, *, remove: bool) -> BenchmarkVariability:
    clean = without_outliers(samples)
    used: Instances = clean if remove else samples
    instances = [pool for trials in used if (pool := _flat(trials))]
    trials = [trial for instance in used for trial in instance if trial]
    kept = _flat(instances)
    return BenchmarkVariability(
        benchmark=name,
        rsd=Deviations(
            per_trial=_mean_rsd(trials), per_instance=_mean_rsd(instances), total=_mean_rsd([kept])
        ),
        instances=len(instances),
        trials=len(trials),
        values=len(kept),
        outliers=_size(samples) - _size(clean),
    )


def _size(samples: Instances) -> int:
    return sum(len(trial) for instance in samples for trial in instance)


def _flat(parts: Sequence[Sequence[float]]) -> list[float]:
    return [value for part in parts for value in part]


def _mean_rsd(samples: Sequence[Sequence[float]]) -> float | None:
    deviations = [rsd(sample) for sample in samples if len(sample) > 1]
    return fmean(deviations) if deviations else None


def _warnings(rows: Sequence[BenchmarkVariability], *, removed: bool) -> Iterator[str]:
    """Yield what the reader must know: what concerns many benchmarks alike is said once."""
    yield from (f"{row.benchmark}: no values" for row in rows if not row.values)
    lonely = sum(row.instances == 1 for row in rows)
    if lonely:
        yield (
            f"{lonely} of {len(rows)} benchmarks were measured on one instance: "
            "their total says nothing about other machines"
        )
    single = sum(row.rsd.per_trial is None and row.values > 0 for row in rows)
    if single:
        yield f"{single} of {len(rows)} benchmarks have one value a trial: nothing is known inside a trial"
    strange = [row.outliers for row in rows if row.outliers]
    if strange:
        fate = "left out" if removed else "kept; --remove-outliers leaves them out"
        yield (
            f"{count(sum(strange), 'value')} of at least 10 × the median in {count(strange, 'benchmark')}: "
            f"{fate}"
        )
