"""The document of `detectable`."""

from typing import Annotated, Literal, Self

from abs_audit.analyses.detectable.model import SmallestRegression
from abs_audit.analyses.detectable.recommendation import Recommendation
from abs_audit.analyses.detectable.sampling import Strategy
from abs_audit.model.bounds import Count, Rate, bounded
from abs_audit.report.document import Document, Part, Text, Texts, named, read_from


class DetectablePart(Part):
    """The smallest regression that one benchmark shows under one sampling."""

    id: Text = read_from("benchmark")
    strategy: Strategy = read_from("sampling", "strategy")
    instances: Count = read_from("sampling", "instances")
    trials: Count = read_from("sampling", "trials")
    smallest: Annotated[float | None, bounded(0, 1, "relative increase of the time; null: none up to 1")]
    false_positive_rate: Rate
    true_positive_rate: Rate


class SightPart(Part):
    """What one sampling shows to all benchmarks."""

    strategy: Strategy = read_from("sampling", "strategy")
    instances: Count = read_from("sampling", "instances")
    trials: Count = read_from("sampling", "trials")
    smallest: Annotated[
        float | None, bounded(0, description="regression that the wanted share of all benchmarks shows")
    ]
    median: Annotated[float | None, bounded(0, description="regression that half of all benchmarks show")]
    seeing: Annotated[float, bounded(0, 1, "share of all benchmarks that show the regression aimed at")]
    answered: Annotated[int, bounded(0, description="benchmarks with enough instances and trials")]
    none: Annotated[int, bounded(0, description="answered benchmarks that show no regression at all")]


class RecommendationPart(Part):
    """The cheapest sampling that reaches the aim, and the same in words."""

    regression: float
    share: Rate
    reached: bool
    sampling: SightPart | None = read_from("chosen")
    sentence: str


class DetectableDocument(Document):
    """The smallest regression that a sampling shows."""

    schema_: Literal["abs-audit/detectable/1"] = named("abs-audit/detectable/1")
    benchmarks: list[DetectablePart]
    samplings: list[SightPart]
    recommendation: RecommendationPart
    draws: Count
    seed: int
    warnings: Texts

    @classmethod
    def read(cls, result: SmallestRegression, advice: Recommendation, sentence: str) -> Self:
        """Return the document; `sentence` is the recommendation in words."""
        return cls.of(
            result, samplings=advice.sights, recommendation=RecommendationPart.of(advice, sentence=sentence)
        )
