"""The ratio of values that were measured side by side."""

import numpy as np
import scipy
from numpy.typing import ArrayLike


def certain_side(first: ArrayLike, second: ArrayLike, ratio: float, alpha: float) -> int:
    """Return 1 or −1 where second ÷ first is above or below `ratio` with p < alpha, else 0.

    A two-sided t-test (Student 1908) of the logarithms; both have shape (pairs,) and any unit, pair i was
    measured side by side. What a pair shares (a moment, a process) cancels. Fewer than two pairs, or a
    value of 0, are certain of nothing.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        above = np.log(np.asarray(second, dtype=float) / np.asarray(first, dtype=float) / ratio)
    if above.size < 2 or not np.isfinite(above).all():
        return 0
    # Ratios that do not scatter at all are certain, and the test would divide by zero.
    if np.ptp(above) and scipy.stats.ttest_1samp(above, 0.0).pvalue >= alpha:
        return 0
    return int(np.sign(above.mean()))
