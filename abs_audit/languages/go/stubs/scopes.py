"""What the names in the body of a Go function stand for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from abs_audit.languages.syntax import ancestors, in_field, listed, nodes, text_of

STATEMENTS = {"block", "statement_list"}
FUNCTIONS = {"func_literal", "function_declaration", "method_declaration"}
PARAMETERS = {"parameter_declaration", "variadic_parameter_declaration"}
CALLS = {"call_expression", "type_conversion_expression"}
CHANGING = {"assignment_statement", "inc_statement", "dec_statement"}
NAMES = {"identifier", "type_identifier", "package_identifier"}
TESTING = re.compile(r"\*?testing\.(T|B|TB|F)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """Where a name gets its meaning, inside a function."""

    node: Node
    """A statement, a parameter, or the clause of a `range`."""
    place: int
    """Which of the names that the node declares."""

    @property
    def key(self) -> tuple[int, int]:
        """Return what tells it from all others of its file."""
        return self.node.start_byte, self.place

    @property
    def is_testing(self) -> bool:
        """Tell whether it is what the testing package hands to tests and benchmarks."""
        kind = in_field(self.node, "type")
        return self.node.type in PARAMETERS and TESTING.fullmatch(text_of(kind)) is not None

    @property
    def single(self) -> "Declaration":
        """Return the one declaration of a `var` or `const` that gives the name its value; else itself."""
        index = self.place
        for spec in specs(self.node) if self.node.type in {"var_declaration", "const_declaration"} else ():
            names = spec.children_by_field_name("name")
            if index < len(names):
                return Declaration(node=spec, place=index)
            index -= len(names)
        return self

    @property
    def values(self) -> list[Node]:
        """Return what stands on the other side, for all names that are declared together."""
        node = self.single.node
        return listed(node, "right") or listed(node, "value")


def callee(call: Node) -> Node | None:
    """Return what a call calls, or a conversion converts to, without type arguments."""
    function = in_field(call, "function", "type")
    while function is not None and function.type in {"generic_type", "type_instantiation_expression"}:
        function = in_field(function, "type") or function.named_children[0]
    return function


def uses(node: Node) -> Iterator[Node]:
    """Yield the names that a node uses rather than declares."""
    return (inner for inner in nodes(node, *NAMES) if not _is_declaring(inner))


def declaration(use: Node) -> Declaration | None:
    """Return the innermost declaration of a name; None where the function does not declare it."""
    name, child = text_of(use), use
    for parent in ancestors(use):
        for node in _visible(parent, child):
            names = [text_of(declared) for declared in declared_names(node)]
            if name in names:
                return Declaration(node=node, place=names.index(name))
        child = parent
    return None


def declared_names(node: Node) -> list[Node]:
    """Return the names that a statement, parameter or clause declares."""
    if node.type in {"short_var_declaration", "range_clause"}:
        return listed(node, "left")
    if node.type in PARAMETERS:
        return node.children_by_field_name("name")
    if node.type not in {"var_declaration", "const_declaration", "type_declaration"}:
        return []
    return [name for spec in specs(node) for name in spec.children_by_field_name("name")]


def specs(node: Node) -> list[Node]:
    """Return the single declarations of a `var`, `const` or `type`."""
    lists = [
        child.named_children if child.type.endswith("_list") else [child] for child in node.named_children
    ]
    return [spec for some in lists for spec in some]


def root_of(node: Node) -> Node:
    """Return what an operand, index or call begins with."""
    while node.type not in NAMES:
        inner = in_field(node, "operand", "function")
        if inner is None and node.type == "parenthesized_expression":
            inner = node.named_children[0]
        if inner is None:
            break
        node = inner
    return node


def inside(node: Node, outer: Node) -> bool:
    """Tell whether a node is part of another one."""
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


def is_changing(node: Node) -> bool:
    """Tell whether a function literal changes a variable that it does not declare."""
    for inner in nodes(node, *CHANGING):
        closure = next((outer for outer in ancestors(inner) if outer.type == "func_literal"), None)
        left = (in_field(inner, "left") or inner).named_children
        declared = [declaration(root_of(name)) for name in left]
        if closure is not None and any(each and not inside(each.node, closure) for each in declared):
            return True
    return False


def is_started(node: Node) -> bool:
    """Tell whether a node is executed by a goroutine of its own."""
    return any(outer.type == "go_statement" for outer in ancestors(node))


def _is_declaring(name: Node) -> bool:
    """Tell whether a name is declared here, or belongs to what stands before it."""
    parent = name.parent
    if parent is not None and parent.type == "qualified_type":
        return name.type == "type_identifier"
    if parent is None or parent.type in {"var_spec", "const_spec", "type_spec", *PARAMETERS}:
        return parent is None or name in parent.children_by_field_name("name")
    holder = parent.parent
    if parent.type == "literal_element" and holder is not None and holder.type == "keyed_element":
        # The key of a struct is no name of the scope; that of a map may be.
        return parent == in_field(holder, "key") and declaration(name) is None
    declaring = holder is not None and holder.type in {"short_var_declaration", "range_clause"}
    return declaring and holder is not None and parent == in_field(holder, "left")


def _visible(parent: Node, child: Node) -> Iterator[Node]:
    """Yield what a node declares for one of its parts, nearest first."""
    if parent.type in STATEMENTS:
        before = [sibling for sibling in parent.named_children if sibling.end_byte <= child.start_byte]
        yield from reversed(before)
    elif parent.type in FUNCTIONS:
        for field in ("parameters", "receiver", "result"):
            yield from (node for node in listed(parent, field) if node.type in PARAMETERS)
    elif parent.type == "for_statement":
        for clause in parent.named_children:
            if clause.type == "for_clause" and clause != child:
                yield from clause.children_by_field_name("initializer")
            elif clause.type == "range_clause" and clause != child:
                yield clause
    else:
        yield from (
            statement for statement in parent.children_by_field_name("initializer") if statement != child
        )
