"""What a project lives with, for a reason, and until when."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from pydantic import BaseModel, ConfigDict


class AcceptedEntry(BaseModel):
    """A finding, or a method that need not be noticed: `[[tool.abs-audit.accept]]`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    reason: str
    until: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptList:
    """The entries of a project as they are today; one counts up to and on its day."""

    entries: tuple[AcceptedEntry, ...]
    today: date

    def of(self, ids: Collection[str], *, expired: bool = False) -> tuple[AcceptedEntry, ...]:
        """Return the entries that accept something of these, or those that did but do no longer."""
        return tuple(
            entry
            for entry in self.entries
            if entry.id in ids and (entry.until is not None and entry.until < self.today) is expired
        )
