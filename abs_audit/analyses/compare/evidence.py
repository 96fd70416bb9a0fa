"""What values before and after say of every benchmark, all at once; nothing is decided here."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from abs_audit.analyses.compare.replication import Replicates
from abs_audit.grouping import grouped
from abs_audit.stats import intervals, rank_sum, suite_test
from abs_audit.stats.arrays import Floats

DIFFERENCES = 1 << 20
"""Differences between forks that are handled at once: those of all benchmarks would not fit into memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One row a benchmark, in the order of the input."""

    p: Floats
    """Two-sided, against chance anywhere in the suite (`stats.suite_test`)."""
    p_corrected: Floats
    """For the number of benchmarks; 1 as long as nobody has corrected it."""
    medians: Floats
    """Of the units before and after: (benchmarks, 2)."""
    ratios: Floats
    """Interval of the ratio by forks: (benchmarks, 2), NaN where there are too few for any."""
    mean_differences: Floats
    """Mean after ÷ mean before − 1, over the units."""
    cliffs_deltas: Floats
    """P(after > before) − P(after < before), −1..1."""
    own_noise: Floats
    """Larger |ratio of medians − 1| of second against first half of either side; NaN below 4 units a side."""
    own_p: Floats
    """Rank-sum p of the halves of either side, (benchmarks, 2); NaN where they could never reach α."""


def gather(pairs: Sequence[Replicates], alpha: float, seed: int) -> Evidence:
    """Return the evidence of all pairs; work is done for all benchmarks with equal numbers of units at once.

    `alpha` is what the A/A checks must be able to reach. No pair: empty arrays.
    """
    count = len(pairs)
    evidence = Evidence(
        p=np.ones(count),
        p_corrected=np.ones(count),
        medians=np.ones((count, 2)),
        ratios=np.full((count, 2), np.nan),
        mean_differences=np.zeros(count),
        cliffs_deltas=np.zeros(count),
        own_noise=np.full(count, np.nan),
        own_p=np.full((count, 2), np.nan),
    )
    groups = list(_by_shape([(pair.before, pair.after) for pair in pairs]))
    for group in groups:
        _describe(evidence, group, alpha)
    logs = [suite_test.Sides(before=np.log(group.before), after=np.log(group.after)) for group in groups]
    for group, p in zip(groups, suite_test.p_values(logs, seed) if groups else (), strict=True):
        evidence.p[group.places] = p
    for group in _by_shape([pair.forks for pair in pairs]):
        _enclose(evidence, group)
    return evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """Benchmarks with equal numbers of values."""

    places: list[int]
    before: Floats
    after: Floats


def _by_shape(pairs: Sequence[tuple[Floats, Floats]]) -> Iterator[_Group]:
    places = grouped(((before.size, after.size), index) for index, (before, after) in enumerate(pairs))
    for chosen in places.values():
        yield _Group(
            places=chosen,
            before=np.array([pairs[index][0] for index in chosen]),
            after=np.array([pairs[index][1] for index in chosen]),
        )


def _describe(evidence: Evidence, group: _Group, alpha: float) -> None:
    places, before, after = group.places, group.before, group.after
    evidence.medians[places] = np.stack([np.median(before, axis=1), np.median(after, axis=1)], axis=1)
    evidence.mean_differences[places] = after.mean(axis=1) / before.mean(axis=1) - 1
    larger = rank_sum.u_statistic(after, before) / (before.shape[1] * after.shape[1])
    evidence.cliffs_deltas[places] = 2 * larger - 1
    noises = []
    for column, values in enumerate((before, after)):
        middle = values.shape[1] // 2
        first, second = values[:, :middle], values[:, middle:]
        if middle >= 2:
            noises.append(np.abs(np.median(second, axis=1) / np.median(first, axis=1) - 1))
        if middle >= 2 and rank_sum.attainable(middle, second.shape[1], alpha):
            evidence.own_p[places, column] = rank_sum.p_values(first, second)
    if len(noises) == 2:
        evidence.own_noise[places] = np.maximum(*noises)


def _enclose(evidence: Evidence, group: _Group) -> None:
    logs = np.log(group.before), np.log(group.after)
    together = max(1, DIFFERENCES // (logs[0].shape[1] * logs[1].shape[1]))
    for begin in range(0, len(group.places), together):
        rows = slice(begin, begin + together)
        ends = intervals.shift(logs[0][rows], logs[1][rows])
        if ends is not None:
            evidence.ratios[group.places[rows]] = np.exp(ends)
