"""What a Go file declares: functions, methods and types. Byte offsets into its text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import tree_sitter_go
from tree_sitter import Language, Node, Parser

from abs_audit.languages.syntax import Splice, children, in_field, listed, text_in, text_of
from abs_audit.model.subject import SourceTree

_PARSER = Parser(Language(tree_sitter_go.language()))
# Directives under which nothing may be added to a body, and what they mean.
_CLOSED = {
    "//go:nosplit": "marked //go:nosplit: its stack has no room for a call",
    "//go:systemstack": "marked //go:systemstack: it must not call anything",
    "//go:nowritebarrier": "marked //go:nowritebarrier: it must not write memory",
    "//go:nowritebarrierrec": "marked //go:nowritebarrierrec: it must not write memory",
}
# What a function returns that only gives out how to range over something.
_ITERATOR = re.compile(r"iter\.Seq2?\[.*\]|func\((?:\w+ )?func\([^()]*\) bool\)", re.DOTALL)
_LINKED = "marked //go:linkname: another package provides or shares it"
_CALLED_BY_GO = "{name}: Go itself calls it, once and before anything is measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function or method with or without a body."""

    name: str
    receiver: str
    """Name of the receiver's type, type parameters left out; empty for a function."""
    pointer: bool
    """Whether the receiver is a pointer."""
    line: int
    reason: str
    """Why it cannot carry a probe; empty where it can."""
    node: Node = field(repr=False, compare=False)

    @property
    def id(self) -> str:
        """Name as it follows the import path in a method id."""
        return method_name(self.receiver, self.name, self.pointer)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeName:
    """A type as a declaration names it."""

    qualifier: str
    """Package name in front of it; empty for a type of the same package."""
    name: str
    pointer: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeDeclaration:
    """A type of a package: what promotion needs to know of it."""

    name: str
    kind: str
    """`struct`, `interface`, `alias`, `defined` (by another named type) or `other`."""
    embedded: tuple[TypeName, ...]
    """What a struct or an interface embeds; what an alias or defined type stands for."""
    members: tuple[str, ...]
    """Fields of a struct, methods of an interface."""
    line: int
    node: Node = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The declarations of one file."""

    package_end: int
    """Offset behind the name in the package clause; 0 where there is none."""
    functions: tuple[Function, ...]
    types: tuple[TypeDeclaration, ...]
    imports: tuple[tuple[str, str], ...]
    """Local name, empty where none is given, and import path."""
    broken_at: int | None
    """Line of the first syntax error; None where the file is whole."""
    root: Node = field(repr=False, compare=False)


def outline(text: bytes) -> Outline:
    """Read a file; what stands around a syntax error is read as far as it can be."""
    root = _PARSER.parse(text).root_node
    package = next(descendants(root, "package_identifier", depth=2), None)
    linked = frozenset(_linked(root))
    functions = children(root, "function_declaration", "method_declaration")
    return Outline(
        package_end=package.end_byte if package is not None else 0,
        functions=tuple(_function(node, linked) for node in functions),
        types=tuple(
            _type(spec)
            for declaration in children(root, "type_declaration")
            for spec in children(declaration, "type_spec", "type_alias")
        ),
        imports=tuple(_imports(root)),
        broken_at=_first_error(root),
        root=root,
    )


def method_name(type_name: str, name: str, pointer: bool) -> str:
    """Return the part of an id that follows the import path."""
    if not type_name:
        return name
    return f"(*{type_name}).{name}" if pointer else f"{type_name}.{name}"


def is_exported(name: str) -> bool:
    """Tell whether other packages can see a name."""
    return name[:1].isupper()


def declared_in(node: Node, field: str) -> list[str]:
    """Return the names that stand in a field of a function: of its parameters, receiver, type parameters."""
    names = (name for declared in listed(node, field) for name in declared.children_by_field_name("name"))
    return list(map(text_of, names))


def descendants(node: Node, kind: str, depth: int) -> Iterator[Node]:
    """Yield nodes of a kind, at most `depth` levels down and none inside another."""
    for child in node.named_children:
        if child.type == kind:
            yield child
        elif depth > 1:
            yield from descendants(child, kind, depth - 1)


def _first_error(root: Node) -> int | None:
    stack = [root] if root.has_error else []
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            return node.start_point.row + 1
        stack.extend(reversed([child for child in node.children if child.has_error]))
    return None


def _linked(root: Node) -> Iterator[str]:
    """Yield the names that `//go:linkname` speaks of, wherever it stands."""
    for comment in children(root, "comment"):
        words = text_of(comment).split()
        if words[0] == "//go:linkname" and len(words) > 1:
            yield words[1]


def _function(node: Node, linked: frozenset[str]) -> Function:
    receivers = in_field(node, "receiver")
    parameter = next(children(receivers, "parameter_declaration"), None) if receivers else None
    receiver = type_name(in_field(parameter, "type"))
    name = text_in(node, "name")
    reason = _reason(node, name, bool(receiver.name))
    if not reason and {name, f"{receiver.name}.{name}", f"(*{receiver.name}).{name}"} & linked:
        reason = _LINKED
    return Function(
        name=name,
        receiver=receiver.name,
        pointer=receiver.pointer,
        line=node.start_point.row + 1,
        reason=reason,
        node=node,
    )


def _reason(node: Node, name: str, is_method: bool) -> str:
    if in_field(node, "body") is None:
        return "no body: it is written in assembly or provided by another package"
    if node.has_error:
        return f"line {node.start_point.row + 1}: expected Go, found a syntax error"
    if name == "_":
        return "the blank name: nothing can call it"
    if name == "init" and not is_method:
        return _CALLED_BY_GO.format(name=name)
    if _ITERATOR.fullmatch(text_in(node, "result")):
        return "returns an iterator: the work is done later, where that is ranged over"
    # Go applies a directive to the next declaration, however many lines and comments are in between.
    directive = node.prev_sibling
    while directive is not None and directive.type in {"comment", "\n"}:
        reason = _CLOSED.get(text_of(directive).split(" ")[0].strip())
        if reason:
            return reason
        directive = directive.prev_sibling
    return ""


def type_name(node: Node | None, pointer: bool = False) -> TypeName:
    """Return a type's name without stars, parentheses and type arguments; empty for a type literal."""
    while node is not None and node.type in {"pointer_type", "generic_type", "parenthesized_type"}:
        pointer |= node.type == "pointer_type"
        node = in_field(node, "type") or next(iter(node.named_children), None)
    if node is None or node.type not in {"type_identifier", "qualified_type", "identifier"}:
        return TypeName(qualifier="", name="", pointer=pointer)
    qualifier, _, name = text_of(node).rpartition(".")
    return TypeName(qualifier=qualifier.strip(), name=name.strip(), pointer=pointer)


def _type(spec: Node) -> TypeDeclaration:
    kind, embedded, members = "other", list[TypeName](), list[str]()
    target = in_field(spec, "type")
    written = target if spec.type == "type_spec" else None
    if written is not None and written.type == "struct_type":
        kind = "struct"
        for field in descendants(written, "field_declaration", depth=2):
            names = [text_of(name) for name in field.children_by_field_name("name")]
            star = any(child.type == "*" for child in field.children)
            members += names
            embedded += [] if names else [type_name(in_field(field, "type"), star)]
    elif written is not None and written.type == "interface_type":
        kind = "interface"
        members += [text_in(method, "name") for method in children(written, "method_elem")]
        for field in children(written, "type_elem"):
            types = field.named_children
            embedded += [type_name(types[0])] if len(types) == 1 else []
    elif type_name(target).name:
        kind = "alias" if spec.type == "type_alias" else "defined"
        embedded.append(type_name(target))
    return TypeDeclaration(
        name=text_in(spec, "name"),
        kind=kind,
        embedded=tuple(named for named in embedded if named.name),
        members=tuple(members),
        line=spec.start_point.row + 1,
        node=spec,
    )


def _imports(root: Node) -> Iterator[tuple[str, str]]:
    for declaration in children(root, "import_declaration"):
        for spec in descendants(declaration, "import_spec", depth=2):
            yield text_in(spec, "name"), text_in(spec, "path").strip('"`')


def free_name(tree: SourceTree) -> str:
    """Return the beginning of a name that no source uses."""
    name = "_abs"
    while any(name in text for text in tree.values()):
        name += "_"
    return name


def importing(outline: Outline, name: str, path: str) -> Splice:
    """Return what imports a package under a name of ours."""
    # Behind the package clause, on its line: comments above imports may mean something to cgo.
    return Splice(start=outline.package_end, text=f'; import {name} "{path}"')
