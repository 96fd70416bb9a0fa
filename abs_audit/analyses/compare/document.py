"""The document of `compare`."""

from typing import Annotated, Literal, Self

from pydantic import Field

from abs_audit.analyses.compare.model import (
    CONFIDENCE,
    ComparedBenchmark,
    Comparison,
    ComparisonSettings,
    Correction,
)
from abs_audit.analyses.compare.packages import PackageRatio
from abs_audit.model.bounds import Count, bounded
from abs_audit.report.document import Document, Part, Text, Texts, named, read_from


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
    benchmarks: list[ComparedBenchmark]
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
            regressions=[compared.benchmark for compared in result.regressions],
            a_a=result,
        )
