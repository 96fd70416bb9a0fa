"""Findings as Markdown, for summaries of CI steps and comments on pull requests."""

import re

from abs_audit.report.exports.findings import Findings
from abs_audit.report.names import shortened, visible
from abs_audit.templates import templates
from abs_audit.wording import change, count

LONGEST_NAME = 160
LONGEST_WHY = 180
FIRST = 8
"""Rows that are seen at once, so that a comment fits one screen."""
ROWS = 60
"""Hosts cut comments at 65 536 characters, possibly in the middle of a table."""
LIMITS = {"first": FIRST, "rows_limit": ROWS, "longest_why": LONGEST_WHY}


def markdown(findings: Findings) -> str:
    """Return the answer, what needs attention first and what to do; the rest is folded.

    The first line is a comment that is not shown: who posts the text finds by it what to replace.
    """
    return filled("findings.md.j2", findings=findings)


def filled(template: str, **context: object) -> str:
    """Return a template filled in: one of what all share, or of an analysis beside its code."""
    # What is no text of ours passes `plain` or `code`.
    filters = {"change": change, "code": code, "count": count, "marker": marker, "plain": plain}
    texts = templates("report/exports/templates", "analyses", **filters)
    return texts.get_template(template, globals=LIMITS).render(**context)


def marker(suite: str) -> str:
    """Return the comment by which an earlier text about the same suite is found."""
    # Two dashes would end it.
    name = re.sub(r"-{2,}", "-", re.sub(r"[^A-Za-z0-9._/ ()-]+", "_", suite))
    return f"<!-- abs-audit: {name} -->"


def plain(text: str, longest: int = 2 * LONGEST_NAME) -> str:
    """Return text that Markdown shows as it is: no markup, links or mentions."""
    safe = re.sub(r"([\\`*_\[\]<>#|~&]|:(?=//))", r"\\\1", shortened(visible(text), longest))
    # A mention is made by the letters after the sign, escaped or not.
    return safe.replace("@", "@\u2060")


def code(text: str) -> str:
    """Return a code span, fenced by more backticks than it holds; a bar would end the table's cell."""
    inner = shortened(visible(text), LONGEST_NAME).replace("|", "\\|")
    fence = "`" * (1 + max(map(len, re.findall(r"`+", inner)), default=0))
    pad = " " if "`" in inner else ""
    return f"{fence}{pad}{inner}{pad}{fence}"
