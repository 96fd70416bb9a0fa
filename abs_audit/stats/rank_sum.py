"""The two-sided Wilcoxon rank-sum (Mann-Whitney U) test, for one pair or many at once.

Shapes: `first` is (…, n), `second` (…, m); all leading axes are tested independently in one go, and
the result has the shape of the leading axes. NaN is an error of the reader and raises ValueError here.
"""

from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr
from scipy.stats import rankdata

Floats = NDArray[np.float64]

SMALL = 8
"""Where the smaller side has at most this many values and no ties, the exact distribution is used."""


def asymptotic(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return p by the normal approximation with correction for ties and for continuity.

    U = R₁ − n(n+1)/2 with midranks; σ² = nm/12 · ((N+1) − Σ(t³−t)/(N(N−1))), N = n + m, t the sizes of
    tied groups; z = (max(U, nm−U) − nm/2 − ½)/σ; p = min(1, 2·Φ(−z)). The test of Laaber & Leitner 2018,
    §6.2, and `scipy.stats.mannwhitneyu(method="asymptotic")`. All values equal (σ = 0): p = 1.
    An empty side raises ValueError; 1 + 1 values give 1.
    """
    one, two = _pair(first, second)
    n, m = one.shape[-1], two.shape[-1]
    ranks, ties = _ranks(one, two)
    u, total = _u(ranks, n), n + m
    sigma = np.sqrt(n * m / 12 * np.maximum(total + 1 - ties / (total * (total - 1)), 0.0))
    excess = np.maximum(u, n * m - u) - n * m / 2 - 0.5
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * ndtr(-excess / sigma)
    return np.asarray(np.where(sigma == 0, 1.0, np.minimum(p, 1.0)))


def exact(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return p by the permutation distribution of U, which knows no ties.

    p = min(1, 2·P(U ≥ max(u, nm−u))). Ties raise ValueError, as does an empty side; 1 + 1 values give 1.
    """
    one, two = _pair(first, second)
    n, m = one.shape[-1], two.shape[-1]
    ranks, ties = _ranks(one, two)
    if np.any(ties):
        raise ValueError("expected values without ties for the exact distribution, found equal values")
    return _exact(_u(ranks, n), n, m)


def p_value(first: ArrayLike, second: ArrayLike) -> float:
    """Return p of one pair, as `p_values` does for many."""
    return float(p_values(first, second))


def p_values(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return p: exact for small samples without ties, else asymptotic.

    Ties can push the approximation below every p that a permutation of the values could give (two
    constant samples of 5: .0040 instead of .0079). That is no evidence: `smallest` is the floor.
    """
    one, two = _pair(first, second)
    n, m = one.shape[-1], two.shape[-1]
    approximate = np.maximum(asymptotic(one, two), smallest(n, m))
    if min(n, m) > SMALL:
        return approximate
    ranks, ties = _ranks(one, two)
    return np.asarray(np.where(ties == 0, _exact(_u(ranks, n), n, m), approximate))


def smallest(n: int, m: int) -> float:
    """Return the smallest p that n + m values can give: 2 ÷ (n+m choose n); 1 where a side is empty."""
    return min(1.0, 2 / comb(n + m, n))


def attainable(n: int, m: int, alpha: float) -> bool:
    """Tell whether n + m values can reach p < alpha at all; where not, a test says nothing."""
    return smallest(n, m) < alpha


def u_statistic(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return U: the pairs in which `first` is larger, equal pairs counting half. 0 … nm."""
    one, two = _pair(first, second)
    n = one.shape[-1]
    ranks, _ = _ranks(one, two)
    return _u(ranks, n)


def _pair(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    one, two = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if one.size == 0 or two.size == 0:
        raise ValueError(f"expected values on both sides, found shapes {one.shape} and {two.shape}")
    if np.isnan(one).any() or np.isnan(two).any():
        raise ValueError("expected numbers, found NaN: a missing measurement must not reach a test")
    return one, two


def _ranks(one: Floats, two: Floats) -> tuple[Floats, Floats]:
    """Return the midranks of the joint samples and Σ(t³−t) over their groups of equal values."""
    joint = np.concatenate([one, two], axis=-1)
    ranks = np.asarray(rankdata(joint, axis=-1))
    # Each member of a group of t ties misses its ordinal rank; over the group that is (t³−t)/12 in squares.
    count = joint.shape[-1]
    missing = count * (count + 1) * (2 * count + 1) / 6 - (ranks**2).sum(axis=-1)
    return ranks, np.rint(12 * missing)


def _u(ranks: Floats, n: int) -> Floats:
    return np.asarray(ranks[..., :n].sum(axis=-1) - n * (n + 1) / 2)


def _exact(u: Floats, n: int, m: int) -> Floats:
    """Return the exact p of U without ties; of a half U (ties) the p of the next whole one."""
    whole = np.rint(np.maximum(u, n * m - u)).astype(int)
    return np.asarray(np.minimum(2 * _upper_tail(n, m)[whole], 1.0))


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
