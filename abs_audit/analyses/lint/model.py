"""The mistakes that are found in a suite's sources, without those that the project accepts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from abs_audit.model.lint import Lint


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A mistake that a project lives with, for a reason, and until when."""

    id: str
    reason: str
    until: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """A commit, as people know it."""

    commit: str
    date: str
    """Of the author, ISO 8601."""
    subject: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotten:
    """A benchmark that does not work at HEAD."""

    benchmark: str
    reason: str
    since: Since | None
    """The first commit at which it does not; None: it did not where the search began either."""
    suspects: tuple[str, ...]
    """Commits that could not be tried, and may be the first as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LintResult:
    """Answer to: which benchmarks hold known mistakes?"""

    lints: tuple[Lint, ...]
    """Those that are neither accepted nor accepted any more."""
    accepted: tuple[Accepted, ...]
    """Entries that were of use."""
    expired: tuple[Accepted, ...]
    """Entries whose day has passed: what they accepted is told again."""
    unused: tuple[Accepted, ...]
    """Entries that fit no mistake: it was mended, or the id is wrong."""
    rot: tuple[Rotten, ...] | None = None
    """None: nobody asked."""


def judged(lints: Sequence[Lint], entries: Mapping[str, Accepted], today: date) -> LintResult:
    """Return the mistakes to tell; an entry counts up to and on its day."""
    ids = {mistake.id for mistake in lints}
    valid = {id: entry for id, entry in entries.items() if entry.until is None or today <= entry.until}
    return LintResult(
        lints=tuple(mistake for mistake in lints if mistake.id not in valid),
        accepted=tuple(entry for id, entry in valid.items() if id in ids),
        expired=tuple(entry for id, entry in entries.items() if id not in valid and id in ids),
        unused=tuple(entry for id, entry in entries.items() if id not in ids),
    )
