"""The two-sided Wilcoxon rank-sum (Mann-Whitney U) test, for one pair or many at once.

Shapes: `first` is (…, n), `second` (…, m); all leading axes are tested independently in one go, and
the result has the shape of the leading axes. NaN is an error of the reader and raises ValueError here.
"""

from functools import lru_cache
from math import comb

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy.special import ndtri

from abs_audit.stats.arrays import Flags, Floats

SMALL = 8
"""Where the smaller side has at most this many values and no ties, the exact distribution is used."""
LARGEST_EXACT = 2500
"""Pairs of values up to which the distribution of U is counted out; beyond, it is normal to five digits."""


def asymptotic(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return p by the normal approximation with correction for ties and for continuity.

    The test of Laaber & Leitner 2018, §6.2: `scipy.stats.mannwhitneyu(method="asymptotic")`. All values
    equal: p = 1. An empty side raises ValueError; 1 + 1 values give 1.
    """
    p = scipy.stats.mannwhitneyu(*_pair(first, second), axis=-1, method="asymptotic").pvalue
    return np.where(np.isnan(p), 1.0, p)


def p_value(first: ArrayLike, second: ArrayLike) -> float:
    """Return p of one pair, as `p_values` does for many."""
    return float(p_values(first, second))


def p_values(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return p: exact for small samples without ties, else asymptotic.

    Ties can push the approximation below every p that a permutation of the values could give (two
    constant samples of 5: .0040 instead of .0079). That is no evidence: `smallest` is the floor.
    """
    left, right = _pair(first, second)
    n, m = left.shape[-1], right.shape[-1]
    approximated = _tied(left, right) | (min(n, m) > SMALL)
    if not approximated.any():
        return _exact(left, right)
    approximate = np.maximum(asymptotic(left, right), smallest(n, m))
    return approximate if approximated.all() else np.where(approximated, approximate, _exact(left, right))


def smallest(n: int, m: int) -> float:
    """Return the smallest p that n + m values can give: 2 ÷ (n+m choose n); 1 where a side is empty."""
    return min(1.0, 2 / comb(n + m, n))


def attainable(n: int, m: int, alpha: float) -> bool:
    """Tell whether n + m values can reach p < alpha at all; where not, a test says nothing."""
    return smallest(n, m) < alpha


def least_size(alpha: float) -> int:
    """Return the least equal number of values a side that can reach p < alpha."""
    size = 1
    while not attainable(size, size, alpha):
        size += 1
    return size


def outside(n: int, m: int, alpha: float) -> int:
    """Return how many values of U at either end have, together, at most the probability α."""
    if n * m <= LARGEST_EXACT:
        return int((2 * _upper_tail(n, m) <= alpha).sum())
    return int(n * m / 2 + ndtri(alpha / 2) * np.sqrt(n * m * (n + m + 1) / 12))


def u_statistic(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return U: the pairs in which `first` is larger, equal pairs counting half. 0 … nm."""
    return np.asarray(scipy.stats.mannwhitneyu(*_pair(first, second), axis=-1, method="asymptotic").statistic)


def _pair(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    left, right = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if left.size == 0 or right.size == 0:
        raise ValueError(f"expected values on both sides, found shapes {left.shape} and {right.shape}")
    if np.isnan(left).any() or np.isnan(right).any():
        raise ValueError("expected numbers, found NaN: a missing measurement must not reach a test")
    return left, right


def _tied(left: Floats, right: Floats) -> Flags:
    """Tell for each pair whether any two of its values are equal."""
    ordered = np.sort(np.concatenate([left, right], axis=-1), axis=-1)
    return np.asarray((ordered[..., 1:] == ordered[..., :-1]).any(axis=-1))


def _exact(left: Floats, right: Floats) -> Floats:
    return np.asarray(scipy.stats.mannwhitneyu(left, right, axis=-1, method="exact").pvalue)


@lru_cache(maxsize=256)
def _upper_tail(n: int, m: int) -> Floats:
    """Return P(U ≥ u) for u = 0 … nm: the Gaussian binomial coefficient, summed from above."""
    ways = np.zeros(n * m + 1)
    ways[0] = 1.0
    for i in range(1, n + 1):
        for u in range(n * m, m + i - 1, -1):
            ways[u] -= ways[u - m - i]
        for u in range(i, n * m + 1):
            ways[u] += ways[u - i]
    return np.asarray(np.cumsum(ways[::-1])[::-1] / comb(n + m, n))
