"""The document of `trace`, which is also a methods file."""

from typing import Literal

from abs_audit.model.trace import DownstreamSummary, RankedMethod
from abs_audit.report.document import Document, Texts, named


class TraceDocument(Document):
    """API methods ranked by what the tests of downstream projects call."""

    schema_: Literal["abs-audit/trace/1"] = named("abs-audit/trace/1")
    caller: Literal["direct", "any"]
    methods: list[RankedMethod]
    downstreams: list[DownstreamSummary]
    warnings: Texts
