"""A Go benchmark before it is laid out: what is made ready, and what is timed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from abs_audit.languages.drafting import INVENTED, RECORDED, MissingError, literals, origin_of
from abs_audit.languages.go.stubs.call_sites import CallSites, GoCall
from abs_audit.languages.go.stubs.repeatability import is_consumed, is_repeatable
from abs_audit.languages.go.stubs.snippet import Snippet, joined
from abs_audit.languages.go.stubs.style import style
from abs_audit.languages.go.stubs.types import Placed, Types, parameters, results
from abs_audit.languages.go.stubs.values import Values, type_arguments
from abs_audit.languages.go.toolchain.layout import Package
from abs_audit.languages.go.toolchain.outline import declared_in, is_exported, outline
from abs_audit.languages.go.toolchain.promotion import Holder

STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`\n]*`')


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The method that a benchmark is missing for."""

    target: Placed
    holder: Holder | None
    """The type that the method is called on; None for a function."""
    package: Package


@dataclass(frozen=True, slots=True, kw_only=True)
class GoDraft:
    """One benchmark, its layout left open."""

    clause: str
    made: Snippet
    """What is made ready; its text is the timed call."""
    kept: str
    """What must stay alive behind the loop, because the call returns nothing."""
    results: int
    fresh: bool
    """Whether each call needs everything anew."""
    origin: str
    reason: str


class Drafting:
    """Writes drafts for the methods of one package."""

    def __init__(self, types: Types, path: str) -> None:
        self._types, self.style = types, style(types.packages, path)
        self._call_sites = CallSites(types, path)

    def drafts(self, subject: Subject, recorded: Sequence[str]) -> Iterator[GoDraft]:
        """Yield benchmarks for a method, the best one first; raise MissingError with what nothing tells.

        After the first come those with everything anew for each call, as calls of tests may not stand a
        second one, and those of other tests.
        """
        if self._call_sites.is_endless(subject.target):
            raise MissingError("what ends it, as tests call it in goroutines of its own")
        calls = list(self._call_sites.calls(subject.target))
        whole = [call for call in calls if call.setup.text or call.callee]
        for call in [*whole[:1], *(replace(call, changing=True) for call in whole)]:
            given = [Snippet(text=argument) for argument in call.arguments]
            yield self._drafted(subject, call, given, f"It is called as in {call.where}.")
        if whole:
            return
        clause = self._clause(subject)
        values = Values(self._types, self._call_sites, clause)
        receiver = self._receiver(subject, values)
        call = GoCall(clause=clause.path, setup=receiver, callee=receiver.text, arguments=(), where="")
        seen = [pair for pair in (*self._seen(calls, call), *_recorded(recorded)) if _fits(subject, pair[0])]
        for given, origin in seen or [(values.arguments(subject.target.function, subject.target), "")]:
            for changing in (False, True):
                draft = self._drafted(subject, replace(call, changing=changing), given, origin)
                yield _marked(draft, values)

    def _clause(self, subject: Subject) -> Package:
        """Return the package that the benchmark belongs to: the usual one, if that can see the method."""
        names = (subject.target.function.name, subject.holder.name if subject.holder else "X")
        outer = self._types.packages.get(self.style.clause)
        if outer is not None and all(map(is_exported, names)):
            return outer
        if outer is not None and outer.module != subject.package.module:
            raise MissingError(f"a test of package {subject.package.name} itself")
        return subject.package

    def _receiver(self, subject: Subject, values: Values) -> Snippet:
        """Return the receiver, or the function itself; raise MissingError where it cannot be made."""
        if subject.holder is None:
            function = values.name(subject.package, subject.target.function.name)
            if function is None:
                raise MissingError(f"a test of package {subject.package.name} itself")
            return replace(function, text=function.text + type_arguments(subject.target.function.node))
        # A method that is promoted may be called on what it is promoted from.
        target = subject.target
        written = Holder(package=target.package, name=target.function.receiver)
        made = values.instance(subject.holder) or values.instance(written)
        if made is None:
            raise MissingError(f"a value of type {subject.holder.name}")
        return made

    def _seen(self, calls: Sequence[GoCall], call: GoCall) -> Iterator[tuple[list[Snippet], str]]:
        """Yield arguments of calls whose receivers are not known."""
        for other in calls:
            if other.clause == call.clause and not other.setup.names & call.setup.names:
                given = [replace(other.setup, text=text) for text in other.arguments]
                yield given, f"Its arguments are those of {other.where}."

    def _drafted(self, subject: Subject, call: GoCall, given: Sequence[Snippet], origin: str) -> GoDraft:
        hidden = {call.setup.text, self.style.bench, "testing", "runtime"}
        hidden |= {name for name, _ in call.setup.imports} | call.setup.names
        names = _free_names(subject.target, hidden)
        lines, texts = list[str](), list[str]()
        for index, argument in enumerate(given):
            text, spread = argument.text.removesuffix("..."), argument.text.endswith("...")
            # A call of many results may stand for a whole list of arguments.
            # What costs nothing to evaluate, or has no type of its own, stays where it is.
            if re.search(r"[(\[{]", STRING.sub("", text)) and _fits(subject, given):
                name = names[min(index, len(names) - 1)]
                name = f"{name}{index + 1}" if any(line.startswith(f"{name} :=") for line in lines) else name
                lines.append(f"{name} := {text}")
                text = name
            texts.append(text + "..." * spread)
        receiver, callee = call.setup.text, call.callee
        if subject.holder is not None:
            if not re.fullmatch(r"[\w.]+", receiver):
                lines.insert(0, f"receiver := {receiver}")
                receiver = "receiver"
            callee = f"{receiver}.{subject.target.function.name}"
        made = joined([call.setup, *given], lines, f"{callee}({', '.join(texts)})")
        consumed = any(is_consumed(line) for line in (*made.setup, made.text))
        count = len(results(subject.target.function.node))
        return GoDraft(
            clause=call.clause,
            made=made,
            kept=receiver if subject.holder is not None and not count else "",
            results=count,
            fresh=bool(made.setup)
            and (consumed or call.changing or not is_repeatable(self._types, subject.target)),
            origin=origin,
            reason="",
        )


def _marked(draft: GoDraft, values: Values) -> GoDraft:
    """Say what was made up."""
    origin = origin_of(draft.origin, invented=values.invented)
    return replace(draft, reason=INVENTED if values.invented else "", origin=origin)


def _recorded(texts: Sequence[str]) -> Iterator[tuple[list[Snippet], str]]:
    """Yield recorded argument lists that are made of literals only."""
    for text in texts:
        given = literals(outline(f"package p\n\nvar x = f({text})\n".encode()).root, "call_expression")
        if given is not None:
            yield [Snippet(text=argument) for argument in given], RECORDED


def _fits(subject: Subject, given: Sequence[Snippet]) -> bool:
    """Tell whether a list of arguments is as long as the method asks for."""
    kinds = parameters(subject.target.function)
    if kinds and kinds[-1][1]:
        return len(given) >= len(kinds) - 1
    return len(given) == len(kinds)


def _free_names(target: Placed, taken: set[str]) -> list[str]:
    """Return a name for each argument, as the signature calls it where that is free."""
    names = declared_in(target.function.node, "parameters")
    return [name if name not in {*taken, "_"} else f"{name}Argument".lstrip("_") for name in names] or [
        "value"
    ]
