"""Calls of Java methods as tests and benchmarks write them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from abs_audit.stubs.java_library import (
    CONSTRUCTOR,
    JavaFile,
    JavaType,
    Library,
    Method,
    parsed,
    text_of,
    walk,
)

RECORDED = "Its arguments are those that downstream projects give."
LITERALS = re.compile(r"\w+_literal|true|false")
CALLS = {"method_invocation": "name", "object_creation_expression": "type"}


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaCall:
    """A call in a test or a benchmark."""

    node: Node
    file: JavaFile

    @property
    def arguments(self) -> list[Node]:
        """The arguments, without comments."""
        given = self.node.child_by_field_name("arguments")
        return [one for one in given.named_children if "comment" not in one.type] if given is not None else []

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.file.path.rpartition('/')[2]}:{self.node.start_point[0] + 1}"


class Sightings:
    """The calls in everything that is no library."""

    def __init__(self, library: Library) -> None:
        self._calls: dict[str, list[JavaCall]] = {}
        files = [one for one in library.files if not one.is_library]
        for file in sorted(files, key=lambda one: (not one.measures, one.path)):
            for node in walk(file.root):
                field = CALLS.get(node.type)
                if field is not None:
                    name = re.split(r"[.<]", text_of(node.child_by_field_name(field)))
                    last = name[0] if field == "name" else f"new {_simple(node)}"
                    self._calls.setdefault(last, []).append(JavaCall(node=node, file=file))

    def calls(self, holder: JavaType, method: Method) -> Iterator[JavaCall]:
        """Yield the calls that may be of a method, in files that name its owner; benchmarks first."""
        simple = re.split(r"[.$]", holder.binary)[-1]
        wanted = f"new {simple}" if method.name == CONSTRUCTOR else method.name
        for one in self._calls.get(wanted, ()):
            target = text_of(one.node.child_by_field_name("object"))
            fitting = target.rpartition(".")[2] == simple if "static" in method.modifiers else target != ""
            named = re.search(rf"\b{simple}\b", text_of(one.file.root)) is not None
            if named and (fitting or method.name == CONSTRUCTOR):
                yield one

    def literals(
        self, holder: JavaType, method: Method, recorded: Sequence[str]
    ) -> Iterator[tuple[list[str], str]]:
        """Yield lists of arguments that are literals only, and where they are from as a sentence."""
        for call in self.calls(holder, method):
            if call.arguments and all(map(_is_literal, call.arguments)):
                yield [text_of(one) for one in call.arguments], f"Its arguments are those of {call.where}."
        for text in recorded:
            given = _arguments(text)
            if given and all(map(_is_literal, given)):
                yield [text_of(one) for one in given], RECORDED


def _simple(node: Node) -> str:
    """Return the last word of the type that an expression makes."""
    return re.split(r"[<]", text_of(node.child_by_field_name("type")))[0].rpartition(".")[2].strip()


def _is_literal(node: Node) -> bool:
    bare = node.named_children[0] if node.type == "unary_expression" and node.named_children else node
    return LITERALS.fullmatch(bare.type) is not None


def _arguments(text: str) -> list[Node]:
    """Return the arguments in a recorded list of them."""
    root = parsed(f"class A {{ Object a = f({text}); }}")
    lists = [one for one in walk(root) if one.type == "argument_list"]
    return lists[0].named_children if lists and not root.has_error else []
