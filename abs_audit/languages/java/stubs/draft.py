"""A JMH benchmark before it is laid out: how its method is called, and where that is from."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from abs_audit.languages.drafting import INVENTED, RECORDED, MissingError, complete, origin_of
from abs_audit.languages.java.stubs.call_sites import CallSites, JavaCall, recorded_call
from abs_audit.languages.java.stubs.extraction import Expressions
from abs_audit.languages.java.stubs.library import Library, Subject, alike
from abs_audit.languages.java.stubs.repeatability import moves_on
from abs_audit.languages.java.stubs.snippet import Code, kinds, laid, result_type
from abs_audit.languages.java.stubs.values import Values, Visible, head, overrides

WHOLE = r"-?(0[xX][0-9a-fA-F_]+|[0-9_]+)"
BROKEN = r"-?[0-9._]+([eE]-?[0-9]+)?"
# Texts of literals, and the types that they may stand for; the first that fits counts.
LITERALS: Sequence[tuple[str, Sequence[str]]] = (
    ('".*', [f"java.lang.{name}" for name in ("String", "CharSequence", "Object", "Comparable")]),
    ("'.*", ["char"]),
    ("true|false", ["boolean"]),
    (WHOLE, ["int", "long", "float", "double"]),
    (f"{WHOLE}[lL]", ["long"]),
    (f"{BROKEN}[fF]", ["float", "double"]),
    (f"{BROKEN}[dD]?", ["double"]),
)
ARRAY = re.compile(r"new [^(]*\[|(getBytes|to\w*Array)\([^()]*\)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaDraft:
    """One benchmark, its layout left open."""

    code: Code | None
    """None where a person has to write it."""
    origin: str
    """Where its values are from, in sentences."""
    reason: str
    """What a person has to do; empty if nothing."""


class Drafting:
    """Writes drafts for the methods of one library."""

    def __init__(self, library: Library) -> None:
        self._library, self._call_sites = library, CallSites(library)

    def drafts(self, subject: Subject, sees: Visible, recorded: Sequence[str]) -> Iterator[JavaDraft]:
        """Yield benchmarks for a method, the best one first; raise MissingError with what nothing tells.

        After each comes the one that makes its instance anew for each call.
        """
        if hidden := _hidden(subject, sees):
            raise MissingError(hidden)
        near, far = (Values(self._library, sees, far=far) for far in (False, True))
        receiver = "" if subject.is_alone else _receiver(subject, near) or _receiver(subject, far)
        result = result_type(subject, self._library, sees)
        moving = moves_on(self._library, subject.holder, subject.method)
        given = [near.value(kind, name) or far.value(kind, name) for kind, name in kinds(subject)]
        made_up = complete(given) if receiver is not None else None
        calls = self._known(subject, Expressions(self._library, sees), recorded)
        for call, origin in sorted(calls, key=lambda pair: pair[0].doubtful):
            made = call.receiver or receiver
            if made is not None and not (call.doubtful and made_up is not None):
                for anew in (moving, True):
                    code = laid(subject, made, call.arguments, result=result, anew=anew)
                    yield _draft(code, origin, invented=made != call.receiver and _has_values(made))
        if receiver is None:
            raise MissingError(f"a value of type {subject.holder.canonical}")
        if made_up is None:
            index = given.index(None)
            raise MissingError(f"argument {index + 1}, of type {list(kinds(subject))[index][0]}")
        for anew in (moving, True):
            code = laid(subject, receiver, made_up, result=result, anew=anew)
            yield _draft(code, "", invented=bool(made_up) or _has_values(receiver))

    def _known(
        self, subject: Subject, expressions: Expressions, recorded: Sequence[str]
    ) -> Iterator[tuple[JavaCall, str]]:
        """Yield calls that surely are of the method, each with where it is from."""
        for call in self._call_sites.calls(subject, expressions):
            sure = subject.is_alone or self._is_instance(call, subject)
            if self._is_call(call, subject, sure):
                where = f"It is called as in {call.where}."
                told = where if sure else f"Its arguments are those of {call.where}."
                yield (call if sure else replace(call, receiver="")), told
        for text in recorded:
            parsed = recorded_call(text)
            if parsed is not None and self._is_call(parsed, subject, False):
                yield parsed, RECORDED

    def _is_instance(self, call: JavaCall, subject: Subject) -> bool:
        """Tell whether a call is of an instance whose method this is."""
        maker = call.kind or self._library.canonical.get(head(call.receiver))
        return maker is not None and (
            maker is subject.holder
            or (subject.holder in self._library.lineage(maker) and not overrides(maker, subject.method))
        )

    def _is_call(self, call: JavaCall, subject: Subject, sure: bool) -> bool:
        """Tell whether arguments fit: literals by their types, others where no overload is as long."""
        wanted = [kind for kind, _ in kinds(subject)]
        if len(wanted) != len(call.arguments):
            return False
        pairs = list(zip(call.arguments, wanted, strict=True))
        if all(_fits(text, kind) for text, kind in pairs):
            return bool(pairs) or sure
        overloads = alike(subject.holder, subject.method.name, len(wanted))
        # One argument may stand for several in an array.
        arrays = all(ARRAY.search(text) for text, kind in pairs if kind.endswith("[]"))
        return sure and len(overloads) == 1 and arrays


def _receiver(subject: Subject, values: Values) -> str | None:
    return values.instance(subject.holder, without=subject.method)


def _has_values(receiver: str) -> bool:
    """Tell whether an instance is made of anything, or a constant."""
    return bool(receiver) and receiver.count("(") != max(1, receiver.count("()"))


def _draft(code: Code, origin: str, *, invented: bool) -> JavaDraft:
    """Say what was made up."""
    told = origin_of(origin, invented=invented)
    return JavaDraft(code=code, origin=told, reason=INVENTED if invented else "")


def _hidden(subject: Subject, sees: Visible) -> str:
    """Return what is missing where a benchmark cannot call a method."""
    holder, method = subject.holder, subject.method
    if holder.is_public and holder.shows(method) and not sees(holder):
        return f"a benchmark in a module that uses the one of {holder.file.path}"
    if not sees(holder) or not holder.shows(method):
        return f"a benchmark in package {holder.file.package}, as this one does not see the method"
    if subject.is_constructor and "abstract" in holder.declaration.modifiers:
        return f"a subclass of {holder.canonical}, as it is abstract"
    if subject.is_constructor and (not holder.is_static or holder.declaration.kind == "enum"):
        return f"what makes a {holder.canonical}, as its constructor cannot be called from outside"
    return ""


def _fits(text: str, kind: str) -> bool:
    """Tell whether a literal may stand for a value of a type; null never does."""
    return kind in next((kinds for literal, kinds in LITERALS if re.fullmatch(literal, text, re.DOTALL)), ())
