"""Centre and spread of one sample."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike


def rsd(values: ArrayLike) -> float:
    """Return the relative standard deviation s ÷ mean, 0..1, with s over n − 1.

    Source: Laaber, Scheuner & Leitner 2018, §4.1 (there in percent).
    All equal: 0. n < 2 raises ValueError, for one value has no spread; NaN gives NaN.
    """
    sample = np.asarray(values, dtype=float)
    if sample.size < 2:
        raise ValueError(f"expected at least 2 values for a standard deviation, found {sample.size}")
    # Equal values must give 0 exactly, where the rounding of the mean would leave a residue.
    if np.ptp(sample) == 0:
        return 0.0
    return float(sample.std(ddof=1) / sample.mean())


def at_rank(values: Sequence[float], percent: int) -> float:
    """Return the order statistic at rank max(1, ⌊percent · n ÷ 100⌋), counted from 1, ascending.

    The rank is computed in integers: `.95 * 20` is not 19 in every floating point. Equal values each
    keep their place. n = 1: that value. n = 0 raises ValueError.
    """
    if not values:
        raise ValueError("expected at least 1 value for an order statistic, found none")
    return sorted(values)[max(1, percent * len(values) // 100) - 1]
