"""The document of `compare`."""

from typing import Annotated, Literal, Self

from pydantic import Field

from abs_audit.analyses.compare.model import CONFIDENCE, Change, Comparison, ComparisonSettings, Correction
from abs_audit.analyses.compare.packages import PackageRatio
from abs_audit.analyses.compare.replication import Unit
from abs_audit.model.bounds import Count, Rate, bounded
from abs_audit.report.document import Document, MaybeNumber, MaybeSize, Part, Text, Texts, named, read_from


class EffectsPart(Part):
    """How large a change is."""

    mean_difference: Annotated[float, bounded(None, description="mean after / mean before - 1")]
    median_difference: Annotated[float, bounded(None, description="median after / median before - 1")]
    cliffs_delta: Annotated[float, bounded(-1, 1)]


class ComparedPart(Part):
    """One benchmark before and after."""

    id: Text = read_from("benchmark")
    change: Annotated[Change, Field(description="undecidable: too few units for any verdict; never a pass")]
    ratio: Annotated[float, bounded(0, description="median after / median before")]
    interval: Annotated[
        tuple[MaybeSize, MaybeSize] | None,
        Field(description="95 % interval of the ratio from the forks; null: fewer than four a side"),
    ]
    missing_forks: Annotated[int, bounded(0, description="forks a side that an interval still needs")]
    p: Annotated[float, bounded(0, 1, "two-sided, by permuted labels against the noise of the whole suite")]
    p_corrected: Rate
    unit: Annotated[Unit, Field(description="what counts as one independent value")]
    replicates: Annotated[tuple[Count, Count], Field(description="units before and after")]
    medians: Annotated[tuple[float, float], Field(description="of the units, before and after")]
    measured_in: Annotated[Text, Field(description="unit of the medians; s for times")]
    effects: EffectsPart
    own_noise: Annotated[
        MaybeNumber, bounded(0, description="larger |ratio - 1| of a side's halves; null: too few units")
    ]


class SettingsPart(Part):
    """How the sides were compared."""

    alpha: float
    threshold: float
    correction: Correction
    confidence: float
    seed: int


class OwnAlarmsPart(Part):
    """First half of a side against its second."""

    checks: Count = read_from("halves")
    alarms: Count


class CompareDocument(Document):
    """Which benchmarks changed between two versions."""

    schema_: Literal["abs-audit/compare/1"] = named("abs-audit/compare/1")
    before: Text
    after: Text
    settings: SettingsPart
    benchmarks: list[ComparedPart]
    regressions: Annotated[Texts, Field(description="the benchmarks whose change is slower")]
    geometric_mean: Annotated[float, bounded(0, description="of all ratios")]
    packages: list[PackageRatio]
    only_before: Annotated[Texts, Field(description="benchmarks that the second side lacks: no verdict")]
    only_after: Annotated[
        Texts, Field(description="benchmarks that the first side lacks: nothing to compare with")
    ]
    a_a: OwnAlarmsPart
    warnings: Texts

    @classmethod
    def read(cls, result: Comparison, settings: ComparisonSettings, before: str, after: str) -> Self:
        """Return the document; `before` and `after` name what was compared."""
        return cls.of(
            result,
            before=before,
            after=after,
            settings=SettingsPart.of(settings, confidence=CONFIDENCE),
            benchmarks=[ComparedPart.of(compared, effects=compared) for compared in result.benchmarks],
            regressions=[compared.benchmark for compared in result.regressions],
            a_a=result,
        )
