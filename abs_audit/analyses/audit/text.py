"""The summary of a whole audit: one sentence a question, the score in full."""

from rich.console import Group, RenderableType

from abs_audit.advising import advised
from abs_audit.analyses.audit.model import AuditReport
from abs_audit.analyses.list import text as list_text
from abs_audit.analyses.redundancy import text as redundancy_text
from abs_audit.analyses.score import text as score_text
from abs_audit.analyses.selection import text as selection_text
from abs_audit.analyses.sensitivity import text as sensitivity_text
from abs_audit.analyses.stability import text as stability_text
from abs_audit.analyses.stubs import text as stubs_text
from abs_audit.analyses.trace import text as trace_text
from abs_audit.report.text import facts, headline, page


def summary(report: AuditReport) -> Group:
    """Return the score with its methods, then the other answers; what was not recorded is left out."""
    return page(
        score_text.summary(report.score) if report.score else headline("No score has been recorded yet."),
        _answers(report),
        None if report.score else facts(("next", advised("score"))),
    )


def _answers(report: AuditReport) -> RenderableType:
    subject = report.subject and f"{report.subject.name} {report.subject.commit or ''}".strip()
    answers = [
        ("subject", subject),
        ("suite", report.discovery and list_text.answer(report.discovery)),
        ("before", report.score and report.before and score_text.against(report.score, report.before)),
        ("stability", report.stability and stability_text.answer(report.stability)),
        ("sensitivity", report.sensitivity and sensitivity_text.answer(report.sensitivity)),
        ("redundancy", report.redundancy and redundancy_text.answer(report.redundancy)),
        ("subset", report.selection and selection_text.answer(report.selection)),
        ("stubs", None if report.stubs is None else stubs_text.answer(report.stubs)),
        ("trace", report.trace and trace_text.answer(report.trace)),
    ]
    return facts(*((label, sentence or None) for label, sentence in answers))
