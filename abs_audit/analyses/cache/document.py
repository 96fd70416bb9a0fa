"""The document of `cache`."""

from collections.abc import Sequence
from typing import Literal, Self

from abs_audit.execution.cache import KeptWorkspace
from abs_audit.model.bounds import Count
from abs_audit.report.document import Document, named


class CacheDocument(Document):
    """What is kept on this machine, the longest unused first."""

    schema_: Literal["abs-audit/cache/1"] = named("abs-audit/cache/1")
    workspaces: list[KeptWorkspace]
    size_bytes: Count

    @classmethod
    def read(cls, entries: Sequence[KeptWorkspace]) -> Self:
        """Return the document of what is kept."""
        return cls(workspaces=list(entries), size_bytes=sum(entry.size_bytes for entry in entries))
