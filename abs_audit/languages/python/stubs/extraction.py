"""Makes an expression stand alone: replaces names by what they mean, and collects what has to be imported."""

import ast
import builtins
import copy
import sys
from typing import Any, TypeVar, cast

from abs_audit.languages.python.stubs.library import Function, Library, Symbol
from abs_audit.languages.python.stubs.scopes import OWN_NAMES, Meaning, Scope, Scopes, scope_nodes
from abs_audit.languages.python.stubs.snippet import Import, Snippet, named
from abs_audit.languages.python.toolchain.syntax import dotted

Node = TypeVar("Node", bound=ast.AST)
DEEPEST = 12
LARGEST = 1500
"""Characters of an expression that is still worth showing in a benchmark."""
LONGEST_DEFINITION = 60
"""Lines of a class or function that a benchmark may carry along."""
BUILTINS = frozenset(dir(builtins)) - {"input", "open", "print", "exec", "eval", "exit", "quit"}
# Values that exist only while a test or a process runs.
MOMENTARY = {"pytest", "unittest", "hypothesis", "tempfile", "sys", "os", "socket", "subprocess", "threading"}


class OpenError(Exception):
    """An expression needs something that cannot be taken along."""


class Extraction:
    """Makes expressions of a checkout's pages stand alone."""

    def __init__(self, library: Library, scopes: Scopes, third_party: frozenset[str]) -> None:
        self.library = library
        self.scopes = scopes
        self.available = third_party | (sys.stdlib_module_names - MOMENTARY)
        """Packages of somebody else that will be there when the benchmark runs."""

    def closed(self, node: ast.expr, scope: Scope) -> Snippet | None:
        """Return an expression that stands alone; None if it needs what cannot be taken along."""
        closer = _Closer(self, scope)
        try:
            closed_node = closer.visit(copy.deepcopy(node))
            text = ast.unparse(closed_node)
        # Before Python 3.12 not every f-string can be written down again.
        except (OpenError, RecursionError, ValueError):
            return None
        if len(text) > LARGEST:
            return None
        return Snippet(
            node=closed_node,
            imports=frozenset(closer.imports),
            definitions=tuple(closer.definitions.values()),
            symbols=dict(closer.symbols),
        )


class _Closer(ast.NodeTransformer):
    def __init__(self, extraction: Extraction, scope: Scope) -> None:
        self.imports: set[Import] = set()
        self.definitions: dict[int, ast.stmt] = {}
        self.symbols: dict[str, Symbol] = {}
        self._extraction = extraction
        self._scope = scope
        self._own: frozenset[str] = frozenset()
        """Names that the expression itself binds."""
        self._depth = 0

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not isinstance(node.ctx, ast.Load) or node.id in self._own:
            return node
        meaning = self._extraction.scopes.meaning(node.id, self._scope)
        if meaning is not None:
            return self._replacement(node, meaning)
        return self._from_outside(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        name = dotted(node) if isinstance(node.value, ast.Name | ast.Attribute) else ""
        if name.partition(".")[0] in self._own:
            return node
        if name.startswith("self.") and name.count(".") == 1:
            meaning = self._extraction.scopes.attribute(node.attr, self._scope)
            if meaning is None or isinstance(meaning.node, ast.stmt):
                raise OpenError(name)
            return self._within(meaning.scope, meaning.node)
        symbol = self._library_symbol(name) if name else None
        if symbol is not None:
            return self._imported(symbol)
        self.generic_visit(node)
        return node

    def visit(self, node: ast.AST) -> Any:
        """Replace names in a node; raise OpenError where it needs the place where it stands."""
        if isinstance(node, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr):
            raise OpenError(ast.unparse(node))
        return self._with_own(node, _bound_in(node)) if isinstance(node, OWN_NAMES) else super().visit(node)

    def _with_own(self, node: ast.AST, names: set[str]) -> ast.AST:
        before, self._own = self._own, self._own | names
        self.generic_visit(node)
        self._own = before
        return node

    def _within(self, scope: Scope, node: Node, own: frozenset[str] = frozenset()) -> Node:
        """Close what stands in another scope, for use in this one; `own`: names that it binds itself."""
        if self._depth > DEEPEST:
            raise OpenError("too deep")
        before = self._scope, self._own, self._depth
        self._scope, self._own, self._depth = scope, own, self._depth + 1
        visited = self.visit(copy.deepcopy(node))
        self._scope, self._own, self._depth = before
        return cast("Node", visited)

    def _replacement(self, node: ast.Name, meaning: Meaning) -> ast.expr:
        if isinstance(meaning.node, ast.expr):
            return self._within(meaning.scope, meaning.node)
        if id(meaning.node) not in self.definitions:
            self._carry(meaning.node, meaning.scope)
        return node

    def _carry(self, statement: ast.stmt, scope: Scope) -> None:
        """Take a class or function along, with what it needs."""
        if not isinstance(statement, ast.ClassDef | ast.FunctionDef):
            raise OpenError("not a definition")
        if (statement.end_lineno or statement.lineno) - statement.lineno > LONGEST_DEFINITION:
            raise OpenError("too long a definition")
        carried = self._within(scope, statement, frozenset({statement.name}))
        if scope.page.bound.get("annotations", ("",))[0] == "__future__":
            self.imports.add(Import(module="__future__", name="annotations"))
        self.definitions[id(statement)] = carried

    def _from_outside(self, node: ast.Name) -> ast.expr:
        page = self._scope.page
        if node.id in page.bound:
            return self._from_import(node, *page.bound[node.id])
        if node.id in BUILTINS:
            return node
        symbol = self._extraction.library.named(page.module, node.id)
        if symbol is None:
            raise OpenError(node.id)
        return self._imported(symbol)

    def _from_import(self, node: ast.Name, module: str, name: str) -> ast.expr:
        extraction = self._extraction
        if extraction.library.is_own(module):
            symbol = extraction.library.absolute(f"{module}.{name}") if name else None
            if symbol is not None:
                return self._imported(symbol)
        elif module.partition(".")[0] not in extraction.available:
            raise OpenError(f"{module}.{name}")
        self.imports.add(Import(module=module, name=name, alias=_alias(node.id, module, name)))
        return node

    def _library_symbol(self, name: str) -> Symbol | None:
        """Return what `module.Name` names, where `module` is one of the library's."""
        head, _, rest = name.partition(".")
        page = self._scope.page
        if head in self._own or head not in page.bound:
            return None
        module, original = page.bound[head]
        full = ".".join(filter(None, (module, original, rest)))
        library = self._extraction.library
        inside = original and library.symbol(module, original) is not None
        return library.absolute(full) if library.is_own(module) and not inside else None

    def _imported(self, symbol: Symbol) -> ast.expr:
        if symbol.is_private:
            raise OpenError(symbol.name)
        snippet = named(self._extraction.library, symbol)
        self.imports |= snippet.imports
        self.symbols |= snippet.symbols
        return snippet.node


def _bound_in(scope: ast.AST) -> set[str]:
    """Return the names that a class, function, lambda or comprehension binds itself."""
    is_block = isinstance(scope, Function | ast.ClassDef)
    parameters = ast.walk(scope.args) if isinstance(scope, Function | ast.Lambda) else ()
    names = {node.arg for node in parameters if isinstance(node, ast.arg)}
    for node in scope_nodes(scope) if is_block else ast.walk(scope):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, Function | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {name.asname or name.name.partition(".")[0] for name in node.names}
    return names


def _alias(bound: str, module: str, name: str) -> str:
    natural = name or module.partition(".")[0]
    return "" if bound == natural else bound
