"""Short ways through names, through the syntax trees of tree-sitter, and into the texts they are of."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from abs_audit.model.lint import Lint, Rule


def text_of(node: Node | None) -> str:
    """Return the source text of a node; empty for none."""
    return node.text.decode("utf-8", "surrogatepass") if node is not None and node.text is not None else ""


def in_field(node: Node | None, *fields: str) -> Node | None:
    """Return what stands in the first field of a node that holds anything; None of none."""
    held = (node.child_by_field_name(field) for field in fields) if node is not None else ()
    return next(filter(None, held), None)


def text_in(node: Node | None, *fields: str) -> str:
    """Return the source text of what stands in the first field of a node that holds anything."""
    return text_of(in_field(node, *fields))


def listed(node: Node | None, field: str) -> list[Node]:
    """Return the named nodes inside what stands in a field of a node, without comments; none of nothing."""
    holder = in_field(node, field)
    return [inner for inner in (holder.named_children if holder else ()) if "comment" not in inner.type]


def children(node: Node | None, *kinds: str) -> Iterator[Node]:
    """Yield the named nodes directly in a node that are of some kinds; none of nothing."""
    return (inner for inner in (node.named_children if node is not None else ()) if inner.type in kinds)


def walk(node: Node | None) -> Iterator[Node]:
    """Yield a node and all named ones inside it, in the order of the text, however deep; nothing for none."""
    rest = [node] if node is not None else []
    while rest:
        here = rest.pop()
        yield here
        rest += reversed(here.named_children)


def ancestors(node: Node) -> Iterator[Node]:
    """Yield what a node is part of, innermost first."""
    while (parent := node.parent) is not None:
        yield parent
        node = parent


def nodes(node: Node, *kinds: str) -> Iterator[Node]:
    """Yield a node and all named ones inside it that are of some kinds, in the order of the text."""
    return (inner for inner in walk(node) if inner.type in kinds)


def lint_of(path: str, benchmark: str, rule: Rule, node: Node) -> Lint:
    """Return a mistake of a benchmark that a node of its file shows."""
    return Lint(rule=rule, path=path, line=node.start_point[0] + 1, benchmark=benchmark)


@dataclass(frozen=True, slots=True, kw_only=True)
class Splice:
    """Text that takes the place of the bytes from `start` to `end`; without an end, of none."""

    start: int
    end: int = 0
    text: str


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """Return a text with all splices in it, at one place in the order given; of equal ones, one."""
    data = text.encode("utf-8", "surrogatepass")
    pieces, last = [], 0
    for splice in sorted(dict.fromkeys(splices), key=lambda splice: splice.start):
        pieces += [data[last : splice.start], splice.text.encode("utf-8", "surrogatepass")]
        last = max(splice.start, splice.end)
    return b"".join((*pieces, data[last:])).decode("utf-8", "surrogatepass")


def snake(name: str) -> str:
    """Return a name in small letters, with `_` where a word in it began with a capital."""
    return re.sub(r"([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])", r"\1\3_\2", name).lower()
