"""Calls of Java methods as tests and benchmarks write them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from abs_audit.grouping import grouped
from abs_audit.languages.drafting import DOUBTFUL, complete, literals
from abs_audit.languages.java.stubs.extraction import Expressions
from abs_audit.languages.java.stubs.library import Library, Subject
from abs_audit.languages.java.toolchain.layout import is_library
from abs_audit.languages.java.toolchain.outline import outline
from abs_audit.languages.java.toolchain.resolution import LibraryType
from abs_audit.languages.syntax import ancestors, in_field, listed, nodes, text_in, text_of

CALLS = ("method_invocation", "object_creation_expression")
NOTHING = re.compile(r'\[0\]$|\{\s*\}$|^""$|^new \w+\[\]\s*\{[\s0.,dDfFlL-]*\}$')


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaCall:
    """A call with everything that it needs in it; types are marked as `values.named` does."""

    receiver: str
    """Empty: it has none, or nothing tells how it was made."""
    arguments: tuple[str, ...]
    where: str
    kind: LibraryType | None = None
    """The type of the receiver, where that is known."""
    doubtful: bool = False
    """Whether it is from a test of failures or the like, or hands over nothing."""


class CallSites:
    """The calls in everything that is no library."""

    def __init__(self, library: Library) -> None:
        self._places = {
            declared.file.path: declared for declared in library.types.values() if declared.outer is None
        }
        files = [source for source in library.files if not is_library(source) and source.path in self._places]
        files.sort(key=lambda source: (not source.measures, source.path))
        self._words = {file.path: frozenset(re.findall(r"\w+", text_of(file.root))) for file in files}
        self._calls = grouped(
            (_called(node), (node, file)) for file in files for node in nodes(file.root, *CALLS)
        )

    def calls(self, subject: Subject, expressions: Expressions) -> Iterator[JavaCall]:
        """Yield the calls that may be of a method, in files that name its owner; benchmarks come first."""
        simple = subject.holder.declaration.name
        for node, file in self._calls.get(
            f"new {simple}" if subject.is_constructor else subject.method.name, ()
        ):
            target = in_field(node, "object")
            static = text_of(target).rpartition(".")[2] == simple
            fitting = static if subject.is_static else target is not None
            if simple not in self._words[file.path] or not (fitting or subject.is_constructor):
                continue
            inside, around = self._places[file.path], list(_around(node))
            given = complete(expressions.written(argument, inside) for argument in listed(node, "arguments"))
            if given is None or any("Throw" in name for name in around[:-1]):
                continue
            made = expressions.written(target, inside) if target is not None and not static else ""
            kind = expressions.kind(target, inside) if made else None
            where = file.path.rpartition("/")[2]
            data = [text for text in given if "[" in text or text.startswith('"')]
            empty = bool(data) and all(map(NOTHING.search, data))
            doubtful = any(map(DOUBTFUL.search, around)) or empty
            yield JavaCall(
                receiver=made or "", arguments=tuple(given), where=where, kind=kind, doubtful=doubtful
            )


def _around(node: Node) -> Iterator[str]:
    """Yield the names of the calls around a node, and last that of the method that it is in."""
    for outer in ancestors(node):
        if outer.type in {"method_invocation", "method_declaration"}:
            yield text_in(outer, "name")


def recorded_call(text: str) -> JavaCall | None:
    """Return the call that a recorded list of arguments stands for, if these are literals only."""
    given = literals(outline("", f"class A {{ Object a = f({text}); }}").root, "method_invocation")
    return JavaCall(receiver="", arguments=tuple(given), where="") if given is not None else None


def _called(call: Node) -> str:
    """Return the name of a method that is called, `new X` for a constructor."""
    if call.type == "method_invocation":
        return text_in(call, "name")
    written = text_in(call, "type").partition("<")[0]
    return f"new {written.rpartition('.')[2].strip()}"
