"""How small a regression can this sampling see at all? Medians against a threshold, on random groups."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from abs_audit.analyses.detectable import sampling as groups
from abs_audit.analyses.detectable.sampling import Instances, Sampling, Table, medians, pooled
from abs_audit.stats import rank_sum
from abs_audit.stats.arrays import Flags, Floats

GRID = (0.01, 0.02, 0.03, 0.04, 0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 0.75, 1.0)
"""Regressions that are tried."""
DRAWS = 100
MOST_FALSE = 0.05
LEAST_TRUE = 0.95
A_A_ALPHA = 0.05
A_A_EFFECT = 0.33
"""Least |Cliff's delta| of a difference of medium size (Romano et al. 2006)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detectable:
    """The smallest regression that one benchmark shows under one sampling."""

    benchmark: str
    sampling: Sampling
    smallest: float | None
    """Relative increase of the time; None: none up to 1 (twice the time)."""
    false_positive_rate: float
    """At `smallest`, or at the largest regression tried where there is none."""
    true_positive_rate: float
    false_alarms: float
    """A/A: share of the draws, all of one code, that a rank-sum test of all values tells apart at .05."""
    false_alarms_of_effect: float
    """The same where Cliff's delta must be at least medium, too."""
    false_alarms_of_medians: float | None
    """The same with one median a trial; far lower where the values of a trial belong together.
    None where so few trials can never reach p < .05."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallestRegression:
    """Answer to: which regressions would this number of instances and trials reveal?"""

    draws: int
    seed: int
    samplings: tuple[Sampling, ...]
    """All that were asked for."""
    asked: int
    """Benchmarks; those that lack an answer under a sampling see nothing there."""
    benchmarks: tuple[Detectable, ...]
    """One row a benchmark and sampling, where there were enough instances and trials."""
    warnings: tuple[str, ...]

    def under(self, sampling: Sampling) -> tuple[Detectable, ...]:
        """Return the rows of one sampling."""
        return tuple(row for row in self.benchmarks if row.sampling == sampling)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Algorithm 1 for one set of draws."""

    smallest: float | None
    false_positive: float
    true_positive: float


def smallest_regression(
    samples: Mapping[str, Instances], samplings: Sequence[Sampling], seed: int
) -> SmallestRegression:
    """Return the smallest detectable regression of each benchmark under each sampling.

    Laaber, Scheuner & Leitner 2018, §4.2.2, Algorithm 1, and §4.2.1 for the A/A rates. `samples`:
    benchmark → instances → trials → values, positive and finite. Where there are too few instances or
    trials for two groups, the row is left out with a warning. Each benchmark and sampling has a random
    stream of its own, so that leaving one out does not change the others.
    """
    rows, lacks = list[Detectable](), defaultdict[str, list[str]](list)
    for name in sorted(samples):
        data = groups.table(samples[name])
        for sampling in samplings:
            missing = groups.lacking(data, sampling)
            if missing is None:
                rows.append(_detectable(name, data, sampling, _generator(seed, name, sampling)))
            else:
                lacks[f"{sampling.strategy} {sampling.instances} × {sampling.trials} {missing}"].append(name)
    return SmallestRegression(
        draws=DRAWS,
        seed=seed,
        samplings=tuple(samplings),
        asked=len(samples),
        benchmarks=tuple(rows),
        warnings=tuple(_lacking(lack, names, len(samples)) for lack, names in lacks.items()),
    )


def possible(samples: Mapping[str, Instances], samplings: Sequence[Sampling]) -> tuple[Sampling, ...]:
    """Return the samplings for which at least one benchmark has enough instances and trials."""
    tables = [groups.table(sample) for sample in samples.values()]
    return tuple(
        sampling for sampling in samplings if any(groups.lacking(data, sampling) is None for data in tables)
    )


def algorithm_1(differences: Floats) -> Rates:
    """Return the smallest r with false positives ≤ .05 and true positives ≥ .95 of the draws.

    `differences` (draws,): d = (median(test) − median(control)) ÷ median(control) without a regression.
    False positive: |d| > r/2. True positive: |d·(1 + r) + r| > r/2, for adding r to the test group
    multiplies its median by 1 + r, so one set of draws serves every r. The printed algorithm walks the
    grid downwards and returns the first r, which is the largest, and compares a difference in seconds
    with r/2; text and figures want the smallest and a relative difference, as here. No draw raises
    ValueError.
    """
    if differences.size == 0:
        raise ValueError("expected at least 1 draw, found none")
    grid = np.array(GRID)[:, np.newaxis]
    false = (np.abs(differences) > grid / 2).mean(axis=-1)
    true = (np.abs(differences * (1 + grid) + grid) > grid / 2).mean(axis=-1)
    passed = np.flatnonzero((false <= MOST_FALSE) & (true >= LEAST_TRUE))
    at = int(passed[0]) if passed.size else len(GRID) - 1
    return Rates(
        smallest=GRID[at] if passed.size else None,
        false_positive=float(false[at]),
        true_positive=float(true[at]),
    )


def _lacking(lack: str, names: Sequence[str], benchmarks: int) -> str:
    if len(names) == benchmarks:
        return f"{lack}: no answer for any benchmark"
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return f"{lack}: no answer for {len(names)} of {benchmarks} benchmarks ({shown})"


def _generator(seed: int, name: str, sampling: Sampling) -> np.random.Generator:
    label = f"{sampling.strategy} {sampling.instances} {sampling.trials} {name}"
    return np.random.default_rng([seed, *label.encode()])


def _detectable(name: str, data: Table, sampling: Sampling, generator: np.random.Generator) -> Detectable:
    control, test = groups.draw(data, sampling, DRAWS, generator)
    left, right = pooled(data.values, control), pooled(data.values, test)
    base = medians(left)
    rates = algorithm_1((medians(right) - base) / base)
    of_trials = medians(data.values)
    trials = pooled(of_trials, control), pooled(of_trials, test)
    reachable = rank_sum.attainable(trials[0].shape[1], trials[1].shape[1], A_A_ALPHA)
    alarms, medium = _alarms(left, right)
    return Detectable(
        benchmark=name,
        sampling=sampling,
        smallest=rates.smallest,
        false_positive_rate=rates.false_positive,
        true_positive_rate=rates.true_positive,
        false_alarms=float(alarms.mean()),
        false_alarms_of_effect=float((alarms & medium).mean()),
        false_alarms_of_medians=float(_alarms(*trials)[0].mean()) if reachable else None,
    )


def _alarms(left: Floats, right: Floats) -> tuple[Flags, Flags]:
    """Tell for each row whether a rank-sum test at .05 alarms, and whether the effect is medium."""
    if not np.isnan([left.sum(), right.sum()]).any():
        return _tested(left, right)
    # Trials of unequal length leave gaps, and each row has its own sizes.
    rows = [
        _tested(before[~np.isnan(before)], after[~np.isnan(after)])
        for before, after in zip(left, right, strict=True)
    ]
    return np.array([alarm for alarm, _ in rows]), np.array([medium for _, medium in rows])


def _tested(left: Floats, right: Floats) -> tuple[Flags, Flags]:
    pairs = left.shape[-1] * right.shape[-1]
    cliffs_delta = 2 * rank_sum.u_statistic(right, left) / pairs - 1
    return np.asarray(rank_sum.p_values(left, right) < A_A_ALPHA), np.asarray(
        np.abs(cliffs_delta) >= A_A_EFFECT
    )
