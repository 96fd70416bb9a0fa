"""Findings as Markdown, for summaries of CI steps and comments on pull requests."""

import re

from abs_audit.report.exports.findings import Finding, Findings
from abs_audit.report.names import shortened, visible
from abs_audit.wording import count

LONGEST_NAME = 160
LONGEST_WHY = 180
FIRST = 8
"""Rows that are seen at once, so that a comment fits one screen."""
ROWS = 60
"""Hosts cut comments at 65 536 characters, possibly in the middle of a table."""


def markdown(findings: Findings) -> str:
    """Return the answer, what needs attention first and what to do; the rest is folded.

    The first line is a comment that is not shown: who posts the text finds by it what to replace.
    """
    first, others = findings.findings[:FIRST], findings.findings[FIRST:ROWS]
    parts = [f"{marker(findings.suite)}\n**{plain(findings.answer)}**"]
    if findings.change:
        parts.append(plain(findings.change))
    if first:
        parts.append(_table(first))
    parts += [f"- {code(command)} {plain(purpose)}" for command, purpose in findings.advice[:FIRST]]
    if others:
        rest = len(findings.findings) - ROWS
        more = f"\n\nand {count(rest, 'more method')}" if rest > 0 else ""
        parts.append(folded(count(len(findings.findings) - FIRST, "more method"), _table(others) + more))
    lines = [*findings.foundations, *findings.warnings]
    parts.append(folded("What this rests on", "\n".join(f"- {plain(line)}" for line in lines[:ROWS])))
    return re.sub(r"(?m)^(- .*)\n\n(?=- )", r"\1\n", "\n\n".join(parts)) + "\n"


def marker(suite: str) -> str:
    """Return the comment by which an earlier text about the same suite is found."""
    # Two dashes would end it.
    name = re.sub(r"-{2,}", "-", re.sub(r"[^A-Za-z0-9._/ ()-]+", "_", suite))
    return f"<!-- abs-audit: {name} -->"


def _table(shown: tuple[Finding, ...]) -> str:
    rows = [_row(finding) for finding in shown]
    return "\n".join(["| verdict | method | share | why |", "|---|---|--:|---|", *rows])


def _row(finding: Finding) -> str:
    why = plain(shortened(visible(finding.why), LONGEST_WHY))
    return f"| {' | '.join((finding.rule, code(finding.about), finding.figure, why))} |"


def folded(title: str, body: str) -> str:
    """Return a part that is seen once its title is clicked."""
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"


def plain(text: str) -> str:
    """Return text that Markdown shows as it is: no markup, links or mentions."""
    safe = re.sub(r"([\\`*_\[\]<>#|~&]|:(?=//))", r"\\\1", shortened(visible(text), LONGEST_NAME * 2))
    # A mention is made by the letters after the sign, escaped or not.
    return safe.replace("@", "@\u2060")


def code(text: str) -> str:
    """Return a code span, fenced by more backticks than it holds; a bar would end the table's cell."""
    inner = shortened(visible(text), LONGEST_NAME).replace("|", "\\|")
    fence = "`" * (1 + max(map(len, re.findall(r"`+", inner)), default=0))
    pad = " " if "`" in inner else ""
    return f"{fence}{pad}{inner}{pad}{fence}"
