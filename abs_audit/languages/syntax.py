"""Short ways through the syntax trees of tree-sitter."""

from collections.abc import Iterator

from tree_sitter import Node


def text_of(node: Node | None) -> str:
    """Return the source text of a node; empty for none."""
    return node.text.decode("utf-8", "surrogatepass") if node is not None and node.text is not None else ""


def nodes(node: Node, *kinds: str) -> Iterator[Node]:
    """Yield a node and all named ones inside it that are of some kinds, in the order of the text."""
    if node.type in kinds:
        yield node
    for child in node.named_children:
        yield from nodes(child, *kinds)
