"""A JMH benchmark before it is laid out: what is made ready, and what is timed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from abs_audit.stubs.java_changes import is_consumed, moves_on
from abs_audit.stubs.java_library import CONSTRUCTOR, PRIMITIVES, Callable, JavaType, Library, parts
from abs_audit.stubs.java_sightings import Sightings
from abs_audit.stubs.java_values import THROWS, Values, named

INVENTED = "some of its values are made up from signatures: replace them by typical ones"
KEYWORDS = frozenset(("boolean", "case", "class", "default", "enum", "float", "for", "int", "new", "package"))
"""Those that the name of a type may become."""
STRINGS = ("java.lang.String", "java.lang.CharSequence", "java.lang.Object", "java.lang.Comparable")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The method that a benchmark is missing for."""

    id: str
    holder: JavaType
    method: Callable

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
class JavaDraft:
    """One benchmark, its layout left open; types are marked as `java_values.named` does."""

    fields: tuple[Field, ...]
    result: str
    """Type of what the benchmark returns; `void`: nothing."""
    body: tuple[str, ...]
    throws: bool
    origin: str
    """Where its values are from, as a sentence."""
    reason: str


class Drafting:
    """Writes drafts for the methods of one library."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._values, self._sightings = Values(library), Sightings(library)

    def draft(self, subject: Subject, package: str, recorded: Sequence[str]) -> JavaDraft | str:
        """Return a benchmark in a package for a method, or what nothing tells of it."""
        hidden = _hidden(subject, package)
        if hidden:
            return hidden
        receiver = self._receiver(subject)
        if receiver is None:
            return f"how to make a {subject.holder.canonical}"
        given, origin, invented = self._given(subject, recorded)
        if isinstance(given, str):
            return given
        invented = invented or bool(receiver)
        made_up = f"{INVENTED[0].upper()}{INVENTED[1:]}." if invented else ""
        return _laid(
            subject, receiver, given, " ".join(filter(None, (origin, made_up))), INVENTED if invented else ""
        )

    def _receiver(self, subject: Subject) -> str | None:
        """Return an instance to call the method on; nothing for what needs none, None where none is known."""
        if subject.is_static or subject.is_constructor:
            return ""
        return self._values.instance(subject.holder, without=subject.method)

    def _given(self, subject: Subject, recorded: Sequence[str]) -> tuple[list[Field] | str, str, bool]:
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
            value = self._values.value(kind, name)
            if value is None:
                return f"argument {place + 1}, of type {kind}", "", True
            fields.append(Field(type=kind, name=name, value=value))
        return fields, "", bool(fields)


def _hidden(subject: Subject, package: str) -> str:
    """Return what is missing where a benchmark's package cannot see a method."""
    holder, method = subject.holder, subject.method
    near = holder.file.package == package and "private" not in method.modifiers | holder.modifiers
    if not near and not (holder.is_public and holder.public(method)):
        return f"a benchmark in package {holder.file.package}, as others cannot see the method"
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


def _laid(subject: Subject, receiver: str, given: Sequence[Field], origin: str, reason: str) -> JavaDraft:
    """Decide what is made once and what anew for each call, and how the result is kept."""
    fields, texts = list[Field](), list[str]()
    for one in given:
        kept = not is_consumed(one.type)
        fields += [one] if kept else []
        texts.append(one.name if kept else one.value)
    holder, method = subject.holder, subject.method
    owner, body = named(holder.canonical), list[str]()
    if subject.is_constructor:
        callee = f"new {owner}{'<>' if holder.variables else ''}"
    elif subject.is_static:
        callee = f"{owner}.{method.name}"
    else:
        variable = _variable(holder)
        if _is_cheap(receiver) and moves_on(holder, method):
            body.append(f"{owner} {variable} = {receiver};")
        else:
            fields.insert(0, Field(type=holder.canonical, name=variable, value=receiver))
        callee = f"{variable}.{method.name}"
    call = f"{callee}({', '.join(texts)})"
    result = _result(subject)
    if result == "void":
        kept_alive = _variable(holder) if receiver else next((one.name for one in fields), "")
        body.append(f"{call};")
        if kept_alive:
            body.append(f"return {kept_alive};")
            result = "java.lang.Object"
    else:
        body.append(f"return {call};")
    throws = bool(method.throws) or any(THROWS in line for line in body)
    return JavaDraft(
        fields=tuple(fields), result=result, body=tuple(body), throws=throws, origin=origin, reason=reason
    )


def _is_cheap(receiver: str) -> bool:
    """Tell whether an instance is made by a constructor from little."""
    return receiver.lstrip(THROWS).startswith("new ") and "100" not in receiver


def _result(subject: Subject) -> str:
    """Return a type that surely fits a result: its own where it has one name only, else Object."""
    if subject.is_constructor:
        return subject.holder.canonical
    written = subject.method.result
    bare = written.rstrip("[]")
    if bare in PRIMITIVES or written == "void":
        return written
    known = {"String": "java.lang.String"}.get(bare)
    return f"{known}{written[len(bare) :]}" if known else "java.lang.Object"
