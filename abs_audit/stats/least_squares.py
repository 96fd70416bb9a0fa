"""A straight line through points, with the evidence that it rises or falls."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from abs_audit.stats.arrays import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """y = slope·x + intercept, fitted by least squares."""

    slope: float
    """Unit of y ÷ unit of x."""
    intercept: float
    """Unit of y."""
    slope_p: float
    """p of the two-sided t-test of slope = 0, n − 2 degrees of freedom."""

    def at(self, x: ArrayLike) -> Floats:
        """Return the predictions at `x`: its shape, in the unit of y."""
        return self.slope * np.asarray(x, dtype=np.float64) + self.intercept


def fit_line(x: ArrayLike, y: ArrayLike) -> Line:
    """Return the least-squares line through the points, arguments of shape (n,).

    No evidence is p = 1: all x equal (no slope can be seen; the line is the mean), all y equal, or fewer than
    3 points (no degree of freedom is left to judge a slope by). n = 0, different lengths, or values that are
    not finite: ValueError.
    """
    horizontal, vertical = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if horizontal.shape != vertical.shape or vertical.ndim != 1 or vertical.size == 0:
        raise ValueError(f"expected as many x as y, found shapes {horizontal.shape} and {vertical.shape}")
    if not (np.isfinite(horizontal).all() and np.isfinite(vertical).all()):
        raise ValueError("expected finite values, found NaN or infinity: readers must reject them")
    if np.ptp(horizontal) == 0.0 or np.ptp(vertical) == 0.0:
        return Line(slope=0.0, intercept=float(vertical.mean()), slope_p=1.0)
    fit = scipy.stats.linregress(horizontal, vertical)
    slope_p = float(fit.pvalue) if vertical.size > 2 else 1.0
    return Line(slope=float(fit.slope), intercept=float(fit.intercept), slope_p=slope_p)
