"""A score as Markdown, for summaries of CI steps and comments on pull requests."""

import re

from abs_audit.analyses.score.advice import by_attention, next_command, plan
from abs_audit.analyses.score.model import Score
from abs_audit.model.verdict import MethodVerdict, Verdict
from abs_audit.report import headlines
from abs_audit.report.names import shortened, visible
from abs_audit.report.wording import count, percent

LONGEST_NAME = 160
ROWS = 60
"""Hosts cut comments at 65 536 characters, possibly in the middle of a table."""


def markdown(score: Score) -> str:
    """Return the sentence, the methods that need attention, and what the score rests on."""
    open_ = [method for method in by_attention(score.methods) if method.verdict is not Verdict.DETECTED]
    parts = [f"**{_text(headlines.score(score))}**"]
    if open_:
        rows = [_row(method, score.slowdown) for method in open_[:ROWS]]
        parts.append("\n".join(["| verdict | method | share | why | next |", "|---|---|--:|---|---|", *rows]))
    if len(open_) > ROWS:
        parts.append(f"and {count(len(open_) - ROWS, 'more method')}")
    parts.append("\n".join(f"- {_text(line)}" for line in _foundations(score)))
    advice = [
        f"- {_code(command)} {_text(purpose)}" for command, purpose in plan(score.methods, score.slowdown)
    ]
    if advice:
        parts.append("\n".join(advice[:ROWS]))
    return "\n\n".join(parts) + "\n"


def _row(method: MethodVerdict, slowdown: float) -> str:
    cells = (
        method.verdict.value,
        _code(method.method),
        percent(method.best_share),
        _text(method.reason),
        _code(next_command(method, slowdown)),
    )
    return f"| {' | '.join(cells)} |"


def _foundations(score: Score) -> list[str]:
    return [
        f"ABS {percent(score.total)}: {headlines.interval(score)}",
        f"relative {percent(score.relative)}, absolute {percent(score.absolute)}",
        f"A/A: {headlines.false_alarms(score.false_alarms)}",
        *score.warnings[:ROWS],
    ]


def _text(text: str) -> str:
    """Return text that Markdown shows as it is: no markup, links or mentions."""
    safe = re.sub(r"([\\`*_\[\]<>#|~&]|:(?=//))", r"\\\1", shortened(visible(text), LONGEST_NAME * 2))
    # A mention is made by the letters after the sign, escaped or not.
    return safe.replace("@", "@\u2060")


def _code(text: str) -> str:
    """Return a code span, fenced by more backticks than it holds; a bar would end the table's cell."""
    inner = shortened(visible(text), LONGEST_NAME).replace("|", "\\|")
    fence = "`" * (1 + max(map(len, re.findall(r"`+", inner)), default=0))
    pad = " " if "`" in inner else ""
    return f"{fence}{pad}{inner}{pad}{fence}"
