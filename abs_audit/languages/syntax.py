"""Short ways through names, and through the syntax trees of tree-sitter."""

import re
from collections.abc import Iterator

from tree_sitter import Node


def text_of(node: Node | None) -> str:
    """Return the source text of a node; empty for none."""
    return node.text.decode("utf-8", "surrogatepass") if node is not None and node.text is not None else ""


def listed(node: Node | None, field: str) -> list[Node]:
    """Return the named nodes inside what stands in a field of a node; none where nothing does."""
    holder = node.child_by_field_name(field) if node is not None else None
    return holder.named_children if holder is not None else []


def walk(node: Node | None) -> Iterator[Node]:
    """Yield a node and all named ones inside it, in the order of the text, however deep; nothing for none."""
    rest = [node] if node is not None else []
    while rest:
        here = rest.pop()
        yield here
        rest += reversed(here.named_children)


def nodes(node: Node, *kinds: str) -> Iterator[Node]:
    """Yield a node and all named ones inside it that are of some kinds, in the order of the text."""
    return (inner for inner in walk(node) if inner.type in kinds)


def snake(name: str) -> str:
    """Return a name in small letters, with `_` where a word in it began with a capital."""
    return re.sub(r"([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])", r"\1\3_\2", name).lower()
