"""The document of `cache`."""

from collections.abc import Sequence
from typing import Literal, Self

from abs_audit.execution.cache import KeptWorkspace
from abs_audit.model.bounds import Count, Size
from abs_audit.report.document import Document, Part, Text, named


class WorkspacePart(Part):
    """One workspace: a copy of a subject with its environment and builds."""

    path: Text
    subject: Text
    size_bytes: Count
    used_at: Size


class CacheDocument(Document):
    """What is kept on this machine, the longest unused first."""

    schema_: Literal["abs-audit/cache/1"] = named("abs-audit/cache/1")
    workspaces: list[WorkspacePart]
    size_bytes: Count

    @classmethod
    def read(cls, entries: Sequence[KeptWorkspace]) -> Self:
        """Return the document of what is kept."""
        parts = [WorkspacePart.of(entry, path=str(entry.path)) for entry in entries]
        return cls(workspaces=parts, size_bytes=sum(part.size_bytes for part in parts))
