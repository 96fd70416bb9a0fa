"""How alike are two samples? PT4Cloud's probability, which is also the accuracy of a stopped sample."""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from abs_audit.stats.arrays import Floats, checked

POINTS = 1000


def similarity(first: ArrayLike, second: ArrayLike, *, paper_quirks: bool = False) -> float:
    """Return the probability 2^(−J) that two samples have one distribution, 0..1; 1 for equal samples.

    He et al. 2019 (PT4Cloud), as used in Wen et al. 2023, §2.2 and §3.3. J = Σ (p₁ − p₂)(log₂ p₁ − log₂ p₂)·Δ
    is the symmetric Kullback-Leibler divergence in bits; p₁, p₂ are Gaussian kernel densities with Scott's
    width s·n^(−1/5); the sum is the right Riemann sum over 1,000 points between the joint extremes.

    The papers say nothing of densities that underflow to 0, which gaps and far outliers cause. With
    `paper_quirks` the answer is then 0, as the authors' program has it, even for two equal samples. Without,
    densities are compared by their logarithms, and a gap that both samples share costs nothing.

    One sample constant (or of one value): 0. Both constant: 1 if equal, else 0. Empty or NaN: ValueError.
    """
    left, right = checked(first), checked(second)
    constant = np.ptp(left) == 0.0, np.ptp(right) == 0.0
    if any(constant):
        return float(all(constant) and left[0] == right[0])
    low, high = min(left.min(), right.min()), max(left.max(), right.max())
    step = (high - low) / POINTS
    points = low + step * np.arange(1, POINTS + 1)
    divergence = _divergence(left, right, points, paper_quirks) * step
    return float(2.0**-divergence)


def _divergence(left: Floats, right: Floats, points: Floats, paper_quirks: bool) -> float:
    """Return Σ (p₁ − p₂)(log₂ p₁ − log₂ p₂), infinite where a quirk of the program makes it so."""
    first, second = scipy.stats.gaussian_kde(left), scipy.stats.gaussian_kde(right)
    if not paper_quirks:
        p, q = first.logpdf(points), second.logpdf(points)
        return float(np.sum((np.exp(p) - np.exp(q)) * (p - q))) / float(np.log(2.0))
    p, q = first(points), second(points)
    if not (p.all() and q.all()):
        return float("inf")
    return float(np.sum((p - q) * (np.log2(p) - np.log2(q))))
