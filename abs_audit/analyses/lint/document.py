"""The document of `lint`."""

from collections.abc import Sequence
from typing import Literal, Self

from abs_audit.analyses.lint.model import LintResult
from abs_audit.model.accepted import AcceptedEntry
from abs_audit.model.lint import ADVICE
from abs_audit.report.document import Count, Document, Part, Text, named


class LintPart(Part):
    """One mistake at one place; `id` is what an accept-list names."""

    id: Text
    rule: str
    file: Text
    line: Count
    benchmark: Text
    why: str
    fix: str


class AcceptedPart(Part):
    """An entry of the accept-list."""

    id: Text
    reason: Text
    until: str | None


class SincePart(Part):
    """The first commit at which a benchmark does not work."""

    commit: str
    date: str
    subject: Text


class RottenPart(Part):
    """A benchmark that does not work at HEAD; `id` is what an accept-list names."""

    id: Text
    benchmark: Text
    reason: Text
    since: SincePart | None
    suspects: list[str]


class LintDocument(Document):
    """Known mistakes in the sources of benchmarks."""

    schema_: Literal["abs-audit/lint/1"] = named("abs-audit/lint/1")
    lints: list[LintPart]
    accepted: list[AcceptedPart]
    expired: list[AcceptedPart]
    unused: list[AcceptedPart]
    rot: list[RottenPart] | None

    @classmethod
    def read(cls, result: LintResult) -> Self:
        """Return the document of what was found."""
        lints = [
            LintPart(
                id=mistake.id,
                rule=mistake.rule.value,
                file=mistake.path,
                line=mistake.line,
                benchmark=mistake.benchmark,
                why=ADVICE[mistake.rule].why,
                fix=ADVICE[mistake.rule].fix,
            )
            for mistake in result.lints
        ]
        return cls.of(
            result,
            lints=lints,
            accepted=_entries(result.accepted),
            expired=_entries(result.expired),
            unused=_entries(result.unused),
        )


def _entries(entries: Sequence[AcceptedEntry]) -> list[AcceptedPart]:
    return [
        AcceptedPart(id=entry.id, reason=entry.reason, until=entry.until.isoformat() if entry.until else None)
        for entry in entries
    ]
