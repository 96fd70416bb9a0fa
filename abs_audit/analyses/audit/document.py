"""The document of `audit`: the documents of the single commands."""

from typing import Annotated, Literal, Self

from abs_audit.advising import advised
from abs_audit.analyses.audit.model import AuditReport
from abs_audit.analyses.list.document import ListDocument
from abs_audit.analyses.redundancy.document import RedundancyDocument
from abs_audit.analyses.score.advice import plan
from abs_audit.analyses.score.against import Turn, turns
from abs_audit.analyses.score.document import ScoreDocument
from abs_audit.analyses.selection.document import SelectDocument
from abs_audit.analyses.sensitivity.document import SensitivityDocument
from abs_audit.analyses.stability.document import StabilityDocument
from abs_audit.analyses.stubs.document import StubsDocument
from abs_audit.analyses.trace.document import TraceDocument
from abs_audit.model.subject import Subject
from abs_audit.report.document import CommandCostPart, Document, Part, Percent, Text, Texts, elsewhere, named


class AgainstPart(Part):
    """What an earlier session said otherwise; methods that were noticed and are not come first."""

    total: Percent
    methods: list[Turn]


class AuditDocument(Document):
    """One audit: the documents of its stages; null where a stage was not recorded."""

    schema_: Literal["abs-audit/audit/1"] = named("abs-audit/audit/1")
    version: str
    subject: Subject | None
    list: Annotated[ListDocument | None, elsewhere("list")]
    trace: Annotated[TraceDocument | None, elsewhere("trace")]
    stability: Annotated[StabilityDocument | None, elsewhere("stability")]
    score: Annotated[ScoreDocument | None, elsewhere("score")]
    sensitivity: Annotated[SensitivityDocument | None, elsewhere("sensitivity")]
    redundancy: Annotated[RedundancyDocument | None, elsewhere("redundancy")]
    select: Annotated[SelectDocument | None, elsewhere("select")]
    stubs: Annotated[StubsDocument | None, elsewhere("stubs")]
    against: AgainstPart | None
    seed: int | None
    environment: dict[str, Text]
    cost: CommandCostPart | None
    next: Texts
    """Commands that help, the most useful first."""
    warnings: Texts

    @classmethod
    def read(cls, report: AuditReport) -> Self:
        """Return the document of all that is known."""
        return cls.of(
            report,
            list=ListDocument.read(report.subject, report.discovery)
            if report.subject and report.discovery
            else None,
            stability=report.stability and StabilityDocument.read(report.stability, report.violins),
            score=report.score and ScoreDocument.read(report.score),
            select=report.selection and SelectDocument.of(report.selection, filter=report.selection_filter),
            stubs=None if report.stubs is None else StubsDocument(stubs=list(report.stubs)),
            warnings=[],
            next=[command for command, _ in plan(report.score)] if report.score else [advised("score")],
            against=report.score
            and report.before
            and AgainstPart.of(report.before, methods=turns(report.score, report.before)),
        )
