"""Does a second call of a Java method do the same work as the first?"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from abs_audit.languages.java.stubs.library import Library, alike, fields
from abs_audit.languages.java.toolchain.declarations import MethodDeclaration
from abs_audit.languages.java.toolchain.resolution import LibraryType
from abs_audit.languages.syntax import in_field, listed, text_in, text_of, walk

DEEPEST = 2
CONSUMED = re.compile(
    r".*(Stream|Reader|Writer|Input|Output|Iterator|Scanner|Buffer|Builder|Appendable|Parser|Cursor|Session)"
)
GROWING = re.compile(r"add|append|push|put|write|offer|next|read|skip|poll|pop|remove")


def is_consumed(canonical: str) -> bool:
    """Tell whether an instance of a type is empty once it was read, or grows when it is written to."""
    return CONSUMED.fullmatch(canonical) is not None


def moves_on(library: Library, holder: LibraryType, method: MethodDeclaration, depth: int = 0) -> bool:
    """Tell whether a method leaves its instance such that the next call finds it changed again."""
    if depth > DEEPEST:
        return False
    body = in_field(method.node, "body") if method.body else None
    own = frozenset(name for declaring in library.lineage(holder) for name in fields(declaring))
    if any(_moves(node, own) for node in walk(body)):
        return True
    return any(moves_on(library, holder, called, depth + 1) for called in _called(body, holder))


def _moves(node: Node, fields: frozenset[str]) -> bool:
    if node.type == "update_expression":
        return _is_field(node.named_children[0], fields)
    if node.type == "assignment_expression":
        left, right = in_field(node, "left"), in_field(node, "right")
        own = left is not None and _is_field(left, fields)
        told = text_in(node, "operator") != "="
        return own and (told or any(text_of(inner) == text_of(left) for inner in walk(right)))
    if node.type == "method_invocation":
        target = in_field(node, "object")
        grows = GROWING.match(text_in(node, "name"))
        return target is not None and grows is not None and _is_field(target, fields)
    return False


def _is_field(node: Node, fields: frozenset[str]) -> bool:
    """Tell whether an expression is a field of the instance; a local variable of its name counts, too."""
    text = text_of(node).partition("[")[0].strip()
    return text.startswith("this.") or text in fields


def _called(body: Node | None, holder: LibraryType) -> Iterator[MethodDeclaration]:
    """Yield the methods of the same type that a body calls on the same instance."""
    for node in walk(body):
        if node.type == "method_invocation" and text_in(node, "object") in {"", "this"}:
            yield from alike(holder, text_in(node, "name"), len(listed(node, "arguments")))
