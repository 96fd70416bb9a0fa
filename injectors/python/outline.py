"""What one module defines, as far as its text shows: functions, methods and names passed on."""
# ruff: noqa: N802, N815 - libcst calls its hooks after its nodes

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import libcst as cst
from libcst.helpers import get_full_name_for_node
from libcst.metadata import MetadataWrapper, PositionProvider

from abs_audit.injectors.python import later
from abs_audit.injectors.python.bodies import why_unprobeable
from abs_audit.injectors.python.parsing import parsed
from abs_audit.languages.python.toolchain.syntax import parsed as ast_of

_GENERATING = frozenset({"dataclass", "define", "frozen", "mutable", "attrs", "attr.s"})
_GENERATED = ("__init__", "__eq__", "__repr__")
"""What each of these decorators writes."""
_ACCESSORS = frozenset({"setter", "deleter"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A function or method; several may share a name."""

    name: str
    """Inside its module: `Class.method`, `Class.property.setter`."""
    line: int
    reason: str
    """Why it cannot carry a probe; empty if it can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """A name that `from module import name as bound` brings in; `*` for all.

    Without a module it is one of the module itself, as by `bound = name`.
    """

    module: str
    level: int
    name: str
    bound: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What a module defines and passes on."""

    definitions: tuple[Definition, ...]
    top_level: frozenset[str]
    """Names of the functions and classes that it defines at its top level."""
    imports: tuple[Import, ...]
    exported: frozenset[str] | None
    """What `__all__` says; None where it is absent or computed."""


@cache
def outline(text: str) -> Outline:
    """Read a module; raise UnreadableError where it cannot be parsed."""
    module = parsed(text)
    # Asking libcst takes twice as long as parsing: it is asked only for what is too new for this Python.
    tree = ast_of(text.removeprefix("\ufeff"))
    lines = _lines_of_functions(tree) if tree is not None else _lines_by_libcst(module)
    reader = _Reader(lines, later.handing_over(tree) if tree is not None else frozenset())
    module.visit(reader)
    return Outline(
        definitions=tuple(reader.definitions),
        top_level=frozenset(reader.top_level),
        imports=tuple(reader.imports),
        exported=reader.exported,
    )


def dotted(node: cst.CSTNode) -> str:
    """Return the dotted name of a decorator or base class, arguments left out; empty if it has none."""
    return get_full_name_for_node(node) or ""


def decorators(function: cst.FunctionDef) -> list[str]:
    """Return the dotted names of a function's decorators."""
    return list(map(dotted, function.decorators))


def local_name(function: cst.FunctionDef) -> str:
    """Return the function's own name, with the accessor for a property's setter or deleter."""
    for decorator in function.decorators:
        accessor = dotted(decorator).rpartition(".")[2]
        if accessor in _ACCESSORS and isinstance(decorator.decorator, cst.Attribute):
            return f"{function.name.value}.{accessor}"
    return function.name.value


def is_type_checking(node: cst.If) -> bool:
    """Tell whether a condition is true for type checkers only."""
    return dotted(node.test).rpartition(".")[2] == "TYPE_CHECKING"


class _Reader(cst.CSTVisitor):
    def __init__(self, lines: Sequence[int], handing_over: frozenset[int]) -> None:
        self.definitions: list[Definition] = []
        self.top_level: set[str] = set()
        self.imports: list[Import] = []
        self.exported: frozenset[str] | None = None
        self._lines = iter(lines)
        self._handing_over = handing_over
        self._classes: list[str] = []
        self._inside = 0
        """Functions and type-checking blocks around the current node; nothing in them is API."""

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        if not self._inside and not self._classes:
            self.top_level.add(node.name.value)
        self._classes.append(node.name.value)

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        if not self._inside:
            self._add_generated(original_node)
        self._classes.pop()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        line = next(self._lines)
        if not self._inside:
            reason = why_unprobeable(node, decorators(node))
            reason = reason or (later.REASON if line in self._handing_over else "")
            self._add(local_name(node), line, reason)
        self._inside += 1

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._inside -= 1

    def visit_If_body(self, node: cst.If) -> None:
        self._inside += is_type_checking(node)

    def leave_If_body(self, node: cst.If) -> None:
        self._inside -= is_type_checking(node)

    def visit_SimpleStatementLine(self, node: cst.CSTNode) -> bool:
        return not self._inside

    visit_SimpleStatementSuite = visit_SimpleStatementLine

    def visit_Assign(self, node: cst.Assign) -> bool:
        for target in node.targets:
            if isinstance(target.target, cst.Name):
                self._add_assigned(target.target.value, node.value)
        return False

    def visit_AnnAssign(self, node: cst.AnnAssign) -> bool:
        if isinstance(node.target, cst.Name) and node.value is not None:
            self._add_assigned(node.target.value, node.value)
        return False

    def visit_AugAssign(self, node: cst.AugAssign) -> bool:
        if not self._classes and isinstance(node.target, cst.Name) and node.target.value == "__all__":
            more = _strings(node.value)
            both = more is not None and self.exported is not None
            self.exported = (self.exported or frozenset()) | (more or frozenset()) if both else None
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        if not self._classes:
            self.imports.extend(_imported(node))
        return False

    def _add(self, name: str, line: int, reason: str) -> None:
        if not self._classes:
            self.top_level.add(name)
        self.definitions.append(Definition(name=".".join((*self._classes, name)), line=line, reason=reason))

    def _add_assigned(self, name: str, value: cst.BaseExpression) -> None:
        if isinstance(value, cst.Lambda):
            self._add(name, 0, "a lambda has no body that could carry a probe: write it as a function")
        elif name == "__all__" and not self._classes:
            self.exported = _strings(value)
        elif isinstance(value, cst.Name) and not self._classes:
            self.imports.append(Import(module="", level=0, name=value.value, bound=name))

    def _add_generated(self, node: cst.ClassDef) -> None:
        prefix = ".".join(self._classes)
        defined = {definition.name for definition in self.definitions}
        for name, origin in _generated(node):
            if f"{prefix}.{name}" not in defined:
                reason = f"generated by {origin}: the sources do not hold its body"
                self.definitions.append(Definition(name=f"{prefix}.{name}", line=0, reason=reason))


def _generated(node: cst.ClassDef) -> Iterator[tuple[str, str]]:
    """Return the methods that a decorator or base class writes, with what writes them."""
    for decorator in node.decorators:
        name = dotted(decorator)
        if name != "attr.s":
            name = name.rpartition(".")[2]
        switched_off = _switched_off(decorator.decorator)
        for method in _GENERATED if name in _GENERATING else ():
            if method.strip("_") not in switched_off:
                yield method, f"@{name}"
    if any(dotted(base.value).rpartition(".")[2] == "NamedTuple" for base in node.bases):
        yield "__new__", "NamedTuple"


def _switched_off(decorator: cst.BaseExpression) -> set[str]:
    arguments = decorator.args if isinstance(decorator, cst.Call) else ()
    return {
        argument.keyword.value
        for argument in arguments
        if argument.keyword is not None and dotted(argument.value) == "False"
    }


def _strings(node: cst.BaseExpression) -> frozenset[str] | None:
    if not isinstance(node, cst.List | cst.Tuple | cst.Set):
        return None
    values = [element.value for element in node.elements]
    if not all(isinstance(value, cst.SimpleString) for value in values):
        return None
    return frozenset(str(value.evaluated_value) for value in values if isinstance(value, cst.SimpleString))


def _imported(node: cst.ImportFrom) -> Iterable[Import]:
    module = dotted(node.module) if node.module is not None else ""
    level = len(node.relative)
    if isinstance(node.names, cst.ImportStar):
        return [Import(module=module, level=level, name="*", bound="*")]
    return [
        Import(
            module=module,
            level=level,
            name=dotted(alias.name),
            bound=dotted(alias.asname.name)
            if alias.asname is not None and isinstance(alias.asname.name, cst.Name)
            else dotted(alias.name),
        )
        for alias in node.names
    ]


def _lines_of_functions(tree: ast.Module) -> Sequence[int]:
    """Return the line of each `def`, in the order of the text."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return sorted(node.lineno for node in ast.walk(tree) if isinstance(node, kinds))


def _lines_by_libcst(module: cst.Module) -> Sequence[int]:
    positions = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    functions = (node for node in positions if isinstance(node, cst.FunctionDef))
    return sorted(positions[function.name].start.line for function in functions)
