"""The pieces that all summaries are made of. Names are shown as they are, never read as rich's markup."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from abs_audit.model.verdict import Verdict
from abs_audit.report.names import LONGEST, shortened, visible

STYLES = {
    Verdict.DETECTED: "green",
    Verdict.MISSED: "bold red",
    Verdict.UNREACHED: "red",
    Verdict.NO_VERDICT: "yellow",
}
LONGEST_WARNING = 1500
"""Characters of what is said about a result's quality, which may be several sentences and names."""
UNWRAPPED = 100_000
"""Columns where no terminal sets a width: a line of a file or a pipe is one line."""
_TAIL = re.compile(r"(?:\s|\x1b\[[\d;]*m)+$")
"""Blanks at the end of a line, and what turns colours on and off there."""
# Continuous-integration services read commands out of what a step prints, at any indentation.
_WORKFLOW_COMMAND = re.compile(
    r"::(?=(?:error|warning|notice|debug|echo|group|endgroup|stop-commands|add-(?:mask|path|matcher)"
    r"|remove-matcher|set-(?:output|env)|save-state)\b)|##(?=\[)",
    re.IGNORECASE,
)


def show(content: RenderableType, out: TextIO, width: int = UNWRAPPED) -> None:
    """Print to a stream: coloured and wrapped on a terminal, plain and `width` columns wide elsewhere."""
    plain: dict[str, Any] = {} if out.isatty() else {"force_terminal": False, "width": width}
    console = Console(file=out, highlight=False, markup=False, emoji=False, **plain)
    with console.capture() as capture:
        console.print(content, crop=False)
    out.writelines(_TAIL.sub(_unpadded, line) + "\n" for line in capture.get().splitlines())


def _unpadded(tail: re.Match[str]) -> str:
    return "".join(tail[0].split())


def name(text: str, style: str = "") -> Text:
    """Return a name of the audited project, inert on terminals and in logs of CI services."""
    return Text(_inert(shortened(text, LONGEST)), style=style, overflow="fold")


def verbatim(text: str) -> Text:
    """Return text to copy: neither shortened nor wrapped."""
    return Text(_inert(text), no_wrap=True, overflow="ignore")


def headline(text: str) -> Text:
    """Return the sentence that answers the question."""
    return Text(text, style="bold")


def largest_first(value: float | None) -> float:
    """Return the key that sorts the largest first, and what is not known before it."""
    return float("-inf") if value is None else -value


def facts(*rows: tuple[str, str | None]) -> RenderableType:
    """Return labels with a sentence each; labels without a sentence are left out."""
    return _labelled(rows, LONGEST)


def _labelled(rows: Iterable[tuple[str, str | None]], longest: int) -> RenderableType:
    told = [(label, sentence) for label, sentence in rows if sentence]
    if not told:
        # A table without a row is taken to be as wide as all that there is, and what it stands in as well.
        return Group()
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for label, sentence in told:
        table.add_row(label, Text(_inert(shortened(sentence, longest)), overflow="fold"))
    return table


def named(text: str, *rows: tuple[str, str | None]) -> Group:
    """Return a name of the audited project with facts about it, indented below."""
    return Group(name(text), facts(*((f"  {label}", sentence) for label, sentence in rows)))


def table(*columns: tuple[str, ...], rows: Iterable[Sequence[RenderableType]]) -> Table | None:
    """Return a table without rules, None without rows; columns are `left`, `right` or `fold` and titles."""
    result = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for kind, *titles in columns:
        justify: JustifyMethod = "right" if kind == "right" else "left"
        for title in titles:
            result.add_column(title, justify=justify, overflow="fold", no_wrap=kind != "fold")
    for row in rows:
        result.add_row(*row)
    return result if result.rows else None


def page(*parts: RenderableType | None) -> Group:
    """Return the parts under each other, an empty line between them; None is left out."""
    # No padding around a part: it would crop what is meant to be copied.
    return Group(*_spaced([part for part in parts if part is not None]))


def warnings(texts: Sequence[str]) -> RenderableType | None:
    """Return what the reader should know about the result's quality, or None."""
    return _labelled((("warning", text) for text in texts), LONGEST_WARNING) if texts else None


def more(left: int, kind: str) -> RenderableType | None:
    """Return how many rows a table leaves out, and that they are not lost; None for none."""
    return Text(f"and {left} more, {kind}; --json has them all", style="dim") if left > 0 else None


def names(title: str, texts: Sequence[str], limit: int = 20) -> RenderableType | None:
    """Return an indented list of names under a title; the rest beyond `limit` is counted. None if empty."""
    if not texts:
        return None
    shown = [Padding(name(text), (0, 0, 0, 2), expand=False) for text in texts[:limit]]
    rest = [Text(f"  and {len(texts) - limit} more", style="dim")] if len(texts) > limit else []
    return Group(Text(title), *shown, *rest)


def _spaced(parts: Sequence[RenderableType]) -> Iterable[RenderableType]:
    for index, part in enumerate(parts):
        if index:
            yield Text()
        yield part


def _inert(text: str) -> str:
    return _WORKFLOW_COMMAND.sub(lambda match: f"{match[0][0]}\\{match[0][1]}", visible(text))
