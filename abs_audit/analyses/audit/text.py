"""The summary of a whole audit: one sentence a question, the score in full."""

from rich.console import Group, RenderableType

from abs_audit.analyses.audit.model import AuditReport
from abs_audit.analyses.score.text import score
from abs_audit.report import headlines
from abs_audit.report.text.page import facts, headline, names, page, warnings


def audit(report: AuditReport) -> Group:
    """Return the score with its methods, then the other answers; what was not recorded is left out."""
    subject = report.subject and f"{report.subject.name} {report.subject.commit or ''}".strip()
    return page(
        facts([("subject", subject or "")]),
        score(report.score) if report.score else headline("No score has been recorded yet."),
        _answers(report),
        names("next:", _next_commands(report)),
        warnings(report.warnings),
    )


def _answers(report: AuditReport) -> RenderableType:
    answers = [
        ("suite", report.discovery and headlines.listing(report.discovery, report.duration_s)),
        ("stability", report.stability and headlines.stability(report.stability)),
        ("sensitivity", report.sensitivity and headlines.sensitivity(report.sensitivity)),
        ("redundancy", report.redundancy and headlines.redundancy(report.redundancy)),
        ("subset", report.selection and headlines.selection(report.selection)),
        ("stubs", None if report.stubs is None else headlines.stubs(report.stubs)),
        ("trace", report.trace and headlines.trace(report.trace)),
    ]
    return facts((label, sentence or "") for label, sentence in answers)


def _next_commands(report: AuditReport) -> list[str]:
    first = [] if report.score else ["abs-audit score"]
    return [*first, *report.next_commands]
