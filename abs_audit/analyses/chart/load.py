"""What the load does to a counter: idle samples go, and runs under different loads are made to compare."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from abs_audit.stats.arrays import Flags, Floats, Indices
from abs_audit.stats.density import density

POINTS = 256
SHAPIRO_LARGEST = 5000  # values; above, scipy's p is not accurate, so every k-th value is tested
SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadFilter:
    """What the filter for two kinds of load did to one counter of one run."""

    samples: Floats
    """Before the filter, in the given order."""
    kept: Flags
    """One flag a sample."""
    cut: float | None
    """Samples below were dropped; None where the density has one peak."""
    normality_before: float | None
    """p of Shapiro-Wilk; below .05 the samples are not normal. Printed, decides nothing. None: untestable."""
    normality_after: float | None


def filter_load(values: ArrayLike) -> LoadFilter:
    """Return which samples belong to the main load: those right of the valley between the two highest peaks.

    Nguyen et al. 2012, §4.2. Gaussian kernel density (Scott's width) on 256 points from the smallest to the
    largest value; its local maxima, ends included, because a counter that idles at exactly 0 has its peak at
    the edge; with fewer than two, all is kept; else the lowest point between the two highest peaks cuts.

    Beware: a small second peak on the *right* of the main one makes the cut drop the main one. The caller
    sees it from `kept`. n = 1 or all equal: all is kept. Empty or NaN: ValueError.
    """
    samples = np.asarray(values, dtype=np.float64)
    cut = _valley(samples)
    kept = np.ones(samples.shape, dtype=np.bool_) if cut is None else samples >= cut
    before = _normality(samples)
    return LoadFilter(
        samples=samples,
        kept=kept,
        cut=cut,
        normality_before=before,
        normality_after=before if cut is None else _normality(samples[kept]),
    )


def _valley(samples: Floats) -> float | None:
    grid, heights = density(samples, POINTS)
    maxima = peaks(heights)
    if maxima.size < 2:
        return None
    left, right = sorted(maxima[np.argsort(heights[maxima], kind="stable")[-2:]])
    return float(grid[left + np.argmin(heights[left : right + 1])])


def peaks(heights: ArrayLike) -> Indices:
    """Return the indices of the local maxima of a curve, ends included, in order.

    Of a plateau its first point counts. All equal, or one point: the first point.
    """
    curve = np.asarray(heights, dtype=np.float64)
    firsts = np.flatnonzero(np.concatenate(([True], np.diff(curve) != 0.0)))
    levels = np.concatenate(([-np.inf], curve[firsts], [-np.inf]))
    return firsts[(levels[1:-1] > levels[:-2]) & (levels[1:-1] > levels[2:])]


def _normality(samples: Floats) -> float | None:
    """Return p of the Shapiro-Wilk test, or None for fewer than 3 or equal values."""
    if samples.size < 3 or np.ptp(samples) == 0.0:
        return None
    step = -(-samples.size // SHAPIRO_LARGEST)
    return float(scipy.stats.shapiro(samples[::step]).pvalue)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadScaling:
    """How a counter follows the load, learned from baseline samples.

    Nguyen et al. 2012, §4.1: c = a·l + b. Their Eq. 2 predicts the target from the baseline; here both sides
    are brought to one reference load l₀ instead: c' = c · (a·l₀ + b)/(a·l + b).
    """

    slope: float
    """a, in the unit of the counter for each of the load."""
    intercept: float
    """b, in the unit of the counter."""
    reference_load: float
    """l₀, the median load of the baseline samples."""
    reason: str
    """Why nothing is scaled; empty where it is."""

    def apply(self, values: Floats, load: Floats) -> tuple[Floats, int]:
        """Return the values at the reference load, and how many had to stay as they are.

        Shapes (n,); a sample stays where either prediction is ≤ 0, for a ratio of such numbers means nothing.
        """
        if self.reason:
            return values, 0
        at_reference = self.slope * self.reference_load + self.intercept
        predicted = self.slope * load + self.intercept
        usable = (predicted > 0.0) & (at_reference > 0.0)
        factor = np.divide(at_reference, predicted, out=np.ones_like(predicted), where=usable)
        return values * factor, int(np.count_nonzero(~usable))


def learn_scaling(values: Floats, load: Floats) -> LoadScaling:
    """Return the scaling that the baseline samples suggest: none where the slope has p > .05.

    The least-squares line, and the two-sided t-test of its slope with n − 2 degrees of freedom. `values` and
    `load` have shape (n,), one pair a sample. Constant load or counter, or fewer than 3 samples: no scaling.
    """
    slope, intercept, p = 0.0, 0.0, 1.0
    if load.size > 2 and np.ptp(load) and np.ptp(values):
        fit = scipy.stats.linregress(load, values)
        slope, intercept, p = float(fit.slope), float(fit.intercept), float(fit.pvalue)
    reason = f"does not follow the load (p = {p:.2g})" if p > SIGNIFICANT else ""
    return LoadScaling(slope=slope, intercept=intercept, reference_load=float(np.median(load)), reason=reason)
