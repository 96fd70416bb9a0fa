"""Which instances and trials make a control and a test group? Random groups, many at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from abs_audit import wording
from abs_audit.stats.arrays import Flags, Floats, Indices

Instances = Sequence[Sequence[Sequence[float]]]
"""The values of one benchmark: instances → trials → iterations."""


class Strategy(StrEnum):
    """How control and test relate (Laaber, Scheuner & Leitner 2018, §4.2.2)."""

    INSTANCES = "instance-based"
    """On different instances, as where machines are given back between two releases."""
    TRIALS = "trial-based"
    """Different trials on the same instances, as where both versions run side by side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """What one group consists of."""

    strategy: Strategy
    instances: int
    """Instances in a group."""
    trials: int
    """Trials of each instance in a group; the paper takes 1 instance-based and 5 trial-based."""


def grid(instances: Sequence[int], trials: Sequence[int]) -> tuple[Sampling, ...]:
    """Return both strategies at each number of instances and each number of trials."""
    return tuple(
        Sampling(strategy=strategy, instances=count, trials=each)
        for strategy in Strategy
        for count in instances
        for each in trials
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The values of one benchmark as one array."""

    values: Floats
    """(instances, trials, iterations); NaN where an instance or trial has fewer."""
    trials: Indices
    """(instances,): trials of each."""


Group = tuple[Indices, Indices]
"""Many random groups: instances and trials in a table, of shapes (draws, instances, 1) and (draws, instances,
trials)."""


def table(samples: Instances) -> Table:
    """Return the values as one array; trials without a value are left out. No value: size 0."""
    kept = [trials for instance in samples if (trials := [trial for trial in instance if len(trial)])]
    counts = np.array([len(instance) for instance in kept], dtype=np.intp)
    lengths = [len(trial) for instance in kept for trial in instance]
    most, longest = int(counts.max(initial=0)), max(lengths, default=0)
    values = np.full((len(kept), most, longest), np.nan)
    # One assignment of all values in order: filling trial by trial takes longer than all draws.
    present = np.zeros((len(kept), most), dtype=np.intp)
    present[np.arange(most) < counts[:, np.newaxis]] = lengths
    values[np.arange(longest) < present[..., np.newaxis]] = [
        value for instance in kept for trial in instance for value in trial
    ]
    return Table(values=values, trials=counts)


def lacking(data: Table, sampling: Sampling) -> str | None:
    """Say what a table lacks for two disjoint groups; None where it has enough."""
    if sampling.strategy is Strategy.INSTANCES:
        usable, needed, least = data.trials >= sampling.trials, 2 * sampling.instances, sampling.trials
    else:
        usable, needed, least = data.trials >= 2 * sampling.trials, sampling.instances, 2 * sampling.trials
    number = int(usable.sum())
    if number >= needed:
        return None
    return (
        f"needs {wording.count(needed, 'instance')} with {wording.count(least, 'trial')} each, found {number}"
    )


def draw(data: Table, sampling: Sampling, count: int, generator: np.random.Generator) -> tuple[Group, Group]:
    """Return `count` random pairs of a control and a test group that share no trial.

    Instance-based: 2n different instances, one half each. Trial-based: n instances, and 2k different
    trials of each, one half each. The table must have enough (`lacking` is None).
    """
    n, k = sampling.instances, sampling.trials
    if sampling.strategy is Strategy.INSTANCES:
        instances = _distinct(np.tile(data.trials >= k, (count, 1)), 2 * n, generator)
        trials = _distinct(_existing(data)[instances], k, generator)
        halves = [(instances[:, :n], trials[:, :n]), (instances[:, n:], trials[:, n:])]
    else:
        instances = _distinct(np.tile(data.trials >= 2 * k, (count, 1)), n, generator)
        trials = _distinct(_existing(data)[instances], 2 * k, generator)
        halves = [(instances, trials[..., :k]), (instances, trials[..., k:])]
    control, test = ((own[..., np.newaxis], made) for own, made in halves)
    return control, test


def pooled(values: Floats, group: Group) -> Floats:
    """Return the values of each group in one row: (draws, values); `values` (instances, trials, …)."""
    picked = values[group]
    return picked.reshape(len(picked), -1)


def medians(values: Floats) -> Floats:
    """Return medians along the last axis, leaving out NaN."""
    # The variant that looks for NaN is several times slower.
    return np.asarray((np.nanmedian if np.isnan(values).any() else np.median)(values, axis=-1))


def _existing(data: Table) -> Flags:
    """Tell which trials each instance has: (instances, trials)."""
    return np.arange(data.values.shape[1]) < data.trials[:, np.newaxis]


def _distinct(usable: Flags, count: int, generator: np.random.Generator) -> Indices:
    """Return `count` different random places along the last axis, among the usable ones."""
    # Random keys are below 1, so that what is not usable comes last; the lowest ones are a draw.
    keys = np.where(usable, generator.random(usable.shape), 2.0)
    return keys.argsort(axis=-1)[..., :count]
