"""Intervals for what was counted."""

from math import sqrt

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
