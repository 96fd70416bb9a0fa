"""What a commit did to files."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """Neighbouring lines that a commit replaced; line numbers count from 1."""

    before: range
    after: range


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """What a commit did to one file."""

    before: str | None
    """Path before the commit; None: the file is new."""
    after: str | None
    """Path after it; None: the file is gone."""
    hunks: tuple[Hunk, ...]
    """Empty where the file is not text, or was only moved."""

    @property
    def path(self) -> str:
        """Return where the file is, or where it was if it is gone."""
        return self.after or self.before or ""
