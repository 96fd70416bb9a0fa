"""Expressions of tests and benchmarks, freed of the variables around them."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from tree_sitter import Node

from abs_audit.grouping import grouped
from abs_audit.languages.java.stubs.library import Library, alike
from abs_audit.languages.java.stubs.repeatability import GROWING, is_consumed
from abs_audit.languages.java.stubs.values import THROWS, VALUES, Visible, head, named
from abs_audit.languages.java.toolchain.declarations import CONSTRUCTOR, MethodDeclaration
from abs_audit.languages.java.toolchain.resolution import LibraryType
from abs_audit.languages.syntax import ancestors, in_field, listed, nodes, text_in, text_of

DEEPEST = 4
REFUSED = {"lambda_expression", "class_body", "method_reference", "this", "super", "null_literal"}
GIVEN = {"formal_parameter", "catch_formal_parameter", "enhanced_for_statement", "resource"}
METHODS = {"method_declaration", "constructor_declaration"}
# What may stand before a dot without brackets around it.
PRIMARY = re.compile(r"\w+_literal|identifier|method_invocation|object_creation_expression|field_access")

BARE = {"argument_list", "variable_declarator"}


class Expressions:
    """Writes expressions such that they mean the same in a benchmark as where they are from."""

    def __init__(self, library: Library, sees: Visible) -> None:
        self._library, self._sees = library, sees

    def written(self, node: Node, inside: LibraryType, depth: int = 0) -> str | None:
        """Return an expression without variables, its types marked; None where that cannot be."""
        if node.type in REFUSED or depth > DEEPEST:
            return None
        if node.type in {"type_identifier", "scoped_type_identifier"}:
            return self._type(text_of(node), inside)
        if node.type == "identifier":
            return self._variable(node, inside, depth)
        if not node.children or node.type == "string_literal":
            return text_of(node)
        calls = in_field(node, "arguments") is not None
        called = self._called(node, inside) if calls else []
        if calls and not _is_open(node, called):
            return None
        made, end = "", node.start_byte
        for index, child in enumerate(node.children):
            if "comment" in child.type:  # of several lines one is made
                continue
            verbatim = node.field_name_for_child(index) in {"name", "field"}
            text = text_of(child) if verbatim else self.written(child, inside, depth)
            if text is None:
                return None
            apart = child.start_byte > end and child.type not in {".", ")"} and made[-1:] not in {".", "("}
            made += " " * apart + text
            end = child.end_byte
        return THROWS * _may_throw(node, called) + made

    def kind(self, node: Node | None, inside: LibraryType, depth: int = 0) -> LibraryType | None:
        """Return the type of the library that an expression is of, as far as the sources tell."""
        if node is None or depth > DEEPEST:
            return None
        if node.type == "identifier":
            return self.kind(_value(node, inside), inside, depth + 1)
        if node.type == "object_creation_expression":
            return self._named(in_field(node, "type"), inside)
        called = self._called(node, inside, depth) if node.type == "method_invocation" else []
        results = {
            self._library.kind(method.result, holder, method) for holder, method in called if method.result
        }
        return self._library.canonical.get(results.pop()) if len(results) == 1 else None

    def _named(self, node: Node | None, inside: LibraryType) -> LibraryType | None:
        return self._library.canonical.get(self._library.resolve(text_of(node), inside))

    def _called(
        self, call: Node, inside: LibraryType, depth: int = 0
    ) -> list[tuple[LibraryType, MethodDeclaration]]:
        """Return what of the library a call may call, each with the type that declares it."""
        target, made = in_field(call, "object"), in_field(call, "type")
        holder = self._named(made or target, inside) or self.kind(target, inside, depth)
        name = CONSTRUCTOR if made is not None else text_in(call, "name")
        count = len(listed(call, "arguments"))
        types = [holder, *self._library.lineage(holder)] if holder is not None else []
        overloads = ([(declaring, method) for method in alike(declaring, name, count)] for declaring in types)
        return next(filter(None, overloads), [])

    def _type(self, text: str, inside: LibraryType) -> str | None:
        canonical = self._library.resolve(text, inside)
        declared = self._library.canonical.get(canonical)
        imported = canonical in {name.name for name in inside.file.imports}
        is_usual = canonical in VALUES or (imported and canonical.startswith("java"))
        return named(canonical) if (self._sees(declared) if declared is not None else is_usual) else None

    def _variable(self, node: Node, inside: LibraryType, depth: int) -> str | None:
        """Return the value of a variable that has one only; else the name of a type."""
        name = text_of(node)
        value = _value(node, inside)
        if value is None:
            is_type = name[:1].isupper() and _assigned(node, inside) == []
            return self._type(name, inside) if is_type else None
        made = self.written(value, inside, depth + 1)
        # What is written to or read elsewhere would be empty here.
        if made is None or _is_used_up(node, made):
            return None
        whole = PRIMARY.fullmatch(value.type) or (node.parent and node.parent.type in BARE)
        return made if whole else f"({made})"


def _is_open(call: Node, called: Sequence[tuple[LibraryType, MethodDeclaration]]) -> bool:
    """Tell whether a benchmark may call what a call calls, as far as that is known."""
    public = not called or any(holder.shows(method) for holder, method in called)
    fields = (in_field(call, field) for field in ("type", "object"))
    return public and any(field is not None for field in fields)


def _may_throw(node: Node, called: Sequence[tuple[LibraryType, MethodDeclaration]]) -> bool:
    is_call = node.type in {"method_invocation", "object_creation_expression"}
    return is_call and (not called or any(method.throws for _, method in called))


def _assigned(node: Node, inside: LibraryType) -> list[Node] | None:
    """Return what is assigned to a variable before it is used; None for one that is given from outside."""
    name, around = text_of(node), _method(node)
    local = _values(around).get(name, []) if around is not None else []
    before = [value for value in local if value.start_byte < node.start_byte]
    given = nodes(around, *GIVEN) if around is not None and not before else ()
    if any(text_in(inner, "name") == name for inner in given):  # a parameter, or what a loop goes over
        return None
    return before or [value for value in _values(inside.file.root).get(name, ()) if _is_field(value, name)]


def _value(node: Node, inside: LibraryType) -> Node | None:
    """Return the value of a variable that has one only, and that nothing is put into."""
    values = _assigned(node, inside) or []
    if len(values) != 1 or values[0].type == "array_initializer":
        return None
    return None if _grows(_method(node) or inside.file.root, node) else values[0]


def _method(node: Node) -> Node | None:
    """Return the method around a node."""
    return next((outer for outer in ancestors(node) if outer.type in METHODS), None)


# Of a file of a thousand tests each variable of each is asked for.
@lru_cache(maxsize=1024)
def _values(within: Node) -> Mapping[str, list[Node]]:
    """Return variable → what is assigned to it, in the order of the text."""
    return grouped(
        (text_in(node, "name", "left").removeprefix("this."), value)
        for node in nodes(within, "variable_declarator", "assignment_expression")
        if (value := in_field(node, "value", "right")) is not None
    )


def _is_field(value: Node, name: str) -> bool:
    """Tell whether a value is a field's: declared with it, or assigned where nothing local has its name."""
    holder = value.parent.parent if value.parent is not None else None
    if holder is not None and holder.type in {"field_declaration", "local_variable_declaration"}:
        return holder.type == "field_declaration"
    around = _method(value)
    local = nodes(around, "variable_declarator", "formal_parameter") if around is not None else ()
    return all(text_in(written, "name") != name for written in local)


def _grows(within: Node, variable: Node) -> bool:
    """Tell whether something is put into a variable before it is used."""
    growing = _growing(within).get(text_of(variable), ())
    return any(call.start_byte < variable.start_byte for call in growing)


@lru_cache(maxsize=1024)
def _growing(within: Node) -> Mapping[str, list[Node]]:
    """Return variable → the calls that put something into it."""
    calls = nodes(within, "method_invocation")
    return grouped((text_in(call, "object"), call) for call in calls if GROWING.match(text_in(call, "name")))


def _is_used_up(node: Node, made: str) -> bool:
    """Tell whether a stream is what another value is taken from."""
    taken = node.parent is not None and in_field(node.parent, "object") == node
    return taken and is_consumed(head(made))
