"""The section of the page on the subset for a time budget."""

from markupsafe import Markup

from abs_audit.analyses.selection.model import Selection
from abs_audit.analyses.selection.text import answer, optimality
from abs_audit.report.html import frame

LONGEST_FILTER = 200_000


def section(result: Selection, framework_filter: str) -> Markup:
    """Return the section; a filter too long for a page is left out with the command that prints it."""
    return frame.part(
        "selection/section.html.j2",
        result=result,
        answer=answer(result),
        optimality=optimality(result),
        filter=framework_filter if len(framework_filter) <= LONGEST_FILTER else "",
        too_long=len(framework_filter) > LONGEST_FILTER,
    )
