"""The document of `lint`."""

from typing import Annotated, Literal

from pydantic import BeforeValidator

from abs_audit.analyses.lint.model import Since
from abs_audit.model.bounds import Count
from abs_audit.report.document import Document, Part, Text, named, read_from


class LintPart(Part):
    """One mistake at one place; `id` is what an accept-list names."""

    id: Text
    rule: str
    file: Text = read_from("path")
    line: Count
    benchmark: Text
    why: str = read_from("advice", "why")
    fix: str = read_from("advice", "fix")


class AcceptedPart(Part):
    """An entry of the accept-list."""

    id: Text
    reason: Text
    until: Annotated[str | None, BeforeValidator(lambda day: day and str(day))]


class RottenPart(Part):
    """A benchmark that does not work at HEAD; `id` is what an accept-list names."""

    id: Text
    benchmark: Text
    reason: Text
    since: Since | None
    suspects: list[str]


class LintDocument(Document):
    """Known mistakes in the sources of benchmarks."""

    schema_: Literal["abs-audit/lint/1"] = named("abs-audit/lint/1")
    lints: list[LintPart]
    accepted: list[AcceptedPart]
    expired: list[AcceptedPart]
    unused: list[AcceptedPart]
    rot: list[RottenPart] | None
