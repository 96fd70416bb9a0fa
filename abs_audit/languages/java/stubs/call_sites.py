"""Calls of Java methods as tests and benchmarks write them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from abs_audit.languages.drafting import complete, literals
from abs_audit.languages.java.stubs.extraction import Expressions
from abs_audit.languages.java.stubs.library import Library
from abs_audit.languages.java.toolchain.declarations import CONSTRUCTOR, MethodDeclaration, SourceFile
from abs_audit.languages.java.toolchain.layout import is_library
from abs_audit.languages.java.toolchain.outline import outline
from abs_audit.languages.java.toolchain.resolution import LibraryType
from abs_audit.languages.syntax import listed, text_of, walk


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaCall:
    """A call with everything that it needs in it; types are marked as `values.named` does."""

    receiver: str
    """Empty: it has none, or nothing tells how it was made."""
    arguments: tuple[str, ...]
    where: str


class CallSites:
    """The calls in everything that is no library."""

    def __init__(self, library: Library) -> None:
        self._calls: dict[str, list[tuple[Node, SourceFile]]] = {}
        self._words: dict[str, frozenset[str]] = {}
        self._places = {
            declared.file.path: declared for declared in library.types.values() if declared.outer is None
        }
        files = [source for source in library.files if not is_library(source) and source.path in self._places]
        for file in sorted(files, key=lambda source: (not source.measures, source.path)):
            self._words[file.path] = frozenset(re.findall(r"\w+", text_of(file.root)))
            for node in walk(file.root):
                name = _called(node)
                if name:
                    self._calls.setdefault(name, []).append((node, file))

    def calls(
        self, holder: LibraryType, method: MethodDeclaration, expressions: Expressions
    ) -> Iterator[JavaCall]:
        """Yield the calls that may be of a method, in files that name its owner; benchmarks first."""
        simple = holder.declaration.name
        for node, file in self._calls.get(f"new {simple}" if method.name == CONSTRUCTOR else method.name, ()):
            target = node.child_by_field_name("object")
            static = text_of(target).rpartition(".")[2] == simple
            fitting = static if "static" in method.modifiers else target is not None
            if simple not in self._words[file.path] or not (fitting or method.name == CONSTRUCTOR):
                continue
            inside = self._places[file.path]
            given = complete(expressions.written(argument, inside) for argument in listed(node, "arguments"))
            made = expressions.written(target, inside) if target is not None and not static else ""
            where = f"{file.path.rpartition('/')[2]}:{node.start_point[0] + 1}"
            if given is not None:
                yield JavaCall(receiver=made or "", arguments=tuple(given), where=where)


def recorded_call(text: str) -> JavaCall | None:
    """Return the call that a recorded list of arguments stands for, if these are literals only."""
    root = outline("", f"class A {{ Object a = f({text}); }}").root
    given = literals(root, "method_invocation")
    return JavaCall(receiver="", arguments=tuple(given), where="") if given is not None else None


def _called(node: Node) -> str:
    """Return the name of a method that is called, `new X` for a constructor; nothing for other nodes."""
    if node.type == "method_invocation":
        return text_of(node.child_by_field_name("name"))
    if node.type == "object_creation_expression":
        written = re.split(r"[<]", text_of(node.child_by_field_name("type")))[0]
        return f"new {written.rpartition('.')[2].strip()}"
    return ""
