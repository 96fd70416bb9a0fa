"""The page of a root cause."""

from abs_audit.analyses.rootcause import blame
from abs_audit.analyses.rootcause.model import RootCause
from abs_audit.analyses.rootcause.pictures import course, path
from abs_audit.analyses.rootcause.text import nested
from abs_audit.report.html import frame

TREE_ROWS = 400


def render(result: RootCause) -> str:
    """Return the page of `rootcause`; equal results give equal pages."""
    where = result.where
    rows = list(nested(where.tree)) if where else []
    return frame.measurement(
        "rootcause/page.html.j2",
        "rootcause/page.css",
        kind="Root cause",
        sources=result.benchmark,
        answer=blame.answer(result),
        notes=result.warnings,
        result=result,
        blame=blame,
        course=course(result),
        path=path(result),
        table=result.measured[: frame.TABLE_ROWS],
        tree=rows[:TREE_ROWS],
        tree_left=len(rows) - len(rows[:TREE_ROWS]),
        changed={suspect.changed.method for suspect in where.suspects} if where else set(),
    )
