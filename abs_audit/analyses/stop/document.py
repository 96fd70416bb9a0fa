"""The document of `stop`."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict

from abs_audit.analyses.stop.model import CREDIBILITY_PERCENTILES, Replay, SeriesReplay
from abs_audit.model.bounds import MaybeNumber, MaybeRate, Size, bounded
from abs_audit.report.document import Document, Part, Text, Texts, named
from abs_audit.wording import finite


class LookPart(Part):
    """One look of the rule: after n values, with the figures that it decided by beside these two."""

    model_config = ConfigDict(extra="allow")

    n: int
    reason: str


class SeriesPart(Part):
    """What the rule did on one series."""

    series: Text
    stop_at: Annotated[int | None, bounded(1, description="null: the series is too short")]
    used: int
    reason: str
    accuracy: MaybeNumber
    trace: list[LookPart]

    @classmethod
    def read(cls, series: SeriesReplay) -> Self:
        """Return what the rule did on a series."""
        looks = [
            LookPart(
                n=look.n, reason=look.reason, **{key: finite(value) for key, value in look.figures.items()}
            )
            for look in series.trace
        ]
        return cls.of(series, accuracy=series.judgement and series.judgement.accuracy, trace=looks)


Percentile = Literal["p25", "p50", "p75", "p90"]


class StopDocument(Document):
    """Where a stopping rule would have stopped."""

    schema_: Literal["abs-audit/stop/1"] = named("abs-audit/stop/1")
    rule: str
    paper_quirks: bool
    accuracy_mean: MaybeRate
    accuracy_worst: MaybeNumber
    credibility: dict[Percentile, MaybeRate] | None
    runs_mean: Size
    series: list[SeriesPart]
    warnings: Texts

    @classmethod
    def read(cls, result: Replay) -> Self:
        """Return the document of a replay."""
        names = [f"p{round(100 * percentile)}" for percentile in CREDIBILITY_PERCENTILES]
        return cls.of(
            result,
            credibility=result.credibility and dict(zip(names, result.credibility, strict=True)),
            series=[SeriesPart.read(series) for series in result.series],
        )
