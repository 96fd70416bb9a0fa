"""The document of `variability`."""

from typing import Annotated, Literal, Self

from pydantic import Field

from abs_audit.analyses.detectable.model import SmallestRegression
from abs_audit.analyses.detectable.sampling import Strategy
from abs_audit.analyses.variability.model import BenchmarkVariability, Variability
from abs_audit.model.bounds import Count, bounded
from abs_audit.report.document import Document, Part, Text, Texts, named, read_from


class AlarmsPart(Part):
    """Share of comparisons of one code with itself that a test tells apart, under one sampling."""

    id: Text = read_from("benchmark")
    strategy: Strategy = read_from("sampling", "strategy")
    instances: Count = read_from("sampling", "instances")
    trials: Count = read_from("sampling", "trials")
    false_alarms: Annotated[float, bounded(0, 1, "by a rank-sum test of all values, p < .05")]
    false_alarms_of_effect: Annotated[float, bounded(0, 1, "and with |Cliff's delta| >= .33, too")]
    false_alarms_of_medians: Annotated[
        float | None, bounded(0, 1, "by one median a trial; null: p < .05 cannot be reached")
    ]


class VariabilityDocument(Document):
    """How much results differ, by source."""

    schema_: Literal["abs-audit/variability/1"] = named("abs-audit/variability/1")
    benchmarks: list[BenchmarkVariability]
    outliers_removed: bool
    a_a: Annotated[list[AlarmsPart], Field(description="equal code against itself")]
    seed: int | None
    warnings: Texts

    @classmethod
    def read(cls, result: Variability, alarms: SmallestRegression | None = None) -> Self:
        """Return the document; `alarms` adds the A/A rates."""
        return cls.of(
            result,
            a_a=alarms.benchmarks if alarms else (),
            seed=alarms and alarms.seed,
            warnings=[*result.warnings, *(alarms.warnings if alarms else ())],
        )
