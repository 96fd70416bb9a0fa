"""What a piece of a Go test needs to stand alone: the statements before it that make its values."""

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from abs_audit.languages.go.stubs import scopes
from abs_audit.languages.go.stubs.rows import cell
from abs_audit.languages.go.stubs.snippet import BENCH, Edit, Snippet, edited
from abs_audit.languages.go.stubs.types import Site, Types, parameters
from abs_audit.languages.syntax import ancestors, in_field, listed, nodes, text_in, text_of, walk

COPY = re.compile(r"(?:var )?(\w+) :?= \1")
LISTS = {"slice_type", "array_type", "implicit_length_array_type"}
PRINTING = {"fmt", "log", "assert", "require"}
LEFT = "\2"
ERRORS = re.compile(r"err|\w*Err")
# What tests and benchmarks have in common.
COMMON = re.compile(
    r"Cleanup|Context|Error|Errorf|Fail|FailNow|Fatal|Fatalf|Helper|Log|Logf|Name|Setenv|TempDir"
)


class NotAlone(Exception):  # noqa: N818 - it reports what a text is, not what went wrong
    """A text needs something that cannot be taken along."""


class Slice:
    """Gathers what some nodes of a test need."""

    def __init__(self, types: Types, site: Site, point: Node) -> None:
        self._types, self._site, self._point = types, site, point
        self._kept: dict[int, Node] = {}
        self._used: set[tuple[int, int]] = set()
        self._assigned: set[tuple[int, int]] = set()
        self._edits: list[Edit] = []
        self._left: list[Node] = []
        """Checks inside of functions that are taken along: they stay behind."""
        self._imports: set[tuple[str, str]] = set()

    def close(self, needed: Sequence[Node]) -> None:
        """Take along what nodes need; raise NotAlone where that cannot be."""
        for node in needed:
            if _mentions_testing(node) and next(nodes(node, "func_literal"), None) is not None:
                raise NotAlone(f"{text_of(node)}: what it is called with is part of the test")
            self._need(node)
        grown = -1
        while grown != len(self._kept):
            grown = len(self._kept)
            for statement in self._before():
                if statement.start_byte not in self._kept and self._touches(statement):
                    self._keep(statement)

    def make(self, made: scopes.Declaration) -> None:
        """Take along a declaration and what it needs; raise NotAlone where that cannot be."""
        self._used.add(made.key)
        self._keep(made.node)
        self.close([])

    def text(self, node: Node) -> str:
        """Return the text of a node of the test as the benchmark writes it."""
        return edited(node, self._edits)

    def snippet(self, text: str) -> Snippet:
        """Return an expression with the statements that it needs; raise NotAlone where their names clash."""
        lines: list[str] = []
        names: set[str] = set()
        for node in self.statements:
            added = self._row(node) if node.type == "range_clause" else self._statement(node)
            if not added or COPY.fullmatch(added[0]):
                continue
            lines += added
            declared = {text_of(name) for name in scopes.declared_names(node)} - {"_"}
            if declared and declared <= names:
                raise NotAlone(f"{added[0]}: a name of two meanings")
            names |= declared
        return Snippet(
            setup=tuple(lines), text=text, imports=frozenset(self._imports), names=frozenset(names)
        )

    @property
    def statements(self) -> list[Node]:
        """The statements, as the test has them."""
        return [node for _, node in sorted(self._kept.items())]

    def _need(self, node: Node) -> None:
        for use in scopes.uses(node):
            if any(scopes.inside(use, left) for left in self._left):
                continue
            declared = scopes.declaration(use)
            if declared is None:
                self._outside(use)
            elif declared.is_testing:
                self._testing(use, declared)
            elif (read := self._cell(use, declared)) is not None:
                self._edits.append((read[0], self.text(read[1])))
            elif not scopes.inside(declared.node, node):
                (self._assigned if _is_assigned(use) else self._used).add(declared.key)
                self._keep(declared.node)

    def _cell(self, use: Node, declared: scopes.Declaration) -> tuple[Node, Node] | None:
        """Return what reads a cell of a table, and the cell, where a name stands for one of its rows."""
        if COPY.fullmatch(text_of(declared.node)):
            # What a loop variable is copied from, for tests that run at the same time.
            copied = scopes.declaration(listed(declared.node, "right")[0])
            declared = copied if copied is not None else declared
        if declared.node.type != "range_clause" or declared.place != 1 or _is_assigned(use):
            return None
        return cell(use, _table(declared.node))

    def _keep(self, node: Node) -> None:
        if node.start_byte in self._kept:
            return
        if node.type in scopes.PARAMETERS:
            raise NotAlone(text_of(node))
        self._kept[node.start_byte] = node
        self._left += _checks(node)
        if node.type == "range_clause":
            self._need(self._list(node))
        else:
            self._need(node)

    def _outside(self, use: Node) -> None:
        """Take along the import that a name stands for, if it is none of the package or of Go itself."""
        name = text_of(use)
        if self._types.knows(self._site.package, name):
            return
        for alias, path in self._site.file.outline.imports:
            own = self._types.packages.get(path)
            if name in ({alias} if alias else {own.name} if own else guesses(path)):
                self._imports.add((alias, path))
                return
        raise NotAlone(name)

    def _testing(self, use: Node, declared: scopes.Declaration) -> None:
        """Let the benchmark stand in for a test where it can."""
        parent = use.parent
        call = parent.parent if parent is not None and parent.type == "argument_list" else None
        if call is not None and parent is not None:
            placed = self._types.called(call, self._site)
            kinds = parameters(placed.function) if placed is not None else []
            index = parent.named_children.index(use)
            kind = text_of(kinds[index][0]) if index < len(kinds) else "testing.TB"
        else:
            kind = "testing.TB" if COMMON.fullmatch(text_in(parent, "field")) else "*testing.T"
        if kind == "*testing.T" and text_in(declared.node, "type") != "*testing.B":
            raise NotAlone(text_of(use))
        self._edits.append((use, BENCH))

    def _before(self) -> Iterator[Node]:
        """Yield the statements on the way to the point, in the blocks that hold it."""
        for block in ancestors(self._point):
            if block.type in scopes.STATEMENTS:
                yield from (
                    statement
                    for statement in block.named_children
                    if statement.end_byte <= self._point.start_byte
                )

    def _touches(self, statement: Node) -> bool:
        """Tell whether a statement changes something that is needed, and is no assertion."""
        if statement.type in {"defer_statement", "go_statement"} or _mentions_testing(statement):
            return False
        return any(self._changes(inner) for inner in walk(statement))

    def _changes(self, node: Node) -> bool:
        if node.type in scopes.CHANGING:
            left = in_field(node, "left") or node
            return any(self._is_tracked(scopes.root_of(target)) for target in left.named_children)
        if node.type != "call_expression" or node.parent is None:
            return False
        function, given = in_field(node, "function"), listed(node, "arguments")
        if function is None or text_of(scopes.root_of(function)) in PRINTING:
            return False
        if node.parent.type == "expression_statement":
            return any(map(self._is_tracked, (scopes.root_of(function), *given)))
        pointed = (in_field(argument, "operand") for argument in given if text_of(argument).startswith("&"))
        return any(self._is_tracked(scopes.root_of(operand)) for operand in pointed if operand is not None)

    def _is_tracked(self, name: Node) -> bool:
        declared = scopes.declaration(name) if name.type == "identifier" else None
        return declared is not None and declared.key in self._used | self._assigned

    def _list(self, clause: Node) -> Node:
        """Return what a `range` goes over, if it can be indexed."""
        right, value = in_field(clause, "right"), _table(clause)
        kind = in_field(value, "type")
        if right is None or kind is None or kind.type not in LISTS:
            raise NotAlone(text_of(clause))
        return right

    def _row(self, clause: Node) -> list[str]:
        """Return what takes a table's middle row, in place of a loop: the ends are often trivial.

        Nothing, where all that is needed of it is written where it is needed.
        """
        right = self._list(clause)
        is_named = right.type == "identifier"
        rows = self.text(right) if is_named else "rows"
        middle = f"len({rows}) / 2"
        values = [middle, f"{rows}[{middle.replace(' ', '')}]"]
        lines = [
            f"{text_of(name)} := {value}"
            for index, (name, value) in enumerate(zip(scopes.declared_names(clause), values, strict=False))
            if (clause.start_byte, index) in self._used
        ]
        return lines if is_named or not lines else [f"{rows} := {self.text(right)}", *lines]

    def _statement(self, node: Node) -> list[str]:
        names = scopes.declared_names(node)
        keys = [(node.start_byte, index) for index in range(len(names))]
        left = listed(node, "left")
        failing = [name for name in left if ERRORS.fullmatch(text_of(name)) and _is_call(node)]
        unread = [
            name
            for name, key in zip(names, keys, strict=True)
            if text_of(name) != "_" and key not in self._used and name not in failing
        ]
        # Go refuses names that nothing reads.
        blank = [name for name in unread if (node.start_byte, names.index(name)) not in self._assigned]
        blank = blank if node.type == "short_var_declaration" else []
        edits = [*self._edits, *((name, "_") for name in blank), *((left, LEFT) for left in self._left)]
        text = re.sub(rf"\n\s*{LEFT}(?=\n)", "", edited(node, edits))
        if blank and all(name in blank or text_of(name) == "_" for name in names):
            text = text.replace(":=", "=", 1)
        read = (
            []
            if node.type in {"const_declaration", "type_declaration"}
            else [name for name in unread if name not in blank]
        )
        return [
            text,
            *(f"_ = {text_of(name)}" for name in read),
            *(f"if {text_of(name)} != nil {{\n\t{BENCH}.Fatal({text_of(name)})\n}}" for name in failing),
        ]


def _table(clause: Node) -> Node | None:
    """Return what a `range` goes over, or the value of the variable that it goes over."""
    right = in_field(clause, "right")
    if right is None or right.type != "identifier":
        return right
    declared = scopes.declaration(right)
    return next(iter(declared.values[declared.single.place :]), None) if declared else None


def _checks(statement: Node) -> Iterator[Node]:
    """Yield the checks in functions inside a statement that use nothing which only these would read."""
    for literal in nodes(statement, "func_literal"):
        body = in_field(literal, "body")
        for inner in body.named_children[0].named_children if body and body.named_children else ():
            declared = filter(None, map(scopes.declaration, scopes.uses(inner)))
            own = any(body is not None and scopes.inside(each.node, body) for each in declared)
            if (
                inner.type in {"if_statement", "expression_statement"}
                and _mentions_testing(inner)
                and not own
            ):
                yield inner


def _is_call(statement: Node) -> bool:
    right = in_field(statement, "right")
    return right is not None and [child.type for child in right.named_children] == ["call_expression"]


def _is_assigned(use: Node) -> bool:
    """Tell whether a use only gives a name a new value."""
    holder = use.parent.parent if use.parent is not None else None
    is_assignment = holder is not None and holder.type == "assignment_statement"
    return is_assignment and holder is not None and use.parent == in_field(holder, "left")


def _mentions_testing(node: Node) -> bool:
    declarations = (scopes.declaration(use) for use in scopes.uses(node) if use.type == "identifier")
    return any(declared is not None and declared.is_testing for declared in declarations)


def guesses(path: str) -> set[str]:
    """Return the names that a package may have, by its import path."""
    parts = [part for part in path.split("/") if not re.fullmatch(r"v\d+", part)] or [path]
    name = re.sub(r"\.v\d+$", "", parts[-1])
    return {
        name,
        name.removeprefix("go-"),
        name.removesuffix("-go"),
        name.replace("-", ""),
        name.replace("-", "_"),
    }
