"""What a Go file declares: functions, methods, and what its structs embed. Byte offsets into its text."""

from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter_go
from tree_sitter import Language, Node, Parser

_PARSER = Parser(Language(tree_sitter_go.language()))
# Directives under which nothing may be added to a body, and what they mean.
_CLOSED = {
    "//go:nosplit": "marked //go:nosplit: its stack has no room for a call",
    "//go:linkname": "marked //go:linkname: another package provides or shares it",
    "//go:systemstack": "marked //go:systemstack: it must not call anything",
    "//go:nowritebarrierrec": "marked //go:nowritebarrierrec: it must not write memory",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function or method with or without a body."""

    name: str
    receiver: str
    """Name of the receiver's type, type parameters left out; empty for a function."""
    pointer: bool
    """Whether the receiver is a pointer."""
    line: int
    body_at: int
    """Offset behind the brace that opens the body; -1 where there is none."""
    reason: str
    """Why it cannot carry a probe; empty where it can."""

    @property
    def id(self) -> str:
        """Name as it follows the import path in a method id."""
        if not self.receiver:
            return self.name
        return f"(*{self.receiver}).{self.name}" if self.pointer else f"{self.receiver}.{self.name}"

    @property
    def exported(self) -> bool:
        """Whether its own name begins with a capital."""
        return is_exported(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedding:
    """A type that a struct embeds."""

    struct: str
    qualifier: str
    """Package name in front of the type; empty for a type of the same package."""
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The declarations of one file."""

    package: str
    package_end: int
    """Offset behind the name in the package clause."""
    functions: tuple[Function, ...]
    embeddings: tuple[Embedding, ...]
    imports: tuple[tuple[str, str], ...]
    """Local name and import path."""
    broken_at: int | None
    """Line of the first syntax error; None where the file is whole."""


def outline(text: bytes) -> Outline:
    """Read a file; what stands around a syntax error is read as far as it can be."""
    root = _PARSER.parse(text).root_node
    package = next(_descendants(root, "package_identifier", depth=2), None)
    return Outline(
        package=_text(package),
        package_end=package.end_byte if package is not None else 0,
        functions=tuple(
            _function(node) for node in _declared(root, ("function_declaration", "method_declaration"))
        ),
        embeddings=tuple(_embeddings(root)),
        imports=tuple(_imports(root)),
        broken_at=_first_error(root),
    )


def is_exported(name: str) -> bool:
    """Tell whether other packages can see a name."""
    return name[:1].isupper()


def _text(node: Node | None) -> str:
    return node.text.decode("utf-8", "surrogatepass") if node is not None and node.text is not None else ""


def _declared(root: Node, kinds: tuple[str, ...]) -> Iterator[Node]:
    return (node for node in root.named_children if node.type in kinds)


def _descendants(node: Node, kind: str, depth: int) -> Iterator[Node]:
    """Yield nodes of a kind, at most `depth` levels down and none inside another."""
    for child in node.named_children:
        if child.type == kind:
            yield child
        elif depth > 1:
            yield from _descendants(child, kind, depth - 1)


def _first_error(root: Node) -> int | None:
    if not root.has_error:
        return None
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            return node.start_point.row + 1
        stack.extend(reversed([child for child in node.children if child.has_error]))
    return 1


def _function(node: Node) -> Function:
    receiver, pointer = _receiver(node.child_by_field_name("receiver"))
    body = node.child_by_field_name("body")
    name = _text(node.child_by_field_name("name"))
    return Function(
        name=name,
        receiver=receiver,
        pointer=pointer,
        line=node.start_point.row + 1,
        body_at=body.start_byte + 1 if body is not None else -1,
        reason=_reason(node, name, body),
    )


def _reason(node: Node, name: str, body: Node | None) -> str:
    if body is None:
        return "no body: it is written in assembly or provided by another package"
    if node.has_error:
        return f"line {node.start_point.row + 1}: expected Go, found a syntax error"
    if name == "_":
        return "the blank name: nothing can call it"
    directive = node.prev_sibling
    row = node.start_point.row
    while directive is not None and directive.type == "comment" and directive.end_point.row == row - 1:
        found = _CLOSED.get(_text(directive).split(" ")[0])
        if found:
            return found
        row, directive = directive.start_point.row, directive.prev_sibling
    return ""


def _receiver(node: Node | None) -> tuple[str, bool]:
    """Return the receiver's type and whether it is a pointer; an empty name for a function."""
    if node is None:
        return "", False
    parameter = next(iter(node.named_children), None)
    kind = parameter.child_by_field_name("type") if parameter is not None else None
    pointer = False
    while kind is not None and kind.type in {"pointer_type", "generic_type", "parenthesized_type"}:
        pointer |= kind.type == "pointer_type"
        kind = kind.child_by_field_name("type") or next(iter(kind.named_children), None)
    return _text(kind), pointer


def _embeddings(root: Node) -> Iterator[Embedding]:
    for declaration in _declared(root, ("type_declaration",)):
        for spec in declaration.named_children:
            kind = spec.child_by_field_name("type")
            if spec.type == "type_spec" and kind is not None and kind.type == "struct_type":
                name = _text(spec.child_by_field_name("name"))
                for field in _descendants(kind, "field_declaration", depth=2):
                    if field.child_by_field_name("name") is None:
                        qualifier, _, embedded = _embedded(field).rpartition(".")
                        yield Embedding(struct=name, qualifier=qualifier, type=embedded)


def _embedded(field: Node) -> str:
    """Return the embedded type's name without star and type arguments."""
    kind = field.child_by_field_name("type")
    if kind is not None and kind.type == "generic_type":
        kind = kind.child_by_field_name("type")
    return _text(kind)


def _imports(root: Node) -> Iterator[tuple[str, str]]:
    for declaration in _declared(root, ("import_declaration",)):
        for spec in _descendants(declaration, "import_spec", depth=2):
            path = _text(spec.child_by_field_name("path")).strip('"`')
            name = _text(spec.child_by_field_name("name"))
            yield name or _guessed_name(path), path


def _guessed_name(path: str) -> str:
    """Return what a package is usually called by the last element of its path that is not a version."""
    parts = path.split("/")
    if len(parts) > 1 and parts[-1].startswith("v") and parts[-1][1:].isdigit():
        parts.pop()
    return parts[-1].partition(".v")[0].removeprefix("go-")
