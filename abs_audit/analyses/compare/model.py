"""Which benchmarks changed between two versions? Forks as the unit, corrected and checked against A/A."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from abs_audit.analyses.compare.replication import Forks, Replicates, Unit, common_unit, replicates
from abs_audit.stats import rank_sum
from abs_audit.stats.bootstrap import Resampling, ratio_interval
from abs_audit.stats.effect import cliffs_delta, mean_difference, median_difference
from abs_audit.stats.intervals import wilson
from abs_audit.stats.multiplicity import benjamini_hochberg, holm

Measured = Mapping[str, Forks]
"""Benchmark → forks → values in the order measured in: finite, positive, lower is better, one unit."""


class Correction(StrEnum):
    """How p values are corrected for the number of benchmarks."""

    BENJAMINI_HOCHBERG = "bh"
    HOLM = "holm"
    NONE = "none"


class Change(StrEnum):
    """What became of a benchmark."""

    SLOWER = "slower"
    FASTER = "faster"
    UNCHANGED = "unchanged"
    UNDECIDABLE = "undecidable"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonSettings:
    """When a benchmark counts as changed."""

    alpha: float = 0.05
    """Largest corrected p of a change."""
    threshold: float = 0.0
    """Least |ratio of medians − 1| that matters."""
    correction: Correction = Correction.BENJAMINI_HOCHBERG
    unit: Unit | None = None
    """Forks or iterations; None: forks where both sides have several, else iterations."""
    calibrated: bool = True
    """Whether a change must exceed what each side differs from itself, first half against second."""
    resampling: Resampling = field(default_factory=Resampling)
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedBenchmark:
    """One benchmark before and after."""

    benchmark: str
    unit: Unit
    replicates: tuple[int, int]
    """Units before and after."""
    medians: tuple[float, float]
    """Of the units' values, before and after, in the unit of the input."""
    ratio: float
    """Median after ÷ median before."""
    interval: tuple[float, float]
    """Hierarchical bootstrap interval of the ratio."""
    p: float
    """Two-sided rank-sum test over the units."""
    p_corrected: float
    """1 where the test could not have found anything."""
    mean_difference: float
    """Mean after ÷ mean before − 1, over the units."""
    median_difference: float
    cliffs_delta: float
    """P(after > before) − P(after < before), −1..1."""
    own_noise: float | None
    """Larger |ratio − 1| of first against second half, of either side; None with fewer than 4 units."""
    change: Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Answer to: which benchmarks changed?"""

    benchmarks: tuple[ComparedBenchmark, ...]
    """In the order of the first input."""
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    halves: int
    """A/A checks made: first half of a side against its second, where p < α was possible."""
    alarms: int
    """A/A checks with p < α, uncorrected; more than α of them mean that the unit is wrong or drifts."""
    warnings: tuple[str, ...]

    @property
    def regressions(self) -> tuple[ComparedBenchmark, ...]:
        """Return the benchmarks that became slower."""
        return tuple(one for one in self.benchmarks if one.change is Change.SLOWER)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """Both sides of a benchmark with the test's answer, before correction."""

    benchmark: str
    unit: Unit
    before: Replicates
    after: Replicates
    p: float
    decidable: bool


def compare(before: Measured, after: Measured, settings: ComparisonSettings | None = None) -> Comparison:
    """Return what changed between two versions, benchmark by benchmark.

    A change needs corrected p < α in a two-sided rank-sum test over the units of replication, a ratio of
    medians beyond the threshold, and, where calibrated, one that exceeds the side's own noise. Benchmarks
    whose numbers of units cannot reach α are undecidable: they neither alarm nor count in the correction.
    Laaber, Scheuner & Leitner 2019 compare in this way, but with pooled values; the unit matters (see
    `replication`). No common benchmark: an empty answer with a warning.
    """
    settings = settings or ComparisonSettings()
    pairs = [_pair(name, before[name], after[name], settings) for name in before if name in after]
    checks = [p for pair in pairs for side in (pair.before, pair.after) for p in _own_p(side, settings.alpha)]
    alarms = sum(p < settings.alpha for p in checks)
    return Comparison(
        benchmarks=tuple(_compared(pairs, settings)),
        only_before=tuple(name for name in before if name not in after),
        only_after=tuple(name for name in after if name not in before),
        halves=len(checks),
        alarms=alarms,
        warnings=(*_unit_warnings(pairs, settings), *_noise_warnings(alarms, len(checks), settings)),
    )


def _pair(name: str, before: Forks, after: Forks, settings: ComparisonSettings) -> _Pair:
    unit = settings.unit or common_unit(before, after)
    first, second = replicates(before, unit), replicates(after, unit)
    return _Pair(
        benchmark=name,
        unit=unit,
        before=first,
        after=second,
        p=rank_sum.p_value(first.values, second.values),
        decidable=rank_sum.attainable(first.values.size, second.values.size, settings.alpha),
    )


def _corrected(pairs: Sequence[_Pair], correction: Correction) -> Mapping[str, float]:
    """Return benchmark → corrected p; tests that could not have found anything are left out of the family."""
    family = [pair for pair in pairs if pair.decidable]
    p_values = np.array([pair.p for pair in family])
    if correction is Correction.HOLM:
        p_values = holm(p_values)
    elif correction is Correction.BENJAMINI_HOCHBERG:
        p_values = benjamini_hochberg(p_values)
    return {pair.benchmark: float(p) for pair, p in zip(family, p_values, strict=True)}


def _compared(pairs: Sequence[_Pair], settings: ComparisonSettings) -> Iterator[ComparedBenchmark]:
    corrected = _corrected(pairs, settings.correction)
    rng = np.random.default_rng(settings.seed)
    for pair in pairs:
        before, after = pair.before.values, pair.after.values
        p = corrected.get(pair.benchmark, 1.0)
        ratio = 1.0 + median_difference(before, after)
        noise = _own_noise(pair)
        yield ComparedBenchmark(
            benchmark=pair.benchmark,
            unit=pair.unit,
            replicates=(before.size, after.size),
            medians=(float(np.median(before)), float(np.median(after))),
            ratio=ratio,
            interval=ratio_interval(pair.after.groups, pair.before.groups, settings.resampling, rng),
            p=pair.p,
            p_corrected=p,
            mean_difference=mean_difference(before, after),
            median_difference=ratio - 1.0,
            cliffs_delta=cliffs_delta(before, after),
            own_noise=noise,
            change=_change(ratio, p, noise, settings) if pair.decidable else Change.UNDECIDABLE,
        )


def _change(ratio: float, p: float, noise: float | None, settings: ComparisonSettings) -> Change:
    least = max(settings.threshold, noise or 0.0) if settings.calibrated else settings.threshold
    if p >= settings.alpha or abs(ratio - 1.0) <= least:
        return Change.UNCHANGED
    return Change.SLOWER if ratio > 1.0 else Change.FASTER


def _own_noise(pair: _Pair) -> float | None:
    """Return the larger |ratio of medians − 1| of second against first half, of either side."""
    halves = [pair.before.halves, pair.after.halves]
    noises = [abs(median_difference(*both)) for both in halves if both is not None]
    return max(noises) if len(noises) == len(halves) else None


def _own_p(side: Replicates, alpha: float) -> Iterator[float]:
    """Yield p of first against second half, where it could fall below α."""
    halves = side.halves
    if halves is not None and rank_sum.attainable(halves[0].size, halves[1].size, alpha):
        yield rank_sum.p_value(*halves)


def _unit_warnings(pairs: Sequence[_Pair], settings: ComparisonSettings) -> Iterator[str]:
    if not pairs:
        yield "no benchmark is in both: nothing is compared"
    pooled = sum(pair.unit is Unit.ITERATION for pair in pairs)
    if pooled:
        yield (
            f"{pooled} of {len(pairs)} benchmarks compare iterations as if they were independent "
            "(pseudo-replication): expect false alarms, and measure at least 5 forks a side"
        )
    undecidable = sum(not pair.decidable for pair in pairs)
    if undecidable:
        yield (
            f"{undecidable} of {len(pairs)} benchmarks have too few {settings.unit or 'fork'}s to reach "
            f"p < {settings.alpha:g} at all: measure at least {_least_units(settings.alpha)} a side"
        )
    family = [pair for pair in pairs if pair.decidable]
    if family and settings.correction is not Correction.NONE:
        yield from _power_warning(family, settings.alpha)


def _power_warning(family: Sequence[_Pair], alpha: float) -> Iterator[str]:
    """Yield a warning where a single changed benchmark could not survive the correction."""
    lonely = sum(
        not rank_sum.attainable(pair.before.values.size, pair.after.values.size, alpha / len(family))
        for pair in family
    )
    if lonely:
        yield (
            f"{lonely} of {len(family)} benchmarks have so few units that a change of one alone would not "
            f"survive the correction: measure at least {_least_units(alpha / len(family))} a side"
        )


def _least_units(alpha: float) -> int:
    """Return the least equal number of units a side that can reach p < α."""
    return next(n for n in range(1, 100) if rank_sum.attainable(n, n, alpha))


def _noise_warnings(alarms: int, halves: int, settings: ComparisonSettings) -> Iterator[str]:
    if wilson(alarms, halves)[0] > settings.alpha:
        yield (
            f"{alarms} of {halves} A/A checks (first half of a side against its second) alarm at "
            f"p < {settings.alpha:g}: values drift or are not independent, and p values are too small"
        )
