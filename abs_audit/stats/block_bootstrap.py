"""Resampling of dependent series in blocks, and the block length that fits their memory."""

import math

import numpy as np
from numpy.typing import ArrayLike

from abs_audit.stats.arrays import Floats, Indices, checked

SHORTEST = 8  # values; below, no autocorrelation of the required lags can be estimated


def block_length(values: ArrayLike) -> int:
    """Return the block length for the circular bootstrap: whole values, at least 1.

    Politis & White 2004 with the correction of Patton, Politis & White 2009, rounded up as in Metior
    (He et al. 2021): b = (2·G² / D)^⅓ · n^⅓ with G = Σ λ(k/m)·|k|·γ_k, D = 4/3·(Σ λ(k/m)·γ_k)², both over
    |k| ≤ m, the flat-top window λ(t) = min(1, 2(1 − |t|)), and m = twice the lag from which
    max(5, log₁₀ n) autocorrelations in a row lie within ±2·√(log₁₀ n / n). At most min(3·√n, n/3).

    The autocorrelations are normalised as in the library `arch`, with which the lengths agree.
    Fewer than 8 values, or all equal: 1. NaN: ValueError.
    """
    sample = checked(values)
    n = sample.size
    if n < SHORTEST or np.ptp(sample) == 0.0:
        return 1
    run = max(5, int(math.log10(n)))
    lags = math.ceil(math.sqrt(n)) + run
    centred = sample - sample.mean()
    # Lags beyond the series exist for the shortest ones; nothing covaries there.
    covariance = np.zeros(max(lags + 1, n))
    covariance[:n] = np.correlate(centred, centred, "full")[n - 1 :] / n
    covariance = covariance[: lags + 1]
    window = _window(_correlation(centred, covariance), run, n)
    k = np.arange(1, window + 1)
    kernel = np.minimum(1.0, 2.0 * (1.0 - k / window))
    g = 2.0 * float(np.sum(kernel * k * covariance[k]))
    spectrum = covariance[0] + 2.0 * float(np.sum(kernel * covariance[k]))
    if spectrum == 0.0:
        return 1
    length = (2.0 * g**2 / (4.0 / 3.0 * spectrum**2) * n) ** (1.0 / 3.0)
    longest = math.ceil(min(3.0 * math.sqrt(n), n / 3.0))
    return max(1, math.ceil(min(float(length), longest)))


def block_resamples(
    values: Floats, block: int, resamples: int, rng: np.random.Generator, *, paper_quirks: bool
) -> Floats:
    """Return resampled series, one a row: of circular blocks, with `paper_quirks` of moving ones."""
    draw = moving_blocks if paper_quirks else circular_blocks
    return values[draw(values.size, block, resamples, rng)]


def circular_blocks(n: int, block: int, resamples: int, rng: np.random.Generator) -> Indices:
    """Return indices of circular block resamples of a series of n values: shape (resamples, n).

    Politis & Romano 1992: blocks start anywhere and wrap around the end; the last block is cut to fit.
    `block` = 1 is the ordinary bootstrap.
    """
    starts = rng.integers(0, n, size=(resamples, math.ceil(n / block)))
    indices = (starts[:, :, None] + np.arange(block)) % n
    return indices.reshape(resamples, -1)[:, :n]


def moving_blocks(n: int, block: int, resamples: int, rng: np.random.Generator) -> Indices:
    """Return indices of moving block resamples as Metior's authors draw them: shape (resamples, count·block).

    Their program leaves out the last possible start (starts are 0 … n−block−1) and draws
    max(1, ⌊(n−block)/block⌋) blocks, so that a resample is shorter than the series. Kept for the reference.
    """
    starts = rng.integers(0, max(1, n - block), size=(resamples, max(1, (n - block) // block)))
    return (starts[:, :, None] + np.arange(block)).reshape(resamples, -1)


def _correlation(centred: Floats, covariance: Floats) -> Floats:
    """Return |autocorrelation| by lag; lags whose parts have no variance count as correlated."""
    n = centred.size
    sums = np.concatenate(([0.0], np.cumsum(centred**2)))
    lag = np.arange(covariance.size)
    norms = np.sqrt((sums[n] - sums[np.minimum(lag + 1, n)]) * sums[np.maximum(n - lag - 1, 0)])
    correlation = np.full(covariance.size, np.inf)
    np.divide(np.abs(covariance) * n, norms, out=correlation, where=norms > 0.0)
    return correlation


def _window(correlation: Floats, run: int, n: int) -> int:
    """Return twice the first lag from which `run` autocorrelations in a row are insignificant."""
    small = correlation < 2.0 * math.sqrt(math.log10(n) / n)
    for lag in range(correlation.size - run):
        if small[lag : lag + run].all():
            return min(2 * max(lag, 1), correlation.size - 1)
    return correlation.size - 1
