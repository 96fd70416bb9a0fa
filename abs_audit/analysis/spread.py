"""How stable is each benchmark? maxSpread, its buckets and the slowdown to inject."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkSpread:
    """Stability of one benchmark over the runs of a suite."""

    benchmark: str
    means: tuple[float, ...]
    """Seconds per invocation, one mean a run."""
    max_spread: float | None
    """(max − min) ÷ mean of the run means; None unless all runs have a result."""
    rsd: float | None
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
