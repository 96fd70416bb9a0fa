"""The document of `sensitivity`; null: no benchmark can notice any slowdown, where that is known."""

from typing import Annotated, Literal

from abs_audit.model.bounds import bounded
from abs_audit.report.document import CommandCostPart, Document, MaybeNumber, Part, Text, Texts, named


class MethodPart(Part):
    """The smallest slowdown of one method that some benchmark notices."""

    method: Text
    smallest_noticed: Annotated[
        MaybeNumber,
        bounded(0, description="extra time / own time; null: no slowdown is ever noticed, if known"),
    ]
    benchmark: Text | None
    confirmed: bool
    reason: Text
    known: bool = True


class SensitivityDocument(Document):
    """The smallest slowdown of each method that the suite notices."""

    schema_: Literal["abs-audit/sensitivity/1"] = named("abs-audit/sensitivity/1")
    threshold: Annotated[
        float, bounded(0, description="relative difference of a benchmark that counts as noticed")
    ]
    methods: list[MethodPart]
    cost: CommandCostPart | None
    warnings: Texts
