"""Puts probes into the bodies of one module."""
# ruff: noqa: N802 - libcst calls its hooks after its nodes

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import libcst as cst

from abs_audit.injectors.python import bodies
from abs_audit.injectors.python.generators import SuspensionRewriter
from abs_audit.injectors.python.names import ProbeNames, free_prefix
from abs_audit.injectors.python.outline import decorators, dotted, is_type_checking, local_name
from abs_audit.injectors.python.parsing import TOO_DEEP, UnreadableError, parsed

PROBE_MODULE = "_abs_audit_probe"
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A module whose methods carry probes."""

    text: str
    probed: frozenset[str]
    """Names inside the module, as `outline` gives them."""


# A command builds what it asks about several times.
@cache
def rewritten(text: str, module: str, wanted: frozenset[str]) -> Rewritten:
    """Give the wanted methods of a module probes; raise UnreadableError if it cannot be parsed."""
    tree = parsed(text)
    injection = _Injection(wanted, free_prefix(text))
    try:
        tree = tree.visit(injection)
        if not injection.numbers:
            return Rewritten(text=text, probed=frozenset())
        code = _registered(tree, module, injection).code
    except RecursionError as error:
        raise UnreadableError(TOO_DEEP) from error
    if text.startswith(_BOM):
        code = _BOM + code
    return Rewritten(text=code, probed=frozenset(injection.numbers))


def is_compilable(text: str) -> bool:
    """Tell whether this Python, which may be older than the subject's, accepts a module."""
    with warnings.catch_warnings(action="ignore"):
        try:
            compile(text.removeprefix(_BOM), "module", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
    return True


class _Injection(cst.CSTTransformer):
    """Keeps a stack of classes of its own: libcst's qualified names cost more than all the rest."""

    def __init__(self, wanted: frozenset[str], prefix: str) -> None:
        self.prefix = prefix
        self.numbers: dict[str, int] = {}
        self._wanted = wanted
        self._classes: list[str] = []
        self._inside = 0

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._classes.append(node.name.value)

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
        self._classes.pop()
        return updated_node

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> bool:
        return False

    def visit_If_body(self, node: cst.If) -> None:
        self._inside += is_type_checking(node)

    def leave_If_body(self, node: cst.If) -> None:
        self._inside -= is_type_checking(node)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        name = ".".join((*self._classes, local_name(original_node)))
        if self._inside or name not in self._wanted:
            return updated_node
        if bodies.why_unprobeable(original_node, decorators(original_node)):
            return updated_node
        names = ProbeNames.of(self.prefix, self.numbers.setdefault(name, len(self.numbers)))
        return probed(updated_node, names, listing=bodies.own_names_are_read(original_node))


def probed(function: cst.FunctionDef, names: ProbeNames, *, listing: bool) -> cst.FunctionDef:
    """Return the function with a probe in its body; `listing`: without a local name more."""
    docstring, rest, block = _split(function.body)
    if function.asynchronous or function.name.value == "__await__":
        names = replace(names, due=f"{names.site}.begin() and {names.due}")
    if bodies.suspends(function):
        rest = [changed for statement in rest for changed in _suspending(statement, names)]
    head = f"{names.tick} and {names.tick}() and {names.due}()"
    leave = f"if {names.tick}:\n    {names.site}.leave()"
    if not listing:
        head = f"{names.leaving} = {names.head()}"
        leave = f"if {names.leaving}:\n    {names.leaving}()"
    attempt = cst.Try(
        body=block.with_changes(body=rest, header=cst.TrailingWhitespace()),
        finalbody=cst.Finally(body=cst.IndentedBlock(body=[cst.parse_statement(leave)])),
    )
    body = block.with_changes(body=[*docstring, cst.parse_statement(head), attempt], footer=())
    return function.with_changes(body=body)


def _suspending(statement: cst.BaseStatement, names: ProbeNames) -> Iterable[cst.BaseStatement]:
    changed = statement.visit(SuspensionRewriter(names))
    assert not isinstance(changed, cst.RemovalSentinel)
    return changed if isinstance(changed, cst.FlattenSentinel) else (changed,)


def _split(body: cst.BaseSuite) -> tuple[list[cst.BaseStatement], list[cst.BaseStatement], cst.IndentedBlock]:
    """Return the docstring, the other statements, and the block that holds both."""
    block = bodies.indented(body)
    statements = _docstring_apart([*block.body])
    first = 1 if bodies.is_docstring(statements[0]) else 0
    return statements[:first], statements[first:], block


def _docstring_apart(statements: list[cst.BaseStatement]) -> list[cst.BaseStatement]:
    """Move a docstring that shares its line with other statements to a line of its own."""
    line = statements[0]
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) > 1 and bodies.is_docstring(line.body[0]):
        alone = line.with_changes(
            body=[line.body[0].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)],
            trailing_whitespace=cst.TrailingWhitespace(),
        )
        return [alone, line.with_changes(body=line.body[1:], leading_lines=()), *statements[1:]]
    return statements


def _registered(tree: cst.Module, module: str, injection: _Injection) -> cst.Module:
    """Register the sites before anything else executes, behind the docstring and `__future__`."""
    register = f"{injection.prefix}site"
    lines = [f"from {PROBE_MODULE} import site as {register}"]
    for name, number in injection.numbers.items():
        own = ProbeNames.of(injection.prefix, number)
        lines.append(f'{own.site} = {register}("{module}.{name}", globals(), "{own.tick}", "{own.due}")')
    body = list(tree.body)
    first = _first_executed(body)
    statements = [cst.parse_statement(line) for line in lines]
    return tree.with_changes(body=[*body[:first], *statements, *body[first:]])


def _first_executed(body: Sequence[cst.BaseStatement]) -> int:
    first = 1 if body and bodies.is_docstring(body[0]) else 0
    for index, statement in enumerate(body):
        if isinstance(statement, cst.SimpleStatementLine) and any(
            isinstance(small, cst.ImportFrom)
            and small.module is not None
            and dotted(small.module) == "__future__"
            for small in statement.body
        ):
            first = index + 1
    return first
