"""May noise that stays with an arm for a whole run have given a pair its answer? Then it gets further runs.

No repetition averages such noise out, and two runs rarely show theirs. So the pairs that are settled together
tell each other how much runs scatter: by the differences of their runs, and A/A pairs by theirs from nothing.
Where that is little, as in all sessions so far, two runs decide as ever (docs/decisions/024). Constants are
chosen by simulation, with other seeds than those of benchmarks/power.py. Differences are in units of δ.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from abs_audit.experiment.detection import Run
from abs_audit.experiment.protocol import LOOKS, TOGETHER
from abs_audit.stats import effect, run_scatter
from abs_audit.stats.run_scatter import Evidence

MOST_RUNS = 8
"""Runs after which a pair that is still in doubt has no verdict."""
TYPICAL = 0.1
"""Standard deviation between runs in the sessions so far..."""
ASSUMED = np.array([6.0, 6.0 * TYPICAL**2])
"""...and for how many deviations that counts before anything is measured."""
MOST_SHARED = 20.0
"""Deviations that all other pairs count for at most: a pair of another kind shows by its own."""
ALARM = 0.001 / 5
"""Largest p of a "detected" without a slowdown: up to seven looks at the mean of runs share .001."""
MISS = 0.01
"""Largest p of a "missed" if the slowdown were δ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What the runs of a pair show so far."""

    differences: tuple[float, ...]
    """Of the means, one a run, in units of δ."""
    errors: tuple[float, ...]
    """Variance that repetitions give each."""
    noticed: bool
    """The answer of these runs."""
    unslowed: bool
    """Whether both arms are the same."""


def answered(runs: Sequence[Run], threshold: float, *, noticed: bool, unslowed: bool) -> Answered:
    """Return what runs show; δ is twice the threshold."""
    delta = 2 * threshold
    return Answered(
        differences=tuple(effect.mean_difference(run.control, run.mutant) / delta for run in runs),
        errors=tuple(_error(run) / delta**2 for run in runs),
        noticed=noticed,
        unslowed=unslowed,
    )


def _error(run: Run) -> float:
    """Return the variance of the mean of a run's ratios; infinite where it cannot be told.

    Of many repetitions some share a process, so those that may have one count as one.
    """
    size = run.repetitions
    together = TOGETHER if size >= LOOKS[-1] else 1
    if size < 2 or min(run.control) <= 0:
        return float("inf")
    ratios = np.asarray(run.mutant[:size]) / np.asarray(run.control[:size])
    means = ratios[: size // together * together].reshape(-1, together).mean(axis=1)
    return float(means.var(ddof=1) / means.size)


def doubted(pairs: Sequence[Answered], earlier: Sequence[Answered] = ()) -> Iterator[bool]:
    """Tell of each pair whether noise between runs may have given it its answer.

    `earlier`: what else was measured in the same way. A pair says nothing of itself but how its runs differ.
    """
    told = [_told(pair) for pair in pairs]
    everything = sum([*told, *map(_told, earlier)], start=ASSUMED)
    for pair, own in zip(pairs, told, strict=True):
        yield _in_doubt(pair, everything - own)


def _told(pair: Answered, expected: float | None = 0.0) -> Evidence:
    return run_scatter.scatter(pair.differences, pair.errors, TYPICAL, expected if pair.unslowed else None)


def _in_doubt(pair: Answered, others: Evidence) -> bool:
    evidence = others * min(1.0, MOST_SHARED / others[0]) + _told(pair, expected=None)
    if evidence[1] <= evidence[0] * np.mean(pair.errors):
        # Its repetitions scatter more than runs do, and looks and their tests answer for those.
        return False
    mean, runs = float(np.mean(pair.differences)), len(pair.differences)
    if pair.noticed:
        return run_scatter.explains(mean, runs, evidence, ALARM)
    return run_scatter.explains(1 - mean, runs, evidence, MISS)
