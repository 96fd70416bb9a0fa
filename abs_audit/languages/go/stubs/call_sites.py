"""How the tests and benchmarks of a Go package call its methods, and make its types."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from abs_audit.grouping import grouped
from abs_audit.languages.drafting import DOUBTFUL
from abs_audit.languages.go.stubs import scopes
from abs_audit.languages.go.stubs.extraction import NotAlone, Slice
from abs_audit.languages.go.stubs.snippet import Snippet
from abs_audit.languages.go.stubs.types import Placed, Types, free_functions
from abs_audit.languages.go.toolchain.promotion import Holder
from abs_audit.languages.syntax import ancestors, in_field, listed, nodes, text_in, text_of, walk

TEST = re.compile(r"(Test|Benchmark|Example)(?![a-z])")
NOTHING = re.compile(r"nil|\"\"|``|&?[\w.]+\{\}")
MADE = {"short_var_declaration", "var_declaration"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GoCall:
    """A call that can be repeated, as far as it is known."""

    clause: str
    """Import path of the package that the text belongs to."""
    setup: Snippet
    """What has to be made first; its text is the receiver, empty where that is not known or there is none."""
    callee: str
    """What stands before the arguments, for a function."""
    arguments: tuple[str, ...]
    where: str
    changing: bool = False
    """Whether an argument remembers something from one call to the next."""

    @property
    def is_of_nothing(self) -> bool:
        """Tell whether there may be nothing to do, as for an empty value or without a function."""
        return any(NOTHING.fullmatch(text) for text in (self.setup.text, *self.arguments))


def _rank(test: Placed) -> tuple[bool, bool]:
    """Sort benchmarks first, and tests of what goes wrong last."""
    name, node = test.function.name, test.function.node
    return not name.startswith("Benchmark"), bool(DOUBTFUL.search(name)) or "recover()" in text_of(node)


class CallSites:
    """Reads the tests of one folder, inner and outer ones."""

    def __init__(self, types: Types, path: str) -> None:
        self._types = types
        self._tests = sorted(self._found(path), key=_rank)
        self._calls = grouped(
            (_name(node), (test, node))
            for test in self._tests
            for node in nodes(test.function.node, *scopes.CALLS)
        )
        self._instances: dict[tuple[str, str, str], list[Snippet]] = {}

    def calls(self, target: Placed) -> Iterator[GoCall]:
        """Yield the calls of a method that stand alone, best ones first.

        Benchmarks come first, then what works on something, then what needs little beside it.
        """
        ranked: list[tuple[tuple[bool, bool, bool, bool, bool, int], GoCall]] = []
        for test, node in self._of(target):
            call, repeated = (None, False) if scopes.is_started(node) else self._alone(test, node, target)
            if call is not None:
                whole = bool(call.setup.text or call.callee)
                merit = (not whole, *_rank(test), call.is_of_nothing, repeated, len(call.setup.setup))
                ranked.append((merit, call))
        yield from (call for _, call in sorted(ranked, key=lambda entry: entry[0]))

    def is_endless(self, target: Placed) -> bool:
        """Tell whether tests call a method in goroutines of its own only: it may never return."""
        started = [scopes.is_started(node) for _, node in self._of(target)]
        return bool(started) and all(started)

    def _of(self, target: Placed) -> Iterator[tuple[Placed, Node]]:
        """Yield the calls of a method, each with its test."""
        for test, node in self._calls.get(target.function.name, ()):
            if self._types.called(node, test) == target:
                yield test, node

    def instances(self, holder: Holder, clause: str) -> Iterator[Snippet]:
        """Yield how tests make a value of a type, the most usual way first."""
        key = (holder.package.path, holder.name, clause)
        if key not in self._instances:
            self._instances[key] = self._instances_of(holder, self._made.get(key, ()))
        yield from self._instances[key]

    def _instances_of(
        self, holder: Holder, declarations: Iterable[tuple[Placed, scopes.Declaration]]
    ) -> list[Snippet]:
        texts: Counter[str] = Counter()
        snippets: dict[str, Snippet] = {}
        for test, made in declarations:
            if not _is_nothing(made, holder):
                texts[text_of(made.node)] += 1
                self._instance(snippets, test, made)
        return [snippets[text] for text, _ in texts.most_common() if text in snippets]

    @cached_property
    def _made(self) -> Mapping[tuple[str, str, str], list[tuple[Placed, scopes.Declaration]]]:
        """Return package and name of a type, and the package of the tests → what declares such a value."""
        declarations = (
            (test, scopes.Declaration(node=node, place=index))
            for test in self._tests
            for node in nodes(test.function.node, *MADE)
            for index, name in enumerate(scopes.declared_names(node))
            if text_of(name) != "_"
        )
        return grouped(
            ((holder.package.path, holder.name, test.package.path), (test, made))
            for test, made in declarations
            if (holder := self._types.declared(made, test)) is not None
        )

    def _instance(self, snippets: dict[str, Snippet], test: Placed, made: scopes.Declaration) -> None:
        piece = Slice(self._types, test, made.node)
        name = text_of(scopes.declared_names(made.node)[made.place])
        try:
            piece.make(made)
            snippets.setdefault(text_of(made.node), piece.snippet(name))
        except NotAlone:
            return

    def _alone(self, test: Placed, node: Node, target: Placed) -> tuple[GoCall | None, bool]:
        """Return a call that stands alone, and whether the method is called before as well."""
        arguments = listed(node, "arguments") or node.children_by_field_name("operand")
        operand = in_field(in_field(node, "function"), "operand") if target.function.receiver else None
        outer_calls = (outer for outer in ancestors(node) if outer.type == "call_expression")
        # `assert.Panics` and its kin.
        if any("Panics" in text_in(outer, "function") for outer in outer_calls):
            return None, False
        declared = (
            scopes.declaration(operand) if operand is not None and operand.type == "identifier" else None
        )
        if declared is not None and _is_nil(declared):
            return None, False
        for whole in (True, False) if operand is not None else (True,):
            piece = Slice(self._types, test, node)
            needed = [operand, *arguments] if whole and operand is not None else list(arguments)
            try:
                piece.close([*needed, *(_callees(node) if operand is None else ())])
                setup = piece.snippet(piece.text(operand) if operand is not None and whole else "")
            except NotAlone:
                continue
            call = GoCall(
                clause=test.package.path,
                setup=setup,
                callee=_callee(node, piece) if operand is None else "",
                arguments=tuple(piece.text(argument) for argument in arguments),
                where=f"{test.function.name} in {test.file.path}",
                changing=any(map(scopes.is_changing, arguments)),
            )
            names = {_name(node) for kept in piece.statements for node in walk(kept)}
            return call, target.function.name in names
        return None, False

    def _found(self, path: str) -> Iterator[Placed]:
        beside = (self._types.packages.get(clause) for clause in (path, f"{path}_test"))
        for package in filter(None, beside):
            for placed in free_functions(package):
                if placed.file.is_test and TEST.match(placed.function.name):
                    yield placed


def _name(call: Node) -> str:
    """Return the last name before the arguments of a call; empty for other nodes."""
    return text_of(scopes.callee(call)).rpartition(".")[2] if call.type in scopes.CALLS else ""


def _is_nothing(made: scopes.Declaration, holder: Holder) -> bool:
    """Tell whether a declaration leaves a pointer, interface or map at nil."""
    kind = text_in(made.single.node, "type")
    struct = holder.package.types[holder.name][1].kind == "struct" and "*" not in kind
    return _is_nil(made) or (made.node.type == "var_declaration" and not made.values and not struct)


def _is_nil(made: scopes.Declaration) -> bool:
    return [text_of(value) for value in made.values] == ["nil"]


def _callees(call: Node) -> list[Node]:
    return [callee for field in ("function", "type") for callee in call.children_by_field_name(field)]


def _callee(call: Node, piece: Slice) -> str:
    types = call.children_by_field_name("type_arguments")
    return "".join(piece.text(node) for node in (_callees(call)[0], *types))
