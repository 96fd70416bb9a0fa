"""Bootstrap distributions of percentiles and means; exact short cuts instead of loops.

Values are finite and given as arrays; an empty array or one with NaN is a ValueError. Draws take a numpy
`Generator`, so that a recorded seed repeats them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from abs_audit.stats.arrays import Floats, checked


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """How much to resample and which interval to read off."""

    resamples: int = 1000
    confidence: float = 0.95

    @property
    def tails(self) -> tuple[float, float]:
        """Probabilities of the interval's two ends, for instance .025 and .975."""
        tail = (1.0 - self.confidence) / 2.0
        return tail, 1.0 - tail


def percentile_draws(
    values: ArrayLike, percentiles: Sequence[float], resamples: int, rng: np.random.Generator
) -> Floats:
    """Return percentiles of bootstrap resamples, without resampling.

    Drawing n values with replacement and sorting them is the same as sorting n uniforms U and taking the
    sorted value at ⌊n·U⌋. The (k+1)-th smallest of n uniforms is Beta(k+1, n−k), and the next one lies
    Beta(1, n−k−1) of the way from it to 1. So two draws give numpy's linearly interpolated percentile of a
    resample *exactly* in distribution, whatever n. (Order statistics: David & Nagaraja 2003, §2.)

    `values` has shape (…, n), percentiles are 0..1; the result has shape (…, resamples, percentiles), in the
    unit of the values. Different percentiles are drawn independently: read them one at a time. Intervals of a
    median at 95 % hold 93 to 95 % of cases with 5 to 50 values: percentile bootstraps are a little narrow.
    n = 1 or all values equal: that value in each draw.
    """
    ordered = np.sort(checked(values), axis=-1)
    n = ordered.shape[-1]
    shape = (*ordered.shape[:-1], resamples)
    columns = []
    for percentile in percentiles:
        rank, weight = _rank(n, percentile)
        uniform = rng.beta(rank + 1, n - rank, size=shape)
        column = _at(ordered, uniform)
        if weight > 0.0:
            higher = uniform + (1.0 - uniform) * rng.beta(1, n - rank - 1, size=shape)
            column = (1.0 - weight) * column + weight * _at(ordered, higher)
        columns.append(column)
    return np.stack(columns, axis=-1)


def percentile_intervals(
    values: ArrayLike, percentiles: Sequence[float], plan: Resampling, rng: np.random.Generator
) -> Floats:
    """Return bootstrap percentile intervals of percentiles: shape (…, percentiles, 2), low end first.

    The method of SuperFlow 2 (Wen et al. 2023, §4.3): the ends are the 2.5th and 97.5th percentile (at 95 %)
    of the resampled percentiles. n = 1 or all values equal: both ends are that value.
    """
    draws = percentile_draws(values, percentiles, plan.resamples, rng)
    return np.moveaxis(np.quantile(draws, plan.tails, axis=-2), 0, -1)


def mean_draws(values: ArrayLike, resamples: int, rng: np.random.Generator) -> Floats:
    """Return the means of bootstrap resamples of one sample: shape (resamples,).

    `values` has shape (n,); the means have its unit. n = 1 or all values equal: that value in each draw.
    """
    sample = checked(values)
    means: Floats = sample[rng.integers(0, sample.size, size=(resamples, sample.size))].mean(axis=1)
    return means


def _rank(n: int, percentile: float) -> tuple[int, float]:
    """Return the 0-based order statistic below numpy's linear percentile, and the weight of the next one."""
    position = (n - 1) * percentile
    # The least error of a product must not turn an exact rank into an interpolation.
    nearest = round(position)
    if abs(position - nearest) < 1e-9:
        return nearest, 0.0
    return int(position), position - int(position)


def _at(ordered: Floats, uniform: Floats) -> Floats:
    """Return the sorted values at ⌊n·U⌋ along the last axis."""
    n = ordered.shape[-1]
    # U may round to 1, and ⌊n·U⌋ to n.
    return np.take_along_axis(ordered, np.minimum((n * uniform).astype(np.intp), n - 1), axis=-1)
