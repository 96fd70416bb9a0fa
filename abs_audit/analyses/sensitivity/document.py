"""The document of `sensitivity`; null: no benchmark can notice any slowdown, where that is known."""

from typing import Annotated, Literal

from abs_audit.analyses.sensitivity.model import MethodSensitivity
from abs_audit.model.bounds import bounded
from abs_audit.report.document import CommandCostPart, Document, Texts, named


class SensitivityDocument(Document):
    """The smallest slowdown of each method that the suite notices."""

    schema_: Literal["abs-audit/sensitivity/1"] = named("abs-audit/sensitivity/1")
    threshold: Annotated[
        float, bounded(0, description="relative difference of a benchmark that counts as noticed")
    ]
    methods: list[MethodSensitivity]
    cost: CommandCostPart | None
    warnings: Texts
