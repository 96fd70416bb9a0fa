"""The document of `stubs`."""

from collections.abc import Sequence
from typing import Literal, Self

from abs_audit.model.stub import StubOutcome
from abs_audit.report.document import Document, named


class StubsDocument(Document):
    """Proposed benchmarks for methods that no benchmark watches."""

    schema_: Literal["abs-audit/stubs/1"] = named("abs-audit/stubs/1")
    stubs: list[StubOutcome]

    @classmethod
    def read(cls, outcomes: Sequence[StubOutcome]) -> Self:
        """Return the document of what became of the stubs."""
        return cls.of(outcomes, stubs=outcomes)
