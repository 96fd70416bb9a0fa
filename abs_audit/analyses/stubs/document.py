"""The document of `stubs`."""

from typing import Literal

from abs_audit.model.stub import StubOutcome
from abs_audit.report.document import Document, named


class StubsDocument(Document):
    """Proposed benchmarks for methods that no benchmark watches."""

    schema_: Literal["abs-audit/stubs/1"] = named("abs-audit/stubs/1")
    stubs: list[StubOutcome]
