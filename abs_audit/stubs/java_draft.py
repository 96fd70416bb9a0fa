"""A JMH benchmark before it is laid out: what is made ready, and what is timed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from abs_audit.stubs.java_changes import is_consumed, moves_on
from abs_audit.stubs.java_library import CONSTRUCTOR, PRIMITIVES, JavaType, Library, Method, parts
from abs_audit.stubs.java_sightings import Sightings
from abs_audit.stubs.java_values import THROWS, Values, Visible, named

INVENTED = "some of its values are made up from signatures: replace them by typical ones"
KEYWORDS = frozenset(("boolean", "case", "class", "default", "enum", "float", "for", "int", "new", "package"))
"""Those that the name of a type may become."""
STRINGS = ("java.lang.String", "java.lang.CharSequence", "java.lang.Object", "java.lang.Comparable")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The method that a benchmark is missing for."""

    id: str
    holder: JavaType
    method: Method

    @property
    def is_constructor(self) -> bool:
        """Tell whether it makes an instance."""
        return self.method.name == CONSTRUCTOR

    @property
    def is_static(self) -> bool:
        """Tell whether it is called on no instance."""
        return "static" in self.method.modifiers


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A value that is made before the clock starts."""

    type: str
    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """What is made ready and what is timed; types are marked as `java_values.named` does."""

    fields: tuple[Field, ...]
    result: str
    """Type of what the benchmark returns; `void`: nothing."""
    body: tuple[str, ...]
    throws: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaDraft:
    """One benchmark, its layout left open."""

    code: Code
    origin: str
    """Where its values are from, as a sentence."""
    reason: str


class Drafting:
    """Writes drafts for the methods of one library."""

    def __init__(self, library: Library) -> None:
        self._library, self._sightings = library, Sightings(library)

    def draft(self, subject: Subject, sees: Visible, recorded: Sequence[str]) -> JavaDraft | str:
        """Return a benchmark for a method, or what nothing tells of it."""
        hidden = _hidden(subject, sees)
        if hidden:
            return hidden
        values = Values(self._library, sees)
        receiver = _receiver(subject, values)
        if receiver is None:
            return f"how to make a {subject.holder.canonical}"
        given, origin, invented = self._given(subject, values, recorded)
        if isinstance(given, str):
            return given
        invented = invented or bool(receiver)
        made_up = f"{INVENTED[0].upper()}{INVENTED[1:]}." if invented else ""
        return JavaDraft(
            origin=" ".join(filter(None, (origin, made_up))),
            reason=INVENTED if invented else "",
            code=_laid(subject, receiver, given, _result(subject, self._library, sees)),
        )

    def _given(
        self, subject: Subject, values: Values, recorded: Sequence[str]
    ) -> tuple[list[Field] | str, str, bool]:
        """Return arguments, where they are from, and whether they are made up; else what is missing."""
        kinds = list(_kinds(subject))
        for texts, origin in self._sightings.literals(subject.holder, subject.method, recorded):
            if len(texts) == len(kinds) and all(map(_fits, texts, (kind for kind, _ in kinds))):
                pairs = zip(kinds, texts, strict=True)
                return (
                    [Field(type=kind, name=name, value=text) for (kind, name), text in pairs],
                    origin,
                    False,
                )
        fields = []
        for place, (kind, name) in enumerate(kinds):
            value = values.value(kind, name)
            if value is None:
                return f"argument {place + 1}, of type {kind}", "", True
            fields.append(Field(type=kind, name=name, value=value))
        return fields, "", bool(fields)


def _receiver(subject: Subject, values: Values) -> str | None:
    """Return an instance to call the method on; nothing for what needs none, None where none is known."""
    if subject.is_static or subject.is_constructor:
        return ""
    return values.instance(subject.holder, without=subject.method)


def _hidden(subject: Subject, sees: Visible) -> str:
    """Return what is missing where a benchmark cannot call a method."""
    holder, method = subject.holder, subject.method
    if not sees(holder) or not holder.public(method):
        return f"a benchmark in package {holder.file.package}, as this one does not see the method"
    if subject.is_constructor and "abstract" in holder.modifiers:
        return f"a subclass of {holder.canonical}, as it is abstract"
    if subject.is_constructor and (holder.is_inner or holder.kind == "enum"):
        return f"what makes a {holder.canonical}, as its constructor cannot be called from outside"
    return ""


def _kinds(subject: Subject) -> Iterator[tuple[str, str]]:
    """Yield erased type and a free name for each parameter."""
    taken = {_variable(subject.holder), "blackhole"}
    for kind, (_, written) in zip(parts(subject.id)[2], subject.method.parameters, strict=True):
        name = f"{written}Argument" if written in taken else written
        taken.add(name)
        yield kind, name


def _variable(holder: JavaType) -> str:
    """Return the name of a field for an instance."""
    simple = re.split(r"[.$]", holder.binary)[-1]
    head = re.match(r"[A-Z]+(?![a-z])|[A-Z]?", simple)
    size = len(head[0]) if head else 0
    name = simple[:size].lower() + simple[size:]
    return f"{name}Value" if name in KEYWORDS or name == simple else name


def _fits(text: str, kind: str) -> bool:
    """Tell whether a literal may stand for a value of a type; null never does."""
    if text.startswith('"'):
        return kind in STRINGS
    if text.startswith("'"):
        return kind == "char"
    if text in {"true", "false"}:
        return kind == "boolean"
    if re.fullmatch(r"-?(0[xX][0-9a-fA-F_]+|[0-9_]+)[lL]?", text):
        return kind == "long" or (text[-1] not in "lL" and kind in {"int", "float", "double"})
    return bool(re.fullmatch(r"-?[0-9._]+([eE]-?[0-9]+)?[dDfF]?", text)) and (
        kind == "double" or (kind == "float" and text[-1] in "fF")
    )


def _laid(subject: Subject, receiver: str, given: Sequence[Field], result: str) -> Code:
    """Decide what is made once and what anew for each call, and how the result is kept."""
    fields = [one for one in given if not is_consumed(one.type)]
    texts = [one.value if is_consumed(one.type) else one.name for one in given]
    variable, anew = _variable(subject.holder), list[str]()
    if receiver and _is_cheap(receiver) and moves_on(subject.holder, subject.method):
        anew.append(f"{named(subject.holder.canonical)} {variable} = {receiver};")
    elif receiver:
        fields.insert(0, Field(type=subject.holder.canonical, name=variable, value=receiver))
    call = f"{_callee(subject, variable)}({', '.join(texts)})"
    kept = variable if receiver else next((one.name for one in fields), "")
    timed = [f"{call};", f"return {kept};"] if result == "void" and kept else [f"return {call};"]
    if result == "void":
        timed, result = (timed, "java.lang.Object") if kept else ([f"{call};"], result)
    throws = bool(subject.method.throws) or any(THROWS in line for line in (*anew, *timed))
    return Code(fields=tuple(fields), result=result, body=(*anew, *timed), throws=throws)


def _callee(subject: Subject, variable: str) -> str:
    """Return what is before the arguments of the call."""
    holder, method = subject.holder, subject.method
    if subject.is_constructor:
        return f"new {named(holder.canonical)}{'<>' if holder.variables else ''}"
    return f"{named(holder.canonical) if subject.is_static else variable}.{method.name}"


def _is_cheap(receiver: str) -> bool:
    """Tell whether an instance is made by a constructor from little."""
    return receiver.lstrip(THROWS).startswith("new ") and "100" not in receiver


def _result(subject: Subject, library: Library, sees: Visible) -> str:
    """Return a type that surely fits a result: its own where it has one name only, else Object."""
    if subject.is_constructor:
        return subject.holder.canonical
    written = subject.method.result
    bare = written.rstrip("[]")
    if bare in PRIMITIVES or written == "void":
        return written
    variables = {*subject.method.variables, *subject.holder.variables}
    canonical = library.resolve(written, subject.holder)
    found = library.canonical.get(canonical.rstrip("[]"))
    known = bare == "String" or (found is not None and sees(found) and not found.variables)
    return canonical if known and bare not in variables else "java.lang.Object"
