"""The document of `stability`."""

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import Field

from abs_audit.analyses.stability.model import BenchmarkSpread, Density, Stability
from abs_audit.model.bounds import Count, MaybeNumber, bounded
from abs_audit.report.document import Document, Texts, named

Bucket = Literal["0-0.05", "0.05-0.1", "0.1-0.25", "0.25-0.5", ">0.5"]
BUCKETS: tuple[Bucket, ...] = ("0-0.05", "0.05-0.1", "0.1-0.25", "0.25-0.5", ">0.5")


class StabilityDocument(Document):
    """How much the benchmarks vary between runs of the suite."""

    schema_: Literal["abs-audit/stability/1"] = named("abs-audit/stability/1")
    runs: Count
    benchmarks: list[BenchmarkSpread]
    buckets: dict[Bucket, Count]
    slowdown: Annotated[MaybeNumber, bounded(0, description="proposed slowdown: extra time / own time")]
    violins: list[Density]
    warnings: Texts
    ended: Annotated[str, Field(description="why the runs ended: all made, or by which stopping rule")]

    @classmethod
    def read(cls, result: Stability, violins: Sequence[Density] = (), ended: str = "") -> Self:
        """Return the document; `violins` adds the curves to draw, `ended` says why the runs ended."""
        return cls.of(
            result, buckets=dict(zip(BUCKETS, result.buckets, strict=True)), violins=violins, ended=ended
        )
