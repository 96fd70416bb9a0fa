"""Effect sizes, each with its name: no function here returns just "the difference"."""

import numpy as np
import scipy
from numpy.typing import ArrayLike


def mean_difference(control: ArrayLike, mutant: ArrayLike) -> float:
    """Return mean(mutant) ÷ mean(control) − 1; positive where the mutant is slower.

    Laaber & Leitner 2018, §6.2, Eq. 2: the normaliser is the control's mean. Equal samples give 0.
    An empty side or a control that is not positive raises ValueError; NaN gives NaN.
    """
    return _relative(float(np.mean(_sample(control))), float(np.mean(_sample(mutant))))


def median_difference(control: ArrayLike, mutant: ArrayLike) -> float:
    """Return median(mutant) ÷ median(control) − 1; unmoved by a few outliers.

    Equal samples give 0. An empty side or a control that is not positive raises ValueError.
    """
    return _relative(float(np.median(_sample(control))), float(np.median(_sample(mutant))))


def typical_difference(control: ArrayLike, mutant: ArrayLike) -> float:
    """Return the typical difference of a pair ÷ the typical control; unmoved by a few outliers.

    Both have shape (pairs,), pair i was measured side by side. Typical is the median of the means of any two
    values, each with itself included (Hodges & Lehmann 1963): it scatters less than a median does. Where the
    same time is added in fast and in slow moments of a machine it is differences that repeat; ratios are
    larger in the fast ones. An empty side or a control that is not positive raises ValueError.
    """
    before, after = _sample(control), _sample(mutant)
    typical = _centre(before)
    return _relative(typical, typical + _centre(after - before))


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


def _sample(values: ArrayLike) -> np.ndarray:
    sample = np.asarray(values, dtype=float)
    if sample.size == 0:
        raise ValueError("expected at least 1 value, found none")
    return sample


def _centre(values: np.ndarray) -> float:
    return float(np.median(np.add.outer(values, values)[np.triu_indices(values.size)]) / 2)


def _relative(base: float, other: float) -> float:
    if base <= 0:
        raise ValueError(f"expected a positive time to compare with, found {base}")
    return other / base - 1
