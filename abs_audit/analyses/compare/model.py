"""Which benchmarks changed between two versions? Forks as the unit, the whole suite as the yardstick."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import numpy as np
from pydantic import Field

from abs_audit.analyses.compare.evidence import Evidence, gather
from abs_audit.analyses.compare.packages import PackageRatio, geometric_mean, package_ratios
from abs_audit.analyses.compare.replication import Measured, Replicates, Unit, replicates
from abs_audit.formats.sample import SECONDS
from abs_audit.model.bounds import Count, MaybeNumber, Rate, SizeOrNull, bounded, told_as
from abs_audit.stats import rank_sum
from abs_audit.stats.arrays import Floats
from abs_audit.stats.intervals import wilson
from abs_audit.stats.multiplicity import benjamini_hochberg, holm

CONFIDENCE = 0.95
"""Of the intervals."""


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
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """How large a change is."""

    mean_difference: Annotated[float, bounded(None, description="mean after / mean before - 1")]
    median_difference: Annotated[float, bounded(None, description="median after / median before - 1")]
    cliffs_delta: Annotated[float, bounded(-1, 1)]
    """P(after > before) − P(after < before)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedBenchmark:
    """One benchmark before and after."""

    benchmark: Annotated[str, told_as("id")]
    change: Annotated[Change, Field(description="undecidable: too few units for any verdict; never a pass")]
    ratio: Annotated[float, bounded(0, description="median after / median before")]
    interval: Annotated[
        tuple[SizeOrNull, SizeOrNull] | None,
        Field(description="95 % interval of the ratio from the forks; null: fewer than four a side"),
    ]
    missing_forks: Annotated[int, bounded(0, description="forks a side that an interval still needs")]
    p: Annotated[float, bounded(0, 1, "two-sided, by permuted labels against the noise of the whole suite")]
    p_corrected: Rate
    """1 where the test could not have found anything."""
    unit: Annotated[Unit, Field(description="what counts as one independent value")]
    replicates: Annotated[tuple[Count, Count], Field(description="units before and after")]
    medians: Annotated[tuple[float, float], Field(description="of the units, before and after")]
    measured_in: Annotated[str, Field(description="unit of the medians; s for times")]
    effects: Effects
    own_noise: Annotated[
        MaybeNumber, bounded(0, description="larger |ratio - 1| of a side's halves; null: too few units")
    ]


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
        return tuple(benchmark for benchmark in self.benchmarks if benchmark.change is Change.SLOWER)

    @property
    def geometric_mean(self) -> float:
        """Return that of all ratios."""
        return geometric_mean([benchmark.ratio for benchmark in self.benchmarks])

    @property
    def packages(self) -> tuple[PackageRatio, ...]:
        """Return the geometric mean of the ratios of each package."""
        names = [benchmark.benchmark for benchmark in self.benchmarks]
        return package_ratios(names, [benchmark.ratio for benchmark in self.benchmarks])


def compare(
    before: Measured,
    after: Measured,
    settings: ComparisonSettings | None = None,
    units: Mapping[str, str] | None = None,
) -> Comparison:
    """Return what changed between two versions, benchmark by benchmark.

    A change needs corrected p < α in a test that takes the noise of the whole suite as its yardstick, a
    ratio of medians beyond the threshold, and, where calibrated, one that exceeds the side's own noise.
    Benchmarks whose numbers of units can say nothing at α (fewer than four a side) are undecidable: they
    neither alarm nor count in the correction. `units`: what values are measured in, seconds if not said.
    No common benchmark: an empty answer with a warning.
    """
    settings, units = settings or ComparisonSettings(), units or {}
    pairs = replicates(before, after, settings.unit)
    decidable = np.array([rank_sum.attainable(*pair.shape, settings.alpha) for pair in pairs], dtype=bool)
    evidence = gather(pairs, settings.alpha, settings.seed)
    evidence.p_corrected[decidable] = _corrected(evidence.p[decidable], settings.correction)
    compared = tuple(
        _compared(pair, evidence, row, units.get(pair.benchmark, SECONDS), settings)
        for row, pair in enumerate(pairs)
    )
    checks = evidence.own_p[np.isfinite(evidence.own_p)]
    alarms = int((checks < settings.alpha).sum())
    return Comparison(
        benchmarks=compared,
        only_before=tuple(name for name in before if name not in after),
        only_after=tuple(name for name in after if name not in before),
        halves=checks.size,
        alarms=alarms,
        warnings=(*_unit_warnings(compared, settings), *_noise_warnings(alarms, checks.size, settings)),
    )


def _corrected(p_values: Floats, correction: Correction) -> Floats:
    if correction is Correction.HOLM:
        return holm(p_values)
    return benjamini_hochberg(p_values) if correction is Correction.BENJAMINI_HOCHBERG else p_values


def _compared(
    pair: Replicates, evidence: Evidence, row: int, measured_in: str, settings: ComparisonSettings
) -> ComparedBenchmark:
    before, after = evidence.medians[row].tolist()
    ratio = after / before
    interval = evidence.ratios[row].tolist()
    noise, p_corrected = float(evidence.own_noise[row]), float(evidence.p_corrected[row])
    decidable = rank_sum.attainable(*pair.shape, settings.alpha)
    enclosed, least = bool(np.isfinite(interval[0])), rank_sum.least_size(1 - CONFIDENCE)
    return ComparedBenchmark(
        benchmark=pair.benchmark,
        unit=pair.unit,
        replicates=pair.shape,
        measured_in=measured_in,
        medians=(before, after),
        ratio=ratio,
        # Of many forks the two middle ones may leave the ratio of medians just outside.
        interval=(min(interval[0], ratio), max(interval[1], ratio)) if enclosed else None,
        missing_forks=0 if enclosed else max(1, least - min(side.size for side in pair.forks)),
        p=float(evidence.p[row]),
        p_corrected=p_corrected,
        effects=Effects(
            mean_difference=float(evidence.mean_differences[row]),
            median_difference=ratio - 1.0,
            cliffs_delta=float(evidence.cliffs_deltas[row]),
        ),
        own_noise=noise if np.isfinite(noise) else None,
        change=_change(ratio, p_corrected, noise, settings) if decidable else Change.UNDECIDABLE,
    )


def _change(ratio: float, p: float, noise: float, settings: ComparisonSettings) -> Change:
    own = noise if settings.calibrated and np.isfinite(noise) else 0.0
    if p >= settings.alpha or abs(ratio - 1.0) <= max(settings.threshold, own):
        return Change.UNCHANGED
    return Change.SLOWER if ratio > 1.0 else Change.FASTER


def _unit_warnings(compared: Sequence[ComparedBenchmark], settings: ComparisonSettings) -> Iterator[str]:
    if not compared:
        yield "no benchmark is in both: nothing is compared"
    pooled = sum(benchmark.unit is Unit.ITERATION for benchmark in compared)
    if pooled:
        yield (
            f"{pooled} of {len(compared)} benchmarks compare iterations as if they were independent "
            "(pseudo-replication): expect false alarms, and measure at least 5 forks a side"
        )
    undecidable = sum(benchmark.change is Change.UNDECIDABLE for benchmark in compared)
    if undecidable:
        yield (
            f"{undecidable} of {len(compared)} benchmarks have too few {settings.unit or 'fork'}s to reach "
            f"p < {settings.alpha:g} at all: measure at least {rank_sum.least_size(settings.alpha)} a side"
        )
    missing = [benchmark.missing_forks for benchmark in compared if benchmark.interval is None]
    if missing:
        yield (
            f"{len(missing)} of {len(compared)} benchmarks have no interval: no interval of so few forks "
            f"holds 95% of cases; measure {max(missing)} more a side"
        )


def _noise_warnings(alarms: int, halves: int, settings: ComparisonSettings) -> Iterator[str]:
    if wilson(alarms, halves)[0] > settings.alpha:
        yield (
            f"{alarms} of {halves} A/A checks (first half of a side against its second) alarm at "
            f"p < {settings.alpha:g}: values drift or are not independent, and p values are too small"
        )
