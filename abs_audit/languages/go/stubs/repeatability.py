"""Does a second call of a Go function do the same work as the first?"""

import re

from tree_sitter import Node

from abs_audit.languages.go.stubs.scopes import root_of
from abs_audit.languages.go.stubs.types import Placed, Types
from abs_audit.languages.go.toolchain.outline import declared_in
from abs_audit.languages.syntax import in_field, nodes, text_in, text_of, walk

DEEPEST = 5
FIELDS = ("receiver", "parameters")
"""Of a function, where the names of what it is given stand."""
EMPTYING = re.compile(r".*\[0?:0\]", re.DOTALL)
CONSUMED = re.compile(r"Reader\b|Buffer|Scanner|Decoder|io\.Pipe")


def is_repeatable(types: Types, target: Placed) -> bool:
    """Tell whether nothing grows or moves on in what a function is given, as far as calls can be followed."""
    seen: set[tuple[str, int]] = set()
    rest = [(target, 0)]
    while rest:
        placed, depth = rest.pop()
        key = (placed.file.path, placed.function.line)
        body = in_field(placed.function.node, "body")
        if key in seen or body is None:
            continue
        seen.add(key)
        given = {name for field in FIELDS for name in declared_in(placed.function.node, field)}
        for node in walk(body):
            if _moves_on(node, given):
                return False
            if depth < DEEPEST and node.type == "call_expression":
                called = types.called(node, placed)
                rest += [(called, depth + 1)] if called is not None else []
    return True


def is_consumed(text: str) -> bool:
    """Tell whether a text makes something that is empty once it was read."""
    return CONSUMED.search(text) is not None


def _moves_on(node: Node, given: set[str]) -> bool:
    """Tell whether a statement leaves something behind that the next call finds changed again."""
    if node.type in {"inc_statement", "dec_statement"}:
        return _is_part(node.named_children[0], given)
    if node.type == "call_expression" and text_in(node, "function") == "delete":
        return any(_is_part(inner, given) for inner in nodes(node, "argument_list"))
    left, right = in_field(node, "left"), in_field(node, "right")
    if node.type != "assignment_statement" or left is None or right is None:
        return False
    if not any(_is_part(target, given) for target in left.named_children):
        return False
    sliced = any(not EMPTYING.fullmatch(text_of(inner)) for inner in nodes(right, "slice_expression"))
    again = any(_is_read_again(inner, left) for inner in walk(right))
    return text_in(node, "operator") != "=" or "append(" in text_of(right) or sliced or again


def _is_read_again(node: Node, left: Node) -> bool:
    """Tell whether what is assigned to is read in the same statement, and not emptied there."""
    emptied = node.parent is not None and EMPTYING.fullmatch(text_of(node.parent)) is not None
    return not emptied and text_of(node) in map(text_of, left.named_children)


def _is_part(node: Node, given: set[str]) -> bool:
    """Tell whether something belongs to what the function was given; a bare name is a copy."""
    if node.type == "argument_list":
        return any(_is_part(child, given) for child in node.named_children[:1])
    return node.type not in {"identifier"} and text_of(root_of(node)) in given
