"""One-way analysis of variance: do several samples have the same mean?"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtrc


def p_value(*groups: ArrayLike) -> float:
    """Return p of the one-way analysis of variance of at least two samples.

    F = (SSB ÷ (k−1)) ÷ (SSW ÷ (N−k)), SSB = Σ nᵢ(x̄ᵢ − x̄)², SSW = ΣΣ (x − x̄ᵢ)²; p = P(F(k−1, N−k) ≥ F).
    The test of Heger et al. 2013, §3 (after Georges et al. 2007), and `scipy.stats.f_oneway`. Shapes: one
    dimension each, lengths may differ; no unit: only ratios of variances matter. All values equal: 1.
    No variation inside the samples but different means: 0. N = k (one value each): 1, for nothing is known
    of the variation. Fewer than two samples, an empty one or NaN: ValueError.
    """
    samples = [_sample(group) for group in groups]
    if len(samples) < 2:
        raise ValueError(f"expected at least 2 samples to compare, found {len(samples)}")
    between, within = _sums_of_squares(samples)
    free = sum(sample.size for sample in samples) - len(samples)
    if between == 0 or free == 0:
        return 1.0
    if within == 0:
        return 0.0
    ratio = (between / (len(samples) - 1)) / (within / free)
    return float(fdtrc(len(samples) - 1, free, ratio))


def _sample(values: ArrayLike) -> NDArray[np.float64]:
    sample = np.asarray(values, dtype=float).ravel()
    if sample.size == 0:
        raise ValueError("expected at least 1 value in every sample, found none")
    if np.isnan(sample).any():
        raise ValueError("expected numbers, found NaN: a missing measurement must not reach a test")
    return sample


def _sums_of_squares(samples: list[NDArray[np.float64]]) -> tuple[float, float]:
    """Return the sums between and within; exactly 0 where values are equal, whatever rounding says."""
    # Equal values must give 0 exactly, where the rounding of a mean would leave a residue.
    means = [float(sample[0]) if np.ptp(sample) == 0 else float(sample.mean()) for sample in samples]
    within = sum(float(((sample - mean) ** 2).sum()) for sample, mean in zip(samples, means, strict=True))
    if len(set(means)) == 1:
        return 0.0, within
    grand = sum(sample.size * mean for sample, mean in zip(samples, means, strict=True))
    grand /= sum(sample.size for sample in samples)
    between = sum(sample.size * (mean - grand) ** 2 for sample, mean in zip(samples, means, strict=True))
    return between, within
