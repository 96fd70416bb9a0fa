"""The cells of a table that a test goes through: what stands in the row that a benchmark takes."""

from tree_sitter import Node

from abs_audit.languages.go.stubs.scopes import declaration, specs
from abs_audit.languages.syntax import in_field, listed, text_in, text_of

TEXTS = {"interpreted_string_literal", "raw_string_literal", "true", "false"}
NUMBERS = {"int_literal", "float_literal", "rune_literal"}
"""Their type is that of what they are handed over as."""


def cell(use: Node, table: Node | None) -> tuple[Node, Node] | None:
    """Return what reads a literal of the table's middle row, and the literal; None for anything else.

    `use`: the name that stands for a row; the rows at the ends are often trivial.
    """
    rows = listed(table, "body")
    kind = in_field(in_field(table, "type"), "element", "value")
    if not rows:
        return None
    value, reader = _value(rows[len(rows) // 2]), use
    while (selector := _selector(reader)) is not None:
        kind = in_field(value, "type") or kind
        value, kind = _field(value, kind, text_in(selector, "field"))
        reader = selector
    if value is None or reader.parent is None:
        return None
    handed_over = value.type in NUMBERS and reader.parent.type == "argument_list"
    return (reader, value) if value.type in TEXTS or handed_over else None


def _selector(operand: Node) -> Node | None:
    parent = operand.parent
    selects = parent is not None and parent.type == "selector_expression"
    return parent if selects and in_field(parent, "operand") == operand else None


def _value(element: Node) -> Node | None:
    """Return what an element of a literal is, behind its key if it has one."""
    inner = in_field(element, "value") if element.type == "keyed_element" else element
    return inner.named_children[0] if inner is not None and inner.type == "literal_element" else inner


def _field(struct: Node | None, kind: Node | None, name: str) -> tuple[Node | None, Node | None]:
    """Return value and type of a field, by its key or by its place; None where they cannot be told."""
    elements = listed(struct, "body")
    if struct is not None and struct.type == "literal_value":
        elements = [inner for inner in struct.named_children if inner.type != "comment"]
    fields = _fields(kind)
    for index, element in enumerate(elements):
        key = in_field(element, "key")
        declared = fields[index] if key is None and index < len(fields) else (text_of(key), None)
        if declared[0] == name:
            return _value(element), dict(fields).get(name)
    return None, None


def _fields(kind: Node | None) -> list[tuple[str, Node | None]]:
    """Return the fields of a struct type, which may be one that the test itself declares."""
    declared = declaration(kind) if kind is not None and kind.type == "type_identifier" else None
    for spec in specs(declared.node) if declared is not None else ():
        if text_in(spec, "name") == text_of(kind):
            return _fields(in_field(spec, "type"))
    if kind is None or kind.type != "struct_type":
        return []
    return [
        (text_of(name), in_field(field, "type"))
        for field in kind.named_children[0].named_children
        for name in field.children_by_field_name("name")
    ]
