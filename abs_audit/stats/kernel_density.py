"""Gaussian kernel density estimates on a grid."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from abs_audit.stats.bootstrap import Floats, checked

LARGEST_TABLE = 4_000_000  # cells of points × values held in memory at once


def scott_width(values: ArrayLike) -> float:
    """Return Scott's kernel width h = s·n^(−1/5), s with n − 1, in the unit of the values.

    The same as `scipy.stats.gaussian_kde`'s default in one dimension (Scott 1992). n = 1 or all equal: 0.
    """
    sample = checked(values)
    if sample.size == 1:
        return 0.0
    return float(sample.std(ddof=1) * sample.size ** (-1.0 / 5.0))


def density(values: ArrayLike, points: ArrayLike) -> Floats:
    """Return the Gaussian kernel density (Scott's width) of `values` at `points`: shape of `points`, per unit.

    f(x) = Σ φ((x − v)/h) / (n·h). Far from every value it underflows to exactly 0. One value, or all equal:
    ValueError, because the width is 0. NaN: ValueError.
    """
    return _by_parts(values, points, lambda z: np.exp(-0.5 * z**2).sum(axis=1), np.divide)


def log_density(values: ArrayLike, points: ArrayLike) -> Floats:
    """Return the natural logarithm of `density`, finite however far a point lies from the values."""
    return _by_parts(values, points, lambda z: logsumexp(-0.5 * z**2, axis=1), _log_divide)


def peaks(heights: ArrayLike) -> NDArray[np.intp]:
    """Return the indices of the local maxima of a curve, in order; an end counts if it lies above its neighbour.

    The ends count because a counter that idles at exactly 0 has its peak at the edge of its range. Of a
    plateau its first point is taken. All equal: the first point. Fewer than two points: all of them.
    """
    curve = np.asarray(heights, dtype=np.float64)
    kept = np.flatnonzero(np.concatenate(([True], np.diff(curve) != 0.0)))
    plateaus = np.concatenate(([-np.inf], curve[kept], [-np.inf]))
    top = (plateaus[1:-1] > plateaus[:-2]) & (plateaus[1:-1] > plateaus[2:])
    return kept[top]
