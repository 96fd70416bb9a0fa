"""Pieces of Go source that stand alone, and how they are put together."""

from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from abs_audit.languages.go.stubs.scopes import inside
from abs_audit.languages.syntax import ancestors, nodes

RAW = "\0"
"""Stands for the end of a line inside a raw string, which must not be indented."""
BENCH = "\1"
"""Stands for the parameter of the benchmark until its name is known."""
Edit = tuple[Node, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """Go source for an expression that stands alone in its package."""

    setup: tuple[str, ...] = ()
    text: str
    imports: frozenset[tuple[str, str]] = frozenset()
    """Local name, empty where none is given, and import path."""
    names: frozenset[str] = frozenset()
    """What the set-up declares."""


def joined(parts: list[Snippet], lines: list[str], text: str, *others: Snippet) -> Snippet:
    """Return a text with all that its parts need; what two parts need alike is made once."""
    every = [*parts, *others]
    setup = dict.fromkeys(line for piece in every for line in piece.setup)
    named = [line.split(" ")[0].rstrip(",") for line in lines]
    return Snippet(
        setup=(*setup, *lines),
        text=text,
        imports=frozenset().union(*(piece.imports for piece in every)),
        names=frozenset(named).union(*(piece.names for piece in every)),
    )


def edited(node: Node, edits: Sequence[Edit]) -> str:
    """Return a node's text with names replaced, as if it stood in the first column."""
    raw = node.text or b""
    inner = [(edited_node, text.encode()) for edited_node, text in edits if inside(edited_node, node)]
    inner += [
        (literal, (literal.text or b"").replace(b"\n", RAW.encode()))
        for literal in nodes(node, "raw_string_literal")
    ]
    for edited_node, text in sorted(inner, key=lambda edit: edit[0].start_byte, reverse=True):
        start, end = edited_node.start_byte - node.start_byte, edited_node.end_byte - node.start_byte
        raw = raw[:start] + text + raw[end:]
    lines = raw.decode("utf-8", "surrogatepass").split("\n")
    depth = _tabs(_line_before(node))
    return "\n".join([lines[0], *(line[min(depth, _tabs(line)) :] for line in lines[1:])])


def _line_before(node: Node) -> str:
    """Return what stands before a node on its line."""
    *_, root = ancestors(node)
    return (root.text or b"")[: node.start_byte].rpartition(b"\n")[2].decode("utf-8", "replace")


def _tabs(line: str) -> int:
    return len(line) - len(line.lstrip("\t"))
