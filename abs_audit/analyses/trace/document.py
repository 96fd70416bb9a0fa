"""The document of `trace`, which is also a methods file."""

from typing import Literal

from abs_audit.report.document import Count, Document, Part, Text, Texts, named


class RankedPart(Part):
    """One API method with the calls that made it important."""

    method: Text
    calls: Count
    projects: Count
    by_project: dict[Text, Count]


class DownstreamPart(Part):
    """What became of the unit tests of one downstream project."""

    name: Text
    commit: Text | None
    tests_passed: Count
    tests_failed: Count
    calls: Count


class TraceDocument(Document):
    """API methods ranked by what the tests of downstream projects call."""

    schema_: Literal["abs-audit/trace/1"] = named("abs-audit/trace/1")
    caller: Literal["direct", "any"]
    methods: list[RankedPart]
    downstreams: list[DownstreamPart]
    warnings: Texts
