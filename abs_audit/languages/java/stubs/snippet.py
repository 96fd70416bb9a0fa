"""What a JMH benchmark makes ready and what it times, for one call of a Java method."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from abs_audit.languages.java.stubs.library import Library, parts
from abs_audit.languages.java.stubs.repeatability import is_consumed
from abs_audit.languages.java.stubs.values import THROWS, Visible, diamond, named
from abs_audit.languages.java.toolchain.declarations import CONSTRUCTOR, MethodDeclaration
from abs_audit.languages.java.toolchain.resolution import PRIMITIVES, LibraryType

KEYWORDS = frozenset(("boolean", "case", "class", "default", "enum", "float", "for", "int", "new", "package"))
"""Those that the name of a type may become."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The method that a benchmark is missing for."""

    id: str
    holder: LibraryType
    method: MethodDeclaration

    @property
    def is_constructor(self) -> bool:
        """Tell whether it makes an instance."""
        return self.method.name == CONSTRUCTOR

    @property
    def is_alone(self) -> bool:
        """Tell whether it is called on no instance."""
        return self.is_static or self.is_constructor

    @property
    def is_static(self) -> bool:
        """Tell whether it is called on its type."""
        return "static" in self.method.modifiers


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
    kept = variable if receiver else next((field.name for field in fields), "")
    timed = [f"return {call};"]
    if result == "void":
        timed = [f"{call};", *([f"return {kept};"] if kept else [])]
        result = "java.lang.Object" if kept else result
    throws = subject.method.throws or any(THROWS in line for line in (*made, *timed))
    return Code(fields=tuple(fields), result=result, body=(*made, *timed), throws=throws)


def _callee(subject: Subject, variable: str) -> str:
    """Return what is before the arguments of the call."""
    holder, method = subject.holder, subject.method
    if subject.is_constructor:
        return f"new {named(holder.canonical)}{diamond(holder)}"
    return f"{named(holder.canonical) if subject.is_static else variable}.{method.name}"


def result_type(subject: Subject, library: Library, sees: Visible) -> str:
    """Return a type that surely fits a result: its own where it has one name only, else Object."""
    written = subject.method.result
    if subject.is_constructor or written is None:
        return subject.holder.canonical
    canonical = library.kind(written, subject.holder, subject.method)
    variables = (*subject.method.variables, *subject.holder.declaration.variables)
    if written.name in {variable.name for variable in variables}:
        return "java.lang.Object"
    declared = library.canonical.get(canonical.rstrip("[]"))
    has_one_name = written.name in PRIMITIVES | {"String"} or (declared is not None and sees(declared))
    generic = declared is not None and declared.declaration.variables
    return canonical if has_one_name and not generic else "java.lang.Object"


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
