"""The section of the page on the methods that matter."""

from markupsafe import Markup

from abs_audit.analyses.trace.text import answer
from abs_audit.model.trace import TraceResult
from abs_audit.report.html import frame


def section(result: TraceResult) -> Markup:
    """Return the section: the ranking, and the projects that it comes from."""
    return frame.part(
        "trace/section.html.j2",
        result=result,
        answer=answer(result),
        methods=result.methods[: frame.TABLE_ROWS],
        most_calls=max((ranked.calls for ranked in result.methods), default=0),
    )
