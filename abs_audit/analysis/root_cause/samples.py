"""What was measured of a commit: runs, each a fresh process, and how far runs of one commit lie apart."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import trim_mean

PRESUMED_SHIFT = 0.01
"""Run-to-run standard deviation that is presumed until runs show another one, relative to the time."""
PRESUMED_WEIGHT = 2.0
"""Degrees of freedom that the presumption is worth."""
TRIMMED = 0.25
"""Part of a run's values that its centre leaves out at either end."""
FEWEST_ROUNDS = 4
"""Rounds with repeated commits from which a drift of the machine is looked for."""
FITTINGS = 5

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one process measured."""

    round: int
    """Runs of a round were made next to each other, in random order."""
    values: tuple[float, ...]
    """Seconds per invocation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """All runs of one commit."""

    values: tuple[float, ...]
    """Run after run, in seconds per invocation."""
    centres: tuple[float, ...]
    """Natural logarithm of the interquartile mean of each run, the drift of its round taken off."""
    ripple: float
    """Mean over the runs of s² ÷ n of the logarithms: what a centre varies by for its values alone."""

    @property
    def mean(self) -> float:
        """Mean of all values, in seconds per invocation."""
        return float(np.mean(self.values))

    @property
    def level(self) -> float:
        """Mean of the centres, a logarithm of seconds."""
        return float(np.mean(self.centres))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How far runs of the same commit lie apart, in logarithms."""

    variance: float
    freedom: float
    """Degrees of freedom of that estimate, the presumption's included."""


def samples(runs: Mapping[int, Sequence[Run]]) -> dict[int, Sample]:
    """Return commit → its runs with their centres; the rounds' common drift is taken off.

    The centre is the interquartile mean: nearly as exact as the mean on Gaussian noise, and unmoved by
    millisecond outliers. No run of a commit, an empty one, or a value that is not a positive number:
    ValueError. No commit: an empty answer.
    """
    flat = [(commit, run) for commit, own in runs.items() for run in own]
    _check(runs)
    logs = np.array([_centre(run.values) for _, run in flat])
    commits = np.array([commit for commit, _ in flat], dtype=int)
    rounds = np.array([run.round for _, run in flat], dtype=int)
    levelled = logs - drift(logs, commits, rounds)
    return {
        commit: Sample(
            values=tuple(value for run in own for value in run.values),
            centres=tuple(levelled[commits == commit].tolist()),
            ripple=_ripple(own),
        )
        for commit, own in runs.items()
    }


def drift(logs: Floats, commits: NDArray[np.int_], rounds: NDArray[np.int_]) -> Floats:
    """Return for every run how much slower the machine was in its round than on average.

    Model: log time = level of the commit + drift of the round + noise. The drift of a round is the mean
    residual of the commits in it that have several runs, shrunk by σ² ÷ (σ² + s² ÷ n): σ² is the covariance
    of residuals that share a round, s² what remains. Where nothing drifts σ² is about 0 and nothing is taken
    off. Levels and drifts are fitted in turns. Fewer than four rounds with repeated commits: zeros.
    """
    places = _numbered(commits)
    repeated = np.bincount(places)[places] > 1 if logs.size else np.zeros(0, dtype=bool)
    found = np.zeros_like(logs)
    if np.unique(rounds[repeated]).size < FEWEST_ROUNDS:
        return found
    numbers = _numbered(rounds)
    size = np.bincount(numbers, weights=repeated.astype(float)).astype(float)
    for _ in range(FITTINGS):
        residual = np.where(repeated, logs - _means(logs - found, places), 0.0)
        total = np.bincount(numbers, weights=residual).astype(float)
        common, own = _components(residual[repeated], total, size)
        with np.errstate(invalid="ignore", divide="ignore"):
            shrunk = np.where(size > 0, common * total / (common * size + own), 0.0)
        found = (np.nan_to_num(shrunk) - np.nan_to_num(shrunk).mean())[numbers]
    return found


def _components(residual: Floats, total: Floats, size: Floats) -> tuple[float, float]:
    """Return the variance that residuals of a round share, and the rest."""
    pairs = float((size * (size - 1)).sum())
    squares = float((residual**2).sum())
    common = max(0.0, (float((total**2).sum()) - squares) / pairs) if pairs else 0.0
    return common, max(squares / residual.size - common, 1e-12)


def _numbered(keys: NDArray[np.int_]) -> NDArray[np.int_]:
    return np.asarray(np.unique(keys, return_inverse=True)[1])


def _means(values: Floats, places: NDArray[np.int_]) -> Floats:
    return np.asarray((np.bincount(places, weights=values) / np.bincount(places))[places])


def _check(runs: Mapping[int, Sequence[Run]]) -> None:
    for own in runs.values():
        if not own or any(not run.values for run in own):
            raise ValueError("expected at least one run with at least one value")
        if any(not (math.isfinite(value) and value > 0) for run in own for value in run.values):
            raise ValueError("expected times above zero, found another value")


def _centre(values: Sequence[float]) -> float:
    return math.log(float(trim_mean(values, TRIMMED)))


def _ripple(runs: Sequence[Run]) -> float:
    found = [
        float(np.var(np.log(run.values), ddof=1)) / len(run.values) for run in runs if len(run.values) > 1
    ]
    return float(np.mean(found)) if found else 0.0


def spread(every: Iterable[Sample]) -> Spread:
    """Return the pooled variance of the centres of runs of the same commit.

    (ν₀·s₀² + ΣΣ (x − x̄ᵢ)²) ÷ (ν₀ + Σ (nᵢ − 1)), with s₀² = .01² + the mean ripple and ν₀ = 2: two runs that
    happen to agree do not make a machine exact. No commit with two runs, or none at all: the presumption.
    """
    found = list(every)
    ripple = float(np.mean([one.ripple for one in found])) if found else 0.0
    squares = PRESUMED_WEIGHT * (PRESUMED_SHIFT**2 + ripple)
    freedom = PRESUMED_WEIGHT
    for one in found:
        squares += float(np.sum((np.array(one.centres) - one.level) ** 2))
        freedom += len(one.centres) - 1
    return Spread(variance=squares / freedom, freedom=freedom)
