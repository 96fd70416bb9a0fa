"""What was measured of a commit: runs, each a fresh process, and which of them were disturbed.

A shared machine disturbs in one direction: other work makes a run slower, never faster. So of the runs of a
commit those far above the others count as disturbed and take no part; and being slow, unlike being fast, has
to be seen more than once.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from abs_audit.stats.arrays import Flags, Floats

PRESUMED_SHIFT = 0.01
"""Run-to-run standard deviation that is presumed until runs show another one, relative to the time."""
PRESUMED_WEIGHT = 2.0
"""Degrees of freedom that the presumption is worth."""
PRESUMED_RUNS, PRESUMED_DISTURBED = 10.0, 0.5
"""Runs that are presumed to have been made before, and how many of them were disturbed."""
FAR = 3.0
"""Standard deviations above the level of its commit from which a run counts as disturbed."""
OFTEN = 3
"""Runs of a commit from which its level is known well enough to tell the weather of a round."""
STORM = 0.15
"""Common slowness of a round beyond which it is no drift but other work."""
FEWEST_ROUNDS = 4
"""Rounds with repeated commits from which a drift of the machine is looked for."""
FITTINGS = 5
RUNS_KEPT = 4096
GROWTHS = 30

Places = NDArray[np.int_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one process measured."""

    round: int
    """Runs of a round were made next to each other, in random order."""
    values: tuple[float, ...]
    """Seconds per invocation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The undisturbed runs of one commit."""

    values: tuple[float, ...]
    """Run after run, in seconds per invocation."""
    centres: tuple[float, ...]
    """Natural logarithm of the centre of each run, the drift of its round taken off."""
    trusted: int
    """Undisturbed runs. 0: all of them were disturbed, and are here for want of better."""
    runs: int
    """Runs made, the disturbed ones too."""
    rounds: frozenset[int] = frozenset()
    """In which rounds they were made."""

    @property
    def mean(self) -> float:
        """Mean of all values, in seconds per invocation."""
        return float(np.mean(self.values))

    @property
    def level(self) -> float:
        """Mean of the centres, a logarithm of seconds."""
        return float(np.mean(self.centres))


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """How the machine behaves, as far as repeated runs show."""

    variance: float
    """Of the centres of undisturbed runs of the same commit, in logarithms."""
    freedom: float
    """Degrees of freedom of that estimate, the presumption's included."""
    disturbed: float
    """Part of the runs that are disturbed, 0..1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurements:
    """What has been measured so far, by commit, and the machine that it shows."""

    samples: Mapping[str, Sample]
    machine: Machine
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Commits that cannot be measured, and why."""


def measured(runs: Mapping[str, Sequence[Run]]) -> Measurements:
    """Return commit → its undisturbed runs, the rounds' common drift taken off, and what the machine is like.

    The centre of a run is the mean of its values between the 5th and the 25th percentile: what other work
    adds lies above. A run is disturbed if its centre lies more than 3 standard deviations above the level of
    its commit, or if it belongs to a stormy round. The variance is (ν₀·s₀² + Σ (x − x̄)²) ÷ (ν₀ + N − commits)
    over undisturbed runs, with ν₀ = 2 and s₀² = .01² + what centres vary by for their values alone: two runs
    that happen to agree do not make a machine exact. The disturbed part is (.5 + disturbed) ÷ (10 + N).
    No run of a commit, an empty one, or a value that is not a positive number: ValueError. No commit: the
    presumptions. A commit with one run: that run, undisturbed as far as anyone can tell.
    """
    _check(runs)
    table = _table(runs)
    shift, calm = _weather(table, _undisturbed(table, table.logs, np.ones_like(table.logs, dtype=bool)))
    logs = table.logs - shift
    logs = logs - drift(table, logs, _undisturbed(table, logs, calm).clean)
    undisturbed = _undisturbed(table, logs, calm)
    disturbed = (PRESUMED_DISTURBED + float((~undisturbed.clean).sum())) / (PRESUMED_RUNS + logs.size)
    machine = Machine(variance=undisturbed.variance, freedom=undisturbed.freedom, disturbed=disturbed)
    return Measurements(samples=_samples(runs, logs, undisturbed.clean), machine=machine)


@dataclass(frozen=True, slots=True)
class _Table:
    """Runs of all commits under each other."""

    logs: Floats
    commits: Places
    """Numbered from 0 in the order of the mapping."""
    rounds: Places
    ripple: float
    """Mean over the runs of what a centre varies by for its values alone."""


def _table(runs: Mapping[str, Sequence[Run]]) -> _Table:
    flat = [(index, run) for index, own in enumerate(runs.values()) for run in own]
    ripples = [_ripple(run.values) for _, run in flat]
    return _Table(
        np.array([_centre(run.values) for _, run in flat]),
        np.array([index for index, _ in flat], dtype=int),
        np.unique([run.round for _, run in flat], return_inverse=True)[1],
        float(np.median(ripples)) if ripples else 0.0,
    )


def _samples(runs: Mapping[str, Sequence[Run]], levelled: Floats, clean: Flags) -> dict[str, Sample]:
    samples: dict[str, Sample] = {}
    begin = 0
    for commit, own in runs.items():
        trusted = clean[begin : begin + len(own)]
        # Where every run was disturbed they are all there is; nobody takes them for slow.
        kept = trusted if trusted.any() else ~trusted
        samples[commit] = Sample(
            values=tuple(value for run, keep in zip(own, kept, strict=True) if keep for value in run.values),
            centres=tuple(levelled[begin : begin + len(own)][kept].tolist()),
            trusted=int(trusted.sum()),
            runs=len(own),
            rounds=frozenset(run.round for run in own),
        )
        begin += len(own)
    return samples


@dataclass(frozen=True, slots=True)
class _Split:
    """Undisturbed runs told from the others."""

    clean: Flags
    levels: Floats
    """Of the commit of each run."""
    variance: float
    freedom: float


def _undisturbed(table: _Table, logs: Floats, calm: Flags) -> _Split:
    """Return which of the calm runs are undisturbed, their variance around their commits, and its freedom.

    Grows from the fast third of the runs of each commit, at the presumed variance, until no run joins: begun
    with all runs, disturbed ones would widen the variance until they fit in.
    """
    presumed = PRESUMED_SHIFT**2 + table.ripple
    levels, variance, freedom = _low(logs, table.commits), presumed, PRESUMED_WEIGHT
    clean = np.zeros_like(logs, dtype=bool)
    for _ in range(GROWTHS):
        before, clean = clean, calm & (logs <= levels + FAR * math.sqrt(variance))
        if np.array_equal(before, clean):
            break
        means = _means(logs, table.commits, clean)
        levels = np.where(np.isnan(means), levels, means)
        residual = (logs - levels)[clean]
        freedom = PRESUMED_WEIGHT + residual.size - np.unique(table.commits[clean]).size
        variance = (PRESUMED_WEIGHT * presumed + float((residual**2).sum())) / freedom
    return _Split(clean, levels, variance, freedom)


def _weather(table: _Table, split: _Split) -> tuple[Floats, Flags]:
    """Return for every run by how much its whole round was slower, and whether the round was calm.

    A round is slower as a whole where two or more commits that were run at least three times are all more
    than 3 standard deviations above their levels; by the least of them, for other work may have hit the rest.
    Up to 15 % that is the machine's speed, and is taken off. Beyond, other work does not hit all runs alike:
    the round is stormy, and whoever is slow in it says nothing.
    """
    shift, calm = np.zeros_like(table.logs), np.ones_like(table.logs, dtype=bool)
    often = np.bincount(table.commits)[table.commits] >= OFTEN if table.logs.size else calm
    for number in np.unique(table.rounds):
        here = table.rounds == number
        residual = (table.logs - split.levels)[here & often]
        if residual.size > 1 and residual.min() > FAR * math.sqrt(split.variance):
            stormy = residual.min() > math.log1p(STORM)
            calm[here] = not stormy
            shift[here] = 0.0 if stormy else residual.min()
    return shift, calm


def _low(logs: Floats, commits: Places) -> Floats:
    """Return for every run the value that a third of the runs of its commit lie at or below."""
    lows = np.empty_like(logs)
    for commit in range(int(commits.max()) + 1 if commits.size else 0):
        own = np.sort(logs[commits == commit])
        lows[commits == commit] = own[(own.size - 1) // 3]
    return lows


def drift(table: _Table, logs: Floats, clean: Flags) -> Floats:
    """Return for every run how much slower the machine was in its round than on average.

    Model: log time = level of the commit + drift of the round + noise. The drift of a round is the mean
    residual of the undisturbed runs in it whose commits have several, shrunk by σ² ÷ (σ² + s² ÷ n): σ² is the
    covariance of residuals that share a round, s² what remains. Where nothing drifts σ² is about 0 and
    nothing is taken off. Levels and drifts are fitted in turns. Fewer than four such rounds: zeros.
    """
    places, rounds = table.commits, table.rounds
    estimate = np.zeros_like(logs)
    if not logs.size:
        return estimate
    repeated = clean & (np.bincount(places, weights=clean.astype(float))[places] > 1)
    if np.unique(rounds[repeated]).size < FEWEST_ROUNDS:
        return estimate
    size = np.bincount(rounds, weights=repeated.astype(float)).astype(float)
    for _ in range(FITTINGS):
        residual = np.where(repeated, logs - _means(logs - estimate, places, clean), 0.0)
        total = np.bincount(rounds, weights=residual).astype(float)
        common, own = _components(residual[repeated], total, size)
        shrunk = common * total / (common * size + own)
        estimate = (shrunk - shrunk.mean())[rounds]
    return estimate


def _components(residual: Floats, total: Floats, size: Floats) -> tuple[float, float]:
    """Return the variance that residuals of a round share, and the rest."""
    pairs = float((size * (size - 1)).sum())
    squares = float((residual**2).sum())
    common = max(0.0, (float((total**2).sum()) - squares) / pairs) if pairs else 0.0
    # Never 0: what the drift of a round is shrunk by would be 0 ÷ 0 where nothing differs.
    return common, max(squares / residual.size - common, 1e-12)


def _means(values: Floats, places: Places, chosen: Flags) -> Floats:
    """Return for every value the mean of the chosen ones of its place; NaN where none is."""
    weights = chosen.astype(float)
    with np.errstate(invalid="ignore"):
        means = np.bincount(places, weights=values * weights) / np.bincount(places, weights=weights)
    return np.asarray(means[places])


def _check(runs: Mapping[str, Sequence[Run]]) -> None:
    for own in runs.values():
        if not own or any(not run.values for run in own):
            raise ValueError("expected at least one run with at least one value")
        if any(not (math.isfinite(value) and value > 0) for run in own for value in run.values):
            raise ValueError("expected times above zero, found another value")


# A search asks for these of every run again after each further run.
@lru_cache(maxsize=RUNS_KEPT)
def _centre(values: tuple[float, ...]) -> float:
    """Return the logarithm of the mean of the values between the 5th and the 25th percentile.

    Where other work is given the processor by turns, more than half of the values of a run can be several
    times the others, so the median is no shelter.
    """
    ordered = np.sort(values)
    size = ordered.size
    return math.log(float(ordered[size // 20 : max(size // 4, size // 20 + 1)].mean()))


@lru_cache(maxsize=RUNS_KEPT)
def _ripple(values: tuple[float, ...]) -> float:
    """Return the variance of a centre for its values alone, from those below the 25th percentile.

    On Gaussian noise of variance σ² the mean square of what lies below that percentile, from it, is .599 σ²,
    and the variance of a centre of n values 1.94 σ² ÷ n (both by simulation).
    """
    logs = np.sort(np.log(values))
    quarter = logs[: logs.size // 4]
    if not quarter.size:
        return 0.0
    square = float(((np.quantile(logs, 0.25) - quarter) ** 2).mean())
    return 1.94 / 0.599 * square / logs.size
