"""The document of `chart`."""

from typing import Annotated, Literal, Self

from pydantic import Field

from abs_audit.analyses.chart.flag_quality import FlagQuality
from abs_audit.analyses.chart.model import ControlChart
from abs_audit.model.bounds import Count, MaybeRate, bounded
from abs_audit.report.document import Document, Part, Text, Texts, named, read_from


class FilterPart(Part):
    """What the filter for two kinds of load did to the new run."""

    samples: Count
    cut: Annotated[float | None, bounded(None, description="samples below were dropped; null: one load")]
    normality_before: Annotated[float | None, bounded(0, 1, "p of Shapiro-Wilk")]
    normality_after: MaybeRate


class CounterPart(Part):
    """One counter of the new run against its limits."""

    name: Text
    lcl: float = read_from("limits", "lcl")
    cl: float = read_from("limits", "cl")
    ucl: float = read_from("limits", "ucl")
    violation_ratio: Annotated[float, bounded(0, 1, "share of the samples strictly outside the limits")]
    threshold: Annotated[
        float | None,
        bounded(
            0,
            1,
            "learned: largest violation ratio of a baseline charted against the others; null: one baseline",
        ),
    ]
    above_threshold: Annotated[bool, Field(description="the paper's rule: violation_ratio > threshold")]
    limit: Annotated[
        float, bounded(0, description="largest violation ratio that the chosen rule takes for in control")
    ]
    out_of_control: Annotated[bool, Field(description="violation_ratio > limit")]
    samples: Count
    filter: FilterPart | None
    notes: Texts


class ChartDocument(Document):
    """Control chart of a new run against baselines."""

    schema_: Literal["abs-audit/chart/1"] = named("abs-audit/chart/1")
    baselines: Texts
    target: Text
    counters: Annotated[list[CounterPart], Field(description="largest violation_ratio / threshold first")]
    average_violation: Annotated[
        float | None, bounded(0, 1, "mean over the counters out of control; null: none")
    ]
    quality: FlagQuality | None
    warnings: Texts

    @classmethod
    def read(cls, result: ControlChart, quality: FlagQuality | None = None) -> Self:
        """Return the document; `quality` holds the flags against labels, where there are any."""
        counters = [
            CounterPart.of(
                counter,
                samples=len(counter.samples),
                filter=counter.filtered
                and FilterPart.of(counter.filtered, samples=len(counter.filtered.samples)),
            )
            for counter in result.counters
        ]
        return cls.of(result, counters=counters, quality=quality)
