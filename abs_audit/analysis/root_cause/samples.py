"""What was measured of a commit: runs, each a fresh process, and how far runs of one commit lie apart."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.stats import trim_mean

Run = tuple[float, ...]
"""Values of one process, in seconds per invocation."""

PRESUMED_SHIFT = 0.01
"""Run-to-run standard deviation that is presumed until runs show another one, relative to the time."""
PRESUMED_WEIGHT = 2.0
"""Degrees of freedom that the presumption is worth."""
TRIMMED = 0.25
"""Part of a run's values that its centre leaves out at either end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """All runs of one commit."""

    runs: tuple[Run, ...]
    """At least one, none empty."""
    centres: tuple[float, ...]
    """Natural logarithm of the interquartile mean of each run."""
    ripple: float
    """Mean over the runs of s² ÷ n of the logarithms: what a centre varies by for its values alone."""

    @property
    def values(self) -> tuple[float, ...]:
        """All values, run after run."""
        return tuple(value for run in self.runs for value in run)

    @property
    def mean(self) -> float:
        """Mean of all values, in seconds per invocation."""
        return float(np.mean(self.values))

    @property
    def level(self) -> float:
        """Mean of the centres, a logarithm of seconds."""
        return float(np.mean(self.centres))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How far runs of the same commit lie apart, in logarithms."""

    variance: float
    freedom: float
    """Degrees of freedom of that estimate, the presumption's included."""


def sample(runs: Iterable[Run]) -> Sample:
    """Return the runs with their centres.

    The centre is the interquartile mean: nearly as exact as the mean on Gaussian noise, and unmoved by
    millisecond outliers. No run, an empty one, or a value that is not a positive number: ValueError.
    """
    every = tuple(tuple(run) for run in runs)
    if not every or any(not run for run in every):
        raise ValueError("expected at least one run with at least one value")
    if any(not (math.isfinite(value) and value > 0) for run in every for value in run):
        raise ValueError("expected times above zero, found another value")
    centres = tuple(math.log(float(trim_mean(run, TRIMMED))) for run in every)
    ripples = [float(np.var(np.log(run), ddof=1)) / len(run) for run in every if len(run) > 1]
    return Sample(runs=every, centres=centres, ripple=float(np.mean(ripples)) if ripples else 0.0)


def spread(samples: Iterable[Sample]) -> Spread:
    """Return the pooled variance of the centres of runs of the same commit.

    (ν₀·s₀² + ΣΣ (x − x̄ᵢ)²) ÷ (ν₀ + Σ (nᵢ − 1)), with s₀² = .01² + the mean ripple and ν₀ = 2: two runs that
    happen to agree do not make a machine exact. No commit with two runs, or none at all: the presumption.
    """
    every = list(samples)
    ripple = float(np.mean([one.ripple for one in every])) if every else 0.0
    squares = PRESUMED_WEIGHT * (PRESUMED_SHIFT**2 + ripple)
    freedom = PRESUMED_WEIGHT
    for one in every:
        squares += float(np.sum((np.array(one.centres) - one.level) ** 2))
        freedom += len(one.centres) - 1
    return Spread(variance=squares / freedom, freedom=freedom)
