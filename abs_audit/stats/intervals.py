"""Intervals for what was counted, and for how far values have moved."""

from math import sqrt

import numpy as np

from abs_audit.stats import rank_sum
from abs_audit.stats.arrays import Floats

Z_95 = 1.959963984540054
"""Two-sided 95 % point of the standard normal distribution."""


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95 % score interval of a proportion (Wilson 1927), 0..1.

    Centre (k + z²/2)/(n + z²), half width z/(n + z²) · √(k(n−k)/n + z²/4). No trials: (0, 1), for
    nothing is known. Unlike the textbook interval it has a width where k = 0 or k = n.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"expected 0 ≤ successes ≤ trials, found {successes} of {trials}")
    if trials == 0:
        return 0.0, 1.0
    scale = trials + Z_95**2
    centre = (successes + Z_95**2 / 2) / scale
    half = Z_95 / scale * sqrt(successes * (trials - successes) / trials + Z_95**2 / 4)
    # At the ends the bound is exact; rounding must not push it past 0 or 1.
    low = 0.0 if successes == 0 else centre - half
    return low, 1.0 if successes == trials else centre + half


def shift(before: Floats, after: Floats, alpha: float = 0.05) -> Floats | None:
    """Return what is added to values to become the later ones: interval ends of shape (…, 2).

    The rank-sum test turned over (Hodges & Lehmann 1963; Bauer 1972): two of the sorted differences of every
    value after and every value before. `before` (…, n), `after` (…, m), any unit, best logarithms. Whatever
    the noise, if it is of one kind on both sides: covers with at least 1 − α, .95 to .973 of cases where
    1 − α is .95. None where n + m values can never say as much: three and three, for instance.
    """
    n, m = before.shape[-1], after.shape[-1]
    outside = rank_sum.outside(n, m, alpha)
    if outside == 0:
        return None
    differences = (after[..., :, np.newaxis] - before[..., np.newaxis, :]).reshape(*before.shape[:-1], -1)
    ends = np.partition(differences, (outside - 1, n * m - outside), axis=-1)
    return np.stack([ends[..., outside - 1], ends[..., n * m - outside]], axis=-1)
