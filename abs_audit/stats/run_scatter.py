"""How much whole runs of a comparison scatter beyond what their repetitions explain.

What comparisons say are arrays of two: how many independent deviations of runs they saw, and these times the
variance. So the evidence of several is their sum, and what one of them said can be taken out again.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

Evidence = NDArray[np.float64]
"""Degrees of freedom; freedom · variance, in the squared unit of the differences, below 0 by chance."""


def scatter(
    differences: ArrayLike, errors: ArrayLike, typical: float, expected: float | None = None
) -> Evidence:
    """Return what runs of one comparison say: the moments of a random effect (DerSimonian & Laird 1986).

    `differences` and `errors` have shape (runs,): what each run shows, and the variance that its repetitions
    give that. Without an expected difference runs deviate from their own mean, and one run says nothing.
    Where repetitions scatter more than runs do typically, a deviation says less: its freedom shrinks.
    """
    shown = np.asarray(differences, dtype=float)
    freedom, explained = shown.size - (expected is None), float(np.mean(np.asarray(errors, dtype=float)))
    if freedom < 1 or not np.isfinite(explained):
        return np.zeros(2)
    squares = float(((shown - (shown.mean() if expected is None else expected)) ** 2).sum())
    weight = (typical**2 / (typical**2 + explained)) ** 2
    return weight * np.array([freedom, squares - freedom * explained])


def explains(distance: float, runs: int, evidence: Evidence, alpha: float) -> bool:
    """Tell whether a mean of so many runs may lie so far from a value by chance: p ≥ alpha, one-sided t."""
    freedom, total = evidence
    return bool(total > 0 and distance < -stdtrit(freedom, alpha) * np.sqrt(total / freedom / runs))
