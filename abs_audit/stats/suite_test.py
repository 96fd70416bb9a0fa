"""Which of many benchmarks changed? Each is tested with what the suite knows of noise, by permuted labels.

With five forks a side no test of one benchmark alone gives p below 2 ÷ 252 = .0079, which is lost among six
hundred benchmarks. Two things are known beyond a benchmark's own ten values: how large variances are in
this suite (the moderated t of Smyth 2004), and how large that t becomes anywhere in it when labels are
dealt at random (the pooled null of Tusher, Tibshirani & Chu 2001). For one benchmark alone the p is that of
the exact permutation test.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import scipy
from scipy.special import digamma, polygamma

from abs_audit.stats.arrays import Flags, Floats

DRAWS = 200_000
"""Permuted statistics that a suite is compared with, about."""
LEAST_SPLITS, MOST_SPLITS = 100, 5000
"""Dealings of the labels of one benchmark."""
ROWS = 4096
"""Benchmarks handled at once, so that a hundred thousand fit into little memory."""
FEWEST_VARIANCES = 3
"""Of fewer benchmarks no prior is learnt."""
MOST_FREEDOM = 1e6
"""Stands for infinitely many degrees of freedom: all benchmarks have one variance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Benchmarks with equal numbers of values: shapes (benchmarks, n) and (benchmarks, m)."""

    before: Floats
    after: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """What a suite says of the variance of any of its benchmarks."""

    variance: float
    freedom: float
    """How many degrees of freedom that knowledge is worth; 0: nothing is known."""


def p_values(suite: Sequence[Sides], seed: int) -> tuple[Floats, ...]:
    """Return two-sided p of each benchmark, per group in the shape (benchmarks,).

    p is the share of (benchmark, dealing of labels) pairs, the true labels among them, whose moderated t is
    at least as large: with B benchmarks it can be as small as 2 ÷ (B · (n+m choose n)), and over B tests
    p < α bounds the expected number of false ones by α·B. Values are of any unit, best logarithms; noise must
    be alike in kind before and after. All equal: 1. One value on each side: 1.
    """
    prior = learnt(suite)
    rng = np.random.default_rng(seed)
    count = sum(len(sides.before) for sides in suite)
    keys = [np.concatenate(list(_statistics(sides, prior, _splits(sides, count, rng)))) for sides in suite]
    shares = [len(sides.before) / count for sides in suite]
    pooled = [np.sort(key, axis=None) for key in keys]
    return tuple(_tail(key[:, 0], pooled, shares) for key in keys)


def learnt(suite: Sequence[Sides]) -> Prior:
    """Return the prior of the variances within sides, by the moments of their logarithms.

    Smyth 2004, §6.2 (limma's fitFDist). Fewer than three benchmarks whose values differ: freedom 0.
    """
    variances, freedoms = map(np.concatenate, zip(*map(_variances, suite), strict=True))
    usable = (variances > 0) & (freedoms > 0)
    if usable.sum() < FEWEST_VARIANCES:
        return Prior(variance=0.0, freedom=0.0)
    half = freedoms[usable] / 2
    logs = np.log(variances[usable]) - digamma(half) + np.log(half)
    excess = float(logs.var(ddof=1) - polygamma(1, half).mean())
    freedom = MOST_FREEDOM if excess <= polygamma(1, MOST_FREEDOM / 2) else 2 * _inverse_trigamma(excess)
    variance = np.exp(logs.mean() + digamma(freedom / 2) - np.log(freedom / 2))
    return Prior(variance=float(variance), freedom=freedom)


def _inverse_trigamma(value: float) -> float:
    return float(scipy.optimize.brentq(lambda x: polygamma(1, x) - value, 1e-8, MOST_FREEDOM))


def _variances(sides: Sides) -> tuple[Floats, Floats]:
    freedom = sides.before.shape[1] + sides.after.shape[1] - 2
    squares = sum(
        ((values - values.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        for values in (sides.before, sides.after)
    )
    return np.asarray(squares / max(freedom, 1)), np.full(len(sides.before), float(freedom))


def _splits(sides: Sides, benchmarks: int, rng: np.random.Generator) -> Flags:
    """Return which values count as `before`, a row a dealing, the true one first; all where they are few."""
    n, m = sides.before.shape[1], sides.after.shape[1]
    wanted = max(LEAST_SPLITS, min(DRAWS // benchmarks, MOST_SPLITS))
    # Of equal sides each dealing and its mirror image have one |t|.
    mirrored = n == m
    if comb(n + m, n) <= wanted * (1 + mirrored):
        chosen = [row for row in combinations(range(n + m), n) if not mirrored or row[0] == 0]
        rows = np.zeros((len(chosen), n + m), dtype=bool)
        np.put_along_axis(rows, np.array(chosen), values=True, axis=1)
        return rows
    true = np.arange(n + m) < n
    return np.vstack([true, rng.permuted(np.tile(true, (wanted - 1, 1)), axis=1)])


def _statistics(sides: Sides, prior: Prior, splits: Flags) -> Iterator[Floats]:
    """Yield |t| of some benchmarks (rows) under every dealing of labels (columns), as normal scores."""
    n, m = sides.before.shape[1], sides.after.shape[1]
    freedom, spread = n + m - 2, 1 / n + 1 / m
    freedom_in_all = max(prior.freedom + freedom, 1.0)
    labels = splits.T.astype(float)
    for begin in range(0, len(sides.before), ROWS):
        rows = slice(begin, begin + ROWS)
        values = np.hstack([sides.before[rows], sides.after[rows]])
        values -= values.mean(axis=1, keepdims=True)
        total = (values**2).sum(axis=1, keepdims=True)
        # Of centred values the sum of one side is minus that of the other.
        between = (values @ labels) ** 2 * spread
        variance = (prior.freedom * prior.variance + np.maximum(total - between, 0.0)) / freedom_in_all
        # Rounding leaves no less of a variance that is nothing; where all is equal, t is 0.
        squared = between / np.maximum(variance, 1e-24 * total + np.finfo(float).tiny)
        yield _score(squared, freedom_in_all) if freedom else np.zeros_like(squared)


def _score(squared: Floats, freedom: float) -> Floats:
    """Return the normal score of t² (Wallace 1959), so that sides of any size share one scale."""
    factor = (8 * freedom + 1) / (8 * freedom + 3)
    return np.asarray(factor * np.sqrt(freedom * np.log1p(squared / freedom)))


def _tail(keys: Floats, pooled: Sequence[Floats], shares: Sequence[float]) -> Floats:
    """Return the share of pooled statistics that are at least as large; rounding never decides."""
    # A score that is 0 but for rounding has no digits of its own.
    least = keys * (1 - 1e-9) - 1e-9
    return np.asarray(
        sum(
            share * (1 - np.searchsorted(null, least) / null.size)
            for null, share in zip(pooled, shares, strict=True)
        )
    )
