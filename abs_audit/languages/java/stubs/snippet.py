"""What a JMH benchmark makes ready and what it times, for one call of a Java method."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from abs_audit.languages.java.stubs.library import Library, Subject, parts
from abs_audit.languages.java.stubs.repeatability import is_consumed
from abs_audit.languages.java.stubs.values import THROWS, Visible, diamond, named
from abs_audit.languages.java.toolchain.resolution import LibraryType
from abs_audit.languages.syntax import in_field, nodes, text_of

KEYWORDS = frozenset(("boolean", "case", "class", "default", "enum", "float", "for", "int", "new", "package"))
"""Those that the name of a type may become."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A value that is made before the clock starts."""

    type: str
    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """What is made ready and what is timed; types are marked as `values.named` does."""

    fields: tuple[Field, ...]
    result: str
    """Type of what the benchmark returns; `void`: nothing."""
    body: tuple[str, ...]
    throws: bool


def laid(subject: Subject, receiver: str, texts: Sequence[str], *, result: str, anew: bool) -> Code:
    """Lay out a call: what is made once, what for each call, and how the result is kept.

    `anew`: whether each call needs an instance of its own, if one is cheap.
    """
    pairs = zip(kinds(subject), texts, strict=True)
    given = [Field(type=kind, name=name, value=text) for (kind, name), text in pairs]
    fields = [argument for argument in given if not is_consumed(argument.type)]
    texts = [argument.value if is_consumed(argument.type) else argument.name for argument in given]
    variable, made = _variable(subject.holder), list[str]()
    is_cheap = receiver.lstrip(THROWS).startswith("new ") and not re.search(r"\b\d{3}", receiver)
    if anew and is_cheap:
        made.append(f"{named(subject.holder.canonical)} {variable} = {receiver};")
    elif receiver:
        fields.insert(0, Field(type=subject.holder.canonical, name=variable, value=receiver))
    call = f"{_callee(subject, variable)}({', '.join(texts)})"
    timed = [f"return {call};"]
    if result == "void":
        changed = [Field(type=subject.holder.canonical, name=variable, value="")] if receiver else fields
        timed = [f"{call};", *(f"return {kept.name};" for kept in changed[:1])]
        result = named(changed[0].type) if changed else result
    throws = subject.method.throws or any(THROWS in line for line in (*made, *timed))
    return Code(fields=tuple(fields), result=result, body=(*made, *timed), throws=throws)


def _callee(subject: Subject, variable: str) -> str:
    """Return what is before the arguments of the call."""
    holder, method = subject.holder, subject.method
    if subject.is_constructor:
        return f"new {named(holder.canonical)}{diamond(holder)}"
    return f"{named(holder.canonical) if subject.is_static else variable}.{method.name}"


def result_type(subject: Subject, library: Library, sees: Visible) -> str:
    """Return a type that surely fits a result, marked: its own where a benchmark may name it, else Object."""
    node = in_field(subject.method.node, "type")
    if node is None:
        return named(subject.holder.canonical)
    variables = {
        variable.name for variable in (*subject.method.variables, *subject.holder.declaration.variables)
    }
    written, end = "", node.start_byte
    for inner in nodes(node, "type_identifier", "scoped_type_identifier"):
        if inner.start_byte < end:
            continue
        canonical = library.resolve(text_of(inner), subject.holder)
        declared = library.canonical.get(canonical)
        seen = sees(declared) if declared is not None else canonical.startswith("java.")
        if text_of(inner) in variables or not seen:
            return named("java.lang.Object")
        written += _between(node, end, inner.start_byte) + named(canonical)
        end = inner.end_byte
    return written + _between(node, end, node.end_byte)


def _between(node: Node, start: int, end: int) -> str:
    """Return the text of a node from one byte of its file to another."""
    return (node.text or b"")[start - node.start_byte : end - node.start_byte].decode()


def kinds(subject: Subject) -> Iterator[tuple[str, str]]:
    """Yield erased type and a free name for each parameter."""
    taken = {_variable(subject.holder), "blackhole"}
    for kind, written in zip(parts(subject.id)[2], subject.method.names, strict=True):
        name = f"{written}Argument" if written in taken else written
        taken.add(name)
        yield kind, name


def _variable(holder: LibraryType) -> str:
    """Return the name of a field for an instance."""
    simple = holder.declaration.name
    head = re.match(r"[A-Z]+(?![a-z])|[A-Z]?", simple)
    size = len(head[0]) if head else 0
    name = simple[:size].lower() + simple[size:]
    return f"{name}Value" if name in KEYWORDS or name == simple else name
