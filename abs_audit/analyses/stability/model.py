"""How stable is each benchmark? maxSpread, its buckets and the slowdown to inject."""

import itertools
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated, Self

import numpy as np
from numpy.typing import ArrayLike

from abs_audit.grouping import grouped
from abs_audit.model.bounds import MaybeSize, NumberOrNull, SizeOrNull, told_as
from abs_audit.stats import summary
from abs_audit.stats.arrays import Floats
from abs_audit.stats.density import density
from abs_audit.wording import some


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkSpread:
    """Stability of one benchmark over the runs of a suite."""

    benchmark: Annotated[str, told_as("id")]
    max_spread: MaybeSize
    """(max − min) ÷ mean of the run means; None unless all runs have a result."""
    means: tuple[SizeOrNull, ...]
    """Seconds per invocation, one mean a run."""
    rsd: MaybeSize
    """Standard deviation ÷ mean over all values of all runs, 0..1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability:
    """Answer to: how stable is the suite, and which slowdown stands out from its noise?"""

    runs: int
    benchmarks: tuple[BenchmarkSpread, ...]
    buckets: tuple[int, int, int, int, int]
    """Benchmarks with a maxSpread in 0-.05, .05-.1, .1-.25, .25-.5 and above; upper edges included."""
    slowdown: float | None
    """δ = 2 × the 95th percentile of the maxSpreads; None without any."""
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Density:
    """A curve to draw: which values occur how often."""

    name: Annotated[str, told_as("id")]
    """The benchmark, or what the values belong to."""
    positions: tuple[NumberOrNull, ...]
    """Ascending; relative differences from the mean (violins) or maxSpreads."""
    heights: tuple[SizeOrNull, ...]
    """As many as `positions`, at least 0; drawn relative to their largest."""

    @classmethod
    def of(cls, name: str, values: ArrayLike) -> Self:
        """Return the Gaussian kernel density of values; no value raises ValueError."""
        positions, heights = density(values)
        return cls(name=name, positions=tuple(positions.tolist()), heights=tuple(heights.tolist()))


NO_FAILURES: Mapping[str, str] = {}
EDGES = (0.05, 0.1, 0.25, 0.5)
"""Upper edges of the buckets of Table 3; the fifth bucket has none."""
CURVE_VALUES = 500
"""Values of a curve: more of them change its picture by less than a line is wide."""


def max_spread(means: Sequence[float]) -> float:
    """Return (max − min) ÷ mean of the run means; 0 for a single run or equal ones.

    Laaber & Leitner 2018, §5.2, Eq. 1. The prose there ("1 = twice the time") does not follow from the
    equation (means 1 and 2 give 2/3); the equation wins. Scale-free; more runs can lower it.
    No run raises ValueError; times are positive, so the mean never is 0.
    """
    if not means:
        raise ValueError("expected the mean of at least 1 run, found none")
    return (max(means) - min(means)) / (sum(means) / len(means))


def buckets(spreads: Iterable[float]) -> tuple[int, int, int, int, int]:
    """Count maxSpreads in 0-.05, .05-.1, .1-.25, .25-.5 and above (Table 3).

    An upper edge belongs to its bucket, so that the last agrees with what the absolute score leaves out.
    """
    counts = Counter(bisect_left(EDGES, spread) for spread in spreads)
    return counts[0], counts[1], counts[2], counts[3], counts[4]


def slowdown(spreads: Sequence[float]) -> float:
    """Return δ = 2 · MS(i), MS ascending with repetitions, i = max(1, ⌊.95 · n⌋) counted from 1.

    Laaber & Leitner 2018, §6.2: 95 % of the benchmarks have a maxSpread of at most δ/2.
    No maxSpread raises ValueError.
    """
    return 2 * summary.at_rank(spreads, 95)


def stability(
    runs: Mapping[str, Sequence[Sequence[float]]], failures: Mapping[str, str] = NO_FAILURES
) -> Stability:
    """Return the spread of each benchmark between runs, and the slowdown that stands out from it.

    `runs` holds, for each benchmark, the values of each run in seconds per invocation (a throughput
    already inverted); an empty list where a run has no result. The number of runs is the longest list.
    Only benchmarks with a result in every run have a maxSpread. One run gives spreads of 0, which is
    no information: no slowdown then, and a warning. `failures` says why benchmarks have no result.
    """
    count = max((len(values) for values in runs.values()), default=0)
    benchmarks = tuple(_benchmark(name, values, count) for name, values in sorted(runs.items()))
    spreads = [benchmark.max_spread for benchmark in benchmarks if benchmark.max_spread is not None]
    delta = slowdown(spreads) if spreads and count > 1 else None
    return Stability(
        runs=count,
        benchmarks=benchmarks,
        buckets=buckets(spreads),
        slowdown=delta,
        warnings=tuple(_warnings(runs, failures, count, delta)),
    )


def violin(result: Stability) -> Density | None:
    """Return the shape of the maxSpreads (Laaber & Leitner 2018, Figure 1); None where there are none."""
    spreads = [benchmark.max_spread for benchmark in result.benchmarks if benchmark.max_spread is not None]
    return Density.of("maxSpread", spreads) if spreads else None


def violins(runs: Mapping[str, Sequence[Sequence[float]]]) -> tuple[Density, ...]:
    """Return for each measured benchmark how its values lie around their mean, as relative differences."""
    curves = []
    for name in sorted(runs):
        flat = np.fromiter(itertools.chain.from_iterable(runs[name]), dtype=float)
        if flat.size:
            curves.append(Density.of(name, _thinned(flat / flat.mean() - 1)))
    return tuple(curves)


def _thinned(values: Floats) -> Floats:
    """Return the values, or as many evenly spaced ones in their order as a curve can show."""
    if values.size <= CURVE_VALUES:
        return values
    evenly: Floats = np.sort(values)[np.linspace(0, values.size - 1, CURVE_VALUES).round().astype(int)]
    return evenly


def _benchmark(name: str, values: Sequence[Sequence[float]], count: int) -> BenchmarkSpread:
    means = tuple(fmean(run) for run in values if run)
    everything = [value for run in values for value in run]
    return BenchmarkSpread(
        benchmark=name,
        means=means,
        max_spread=max_spread(means) if means and len(means) == count else None,
        rsd=summary.rsd(everything) if len(everything) > 1 else None,
    )


def _warnings(
    runs: Mapping[str, Sequence[Sequence[float]]],
    failures: Mapping[str, str],
    count: int,
    delta: float | None,
) -> Iterator[str]:
    if count == 1:
        yield "one run says nothing about the spread between runs: measure at least 2, better 5 (--runs 5)"
    made = {name: sum(map(bool, values)) for name, values in sorted(runs.items())}
    incomplete = grouped(
        ((number, failures.get(name, "")), name) for name, number in made.items() if number < count
    )
    for (number, why), names in sorted(incomplete.items()):
        yield f"results in {number} of {count} runs, so no maxSpread{why and f' ({why})'}: {some(names)}"
    if delta == 0:
        yield "the runs do not differ at all, so no slowdown follows from them: name one (--slowdown D)"
