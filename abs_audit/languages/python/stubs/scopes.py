"""What names mean at a place in a test or benchmark: assignments, loops, parameters and fixtures."""

import ast
import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from abs_audit.languages.python.stubs.example_sources import Page
from abs_audit.languages.python.stubs.library import Function, is_decorated
from abs_audit.languages.python.toolchain.syntax import dotted

MOST_CHOICES = 24
"""Combinations of parameters of one test that are looked at."""
SETTING_UP = ("setup", "setUp", "setup_method", "__init__", "setup_class", "setUpClass")
# What binds names of its own, apart from those around it.
OWN_NAMES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
Bound = ast.expr | ast.stmt | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scope:
    """A place in a page: the functions and classes around it, outermost first."""

    page: Page
    chain: tuple[ast.AST, ...] = ()
    chosen: Mapping[str, ast.expr] = field(default_factory=dict)
    """Values of the parameters of the test, in the combination at hand."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Meaning:
    """What a name stands for: an expression or a definition, to be read in its own scope."""

    node: ast.expr | ast.stmt
    scope: Scope


class Scopes:
    """Looks names up across the pages of a checkout."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = pages
        self._bound: dict[ast.AST, dict[str, list[Bound]]] = {}

    def meaning(self, name: str, scope: Scope) -> Meaning | None:
        """Return what a name means in a scope, or None: an import, a builtin, or not to be seen."""
        while scope.chain:
            node = scope.chain[-1]
            if isinstance(node, Function):
                meaning = self._in_function(name, node, scope)
                if meaning is not None or name in _parameters(node):
                    return meaning
            scope = replace(scope, chain=scope.chain[:-1])
        return self._bound_once(name, scope.page.body, scope)

    def attribute(self, name: str, scope: Scope) -> Meaning | None:
        """Return what `self.name` means: set once in the class's body or in its set-up."""
        owner = next((node for node in reversed(scope.chain) if isinstance(node, ast.ClassDef)), None)
        if owner is None:
            return None
        inside = replace(scope, chain=scope.chain[: scope.chain.index(owner) + 1])
        for function in (node for node in owner.body if isinstance(node, Function)):
            if function.name in SETTING_UP:
                within = replace(inside, chain=(*inside.chain, function))
                bound_value = self._bound_once(f"self.{name}", function, within)
                if bound_value is not None:
                    return bound_value
        return self._bound_once(name, owner, inside)

    def _in_function(self, name: str, function: Function, scope: Scope) -> Meaning | None:
        if name not in _parameters(function):
            return self._bound_once(name, function, scope)
        if name in scope.chosen:
            return Meaning(node=scope.chosen[name], scope=Scope(page=scope.page, chosen=scope.chosen))
        fixture = self.fixture(name, scope.page)
        return _result(*fixture, scope.chosen) if fixture else None

    def _bound_once(self, name: str, node: ast.AST, scope: Scope) -> Meaning | None:
        """Return what binds a name, if only one statement of the scope does."""
        if node not in self._bound:
            self._bound[node] = defaultdict(list)
            for inner in scope_nodes(node):
                for bound, value in _bindings(inner):
                    self._bound[node][bound].append(value)
        values = self._bound[node].get(name, [])
        value = values[0] if len(values) == 1 else None
        return Meaning(node=value, scope=scope) if value is not None else None

    def fixture(self, name: str, page: Page) -> tuple[Page, Function] | None:
        """Return the fixture of that name which a test of the page would be given."""
        above = [page for page in self._pages if page.path.endswith("conftest.py")]
        near = sorted(
            (near_page for near_page in above if page.folder.is_relative_to(near_page.folder)),
            key=lambda page: -len(page.folder.parts),
        )
        for source in [page, *near]:
            for node in source.body.body:
                if isinstance(node, Function) and node.name == name and is_decorated(node, "fixture"):
                    return source, node
        return None

    def choices(self, chain: tuple[ast.AST, ...]) -> Iterator[dict[str, ast.expr]]:
        """Yield the combinations of parameters that a test is executed with; one empty one if it has none."""
        axes: list[list[dict[str, ast.expr]]] = []
        for node in chain:
            if isinstance(node, Function | ast.ClassDef):
                axes += [_rows(decorator) for decorator in node.decorator_list]
        combinations = itertools.product(*(axis for axis in axes if axis))
        for combination in itertools.islice(combinations, MOST_CHOICES):
            yield {name: value for row in combination for name, value in row.items()}


def _parameters(function: Function) -> list[str]:
    arguments = function.args
    return [parameter.arg for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _bindings(node: ast.AST) -> Iterator[tuple[str, Bound]]:
    """Yield the names that a node binds, with what to; None where it cannot be said."""
    match node:
        case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            yield node.name, node
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _matched(target, value)
        case ast.AnnAssign(target=target, value=value):
            yield from _matched(target, value)
        case (
            ast.For(target=target)
            | ast.AsyncFor(target=target)
            | ast.withitem(optional_vars=ast.expr() as target)
        ):
            yield from dict.fromkeys(_stored(target)).items()
        case ast.AugAssign(target=target) | ast.NamedExpr(target=target):
            yield dotted(target), None


def _matched(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[str, Bound]]:
    match target, value:
        case ast.Name() | ast.Attribute(), _:
            yield dotted(target), value
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            for inner, its in zip(targets, values, strict=True):
                yield from _matched(inner, its)
        case _:
            yield from ((name, None) for name in _stored(target))


def _stored(target: ast.expr) -> set[str]:
    return {dotted(node) for node in ast.walk(target) if isinstance(node, ast.Name | ast.Attribute)}


def scope_nodes(scope_node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, not those of scopes inside; comprehensions keep their own names."""
    waiting: list[ast.AST] = list(getattr(scope_node, "body", ()))
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, OWN_NAMES):
            waiting.extend(ast.iter_child_nodes(node))


def _result(page: Page, fixture: Function, chosen: Mapping[str, ast.expr]) -> Meaning | None:
    """Return what a fixture gives, if it is said in one place."""
    ends = (node for node in scope_nodes(fixture) if isinstance(node, ast.Return | ast.Yield))
    given = [node.value for node in ends if node.value is not None]
    scope = Scope(page=page, chain=(fixture,), chosen=chosen)
    return Meaning(node=given[0], scope=scope) if len(given) == 1 else None


def _rows(decorator: ast.expr) -> list[dict[str, ast.expr]]:
    """Return the rows of `@pytest.mark.parametrize`, longest first: they are the most telling."""
    if not isinstance(decorator, ast.Call) or not dotted(decorator).endswith("mark.parametrize"):
        return []
    by_name = [keyword.value for keyword in decorator.keywords if keyword.arg == "argvalues"]
    given = [*decorator.args, *by_name]
    if len(given) < 2 or not isinstance(given[1], ast.List | ast.Tuple):
        return []
    names = _names(given[0])
    rows = filter(None, (_row(names, _value(element)) for element in given[1].elts))
    return sorted(rows, key=lambda row: -sum(len(ast.unparse(value)) for value in row.values()))


def _row(names: Sequence[str], value: ast.expr) -> dict[str, ast.expr]:
    if len(names) == 1:
        return {names[0]: value}
    values = value.args if isinstance(value, ast.Call) else getattr(value, "elts", [])
    return dict(zip(names, map(_value, values), strict=True)) if len(values) == len(names) else {}


def _value(node: ast.expr) -> ast.expr:
    """Return the value inside `pytest.param(value, id=…)`."""
    if isinstance(node, ast.Call) and dotted(node).endswith("param") and len(node.args) == 1:
        return node.args[0]
    return node


def _names(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant):
        return [part.strip() for part in str(node.value).split(",") if part.strip()]
    return [str(element.value) for element in getattr(node, "elts", []) if isinstance(element, ast.Constant)]
