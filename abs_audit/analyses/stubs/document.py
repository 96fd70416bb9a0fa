"""The document of `stubs`."""

from collections.abc import Sequence
from typing import Literal, Self

from abs_audit.model.stub import StubOutcome
from abs_audit.report.document import Document, Part, Text, named


class StubPart(Part):
    """Whether a stub proved itself; `detects` is null where that was not tried.

    Where `finished` is false its trial was not: what is false else is not known yet.
    """

    method: Text
    file: Text
    compiles: bool
    runs: bool
    detects: bool | None
    reason: Text
    finished: bool = True


class StubsDocument(Document):
    """Proposed benchmarks for methods that no benchmark watches."""

    schema_: Literal["abs-audit/stubs/1"] = named("abs-audit/stubs/1")
    stubs: list[StubPart]

    @classmethod
    def read(cls, outcomes: Sequence[StubOutcome]) -> Self:
        """Return the document of what became of the stubs."""
        return cls.of(outcomes, stubs=outcomes)
