"""The mistakes that are found in a suite's sources, without those that the project accepts."""

from collections.abc import Sequence
from dataclasses import dataclass

from abs_audit.model.accepted import AcceptedEntry, AcceptList
from abs_audit.model.lint import Lint, Rule

ROT = "rot"
"""Begins the ids of benchmarks that do not work."""


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

    @property
    def id(self) -> str:
        """What an accept-list names."""
        return f"{ROT}:{self.benchmark}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LintResult:
    """Answer to: which benchmarks hold known mistakes?"""

    lints: tuple[Lint, ...]
    """Those that are neither accepted nor accepted any more."""
    accepted: tuple[AcceptedEntry, ...]
    """Entries that were of use."""
    expired: tuple[AcceptedEntry, ...]
    """Entries whose day has passed: what they accepted is told again."""
    unused: tuple[AcceptedEntry, ...]
    """Entries that fit no mistake: it was mended, or the id is wrong."""
    rot: tuple[Rotten, ...] | None = None
    """Not accepted either; None: nobody asked."""


def judged(lints: Sequence[Lint], rot: Sequence[Rotten] | None, accepting: AcceptList) -> LintResult:
    """Return the mistakes and the rot to tell."""
    ids = {mistake.id for mistake in lints} | {rotten.id for rotten in rot or ()}
    accepted = accepting.of(ids)
    living = {entry.id for entry in accepted}
    # Entries for methods are those of a score; whether a benchmark rots is not known unless somebody asks.
    kinds = {*Rule, *([] if rot is None else [ROT])}
    return LintResult(
        lints=tuple(mistake for mistake in lints if mistake.id not in living),
        accepted=accepted,
        expired=accepting.of(ids, expired=True),
        unused=tuple(
            entry
            for entry in accepting.entries
            if entry.id not in ids and entry.id.partition(":")[0] in kinds
        ),
        rot=None if rot is None else tuple(rotten for rotten in rot if rotten.id not in living),
    )
