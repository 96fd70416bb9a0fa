"""The page of an audit: the answer and what to do first, then a section for each analysis."""

from collections.abc import Iterator

from markupsafe import Markup

from abs_audit.analyses.audit.model import AuditReport
from abs_audit.analyses.list import text as list_text
from abs_audit.analyses.redundancy import page as redundancy_page
from abs_audit.analyses.score import advice
from abs_audit.analyses.score import page as score_page
from abs_audit.analyses.score import text as score_text
from abs_audit.analyses.selection import text as selection_text
from abs_audit.analyses.sensitivity import page as sensitivity_page
from abs_audit.analyses.stability import page as stability_page
from abs_audit.analyses.stubs import text as stubs_text
from abs_audit.analyses.trace import text as trace_text
from abs_audit.report.html import frame


def render(report: AuditReport) -> str:
    """Return the page as text; equal reports give equal pages."""
    score = report.score
    return frame.page(
        "audit/page.html.j2",
        "measurement.css",
        report=report,
        methods=advice.by_attention(score.methods) if score else [],
        plan=advice.plan(score) if score else [],
        text=score_text,
        cost_bars=score_page.costs(score) if score else (),
        listing=report.discovery and list_text.answer(report.discovery),
        sections=list(_sections(report)),
    )


def _sections(report: AuditReport) -> Iterator[tuple[str, str, Markup]]:
    """Yield what the navigation leads to: where, its title, its body."""
    score = report.score
    bodies = {
        ("against", "Since before"): score
        and report.before
        and score_page.against_section(score, report.before),
        ("methods", "Methods"): score and score_page.methods_section(score, report.definitions, report.runs),
        ("map", "Map"): score and score_page.map_section(score),
        ("benchmarks", "Benchmarks"): score and score_page.benchmarks_section(score),
        ("stability", "Stability"): report.stability
        and stability_page.section(report.stability, report.violins),
        ("redundancy", "Redundancy"): report.redundancy and redundancy_page.section(report.redundancy),
        ("subset", "Subset"): report.selection
        and frame.part(
            "selection/section.html.j2",
            text=selection_text,
            result=report.selection,
            filter=report.selection_filter,
        ),
        ("sensitivity", "Sensitivity"): report.sensitivity
        and sensitivity_page.section(report.sensitivity, score.slowdown if score else None),
        ("stubs", "Stubs"): None
        if report.stubs is None
        else frame.part("stubs/section.html.j2", text=stubs_text, result=report.stubs),
        ("trace", "Trace"): report.trace
        and frame.part("trace/section.html.j2", text=trace_text, result=report.trace),
    }
    for (key, title), body in bodies.items():
        if body:
            yield key, title, body
