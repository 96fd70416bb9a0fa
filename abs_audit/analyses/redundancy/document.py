"""The document of `redundancy`."""

from typing import Annotated, Literal

from pydantic import Field

from abs_audit.analyses.redundancy.model import MethodRedundancy
from abs_audit.model.bounds import Count, Rate
from abs_audit.report.document import Document, Texts, named


class RedundancyDocument(Document):
    """How many and which benchmarks notice each method."""

    schema_: Literal["abs-audit/redundancy/1"] = named("abs-audit/redundancy/1")
    methods: list[MethodRedundancy]
    removable: Texts
    histogram: Annotated[list[Count], Field(description="item n: methods that exactly n benchmarks notice")]
    gap: Annotated[
        Rate, Field(description="how much cheaper what remains could be at best; 0: proven to be cheapest")
    ]
    warnings: Texts
