"""The audited library as its sources show it: where names are defined, and where users import them from."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from abs_audit.grouping import grouped, reached
from abs_audit.languages.python.toolchain.layout import LibraryModule, library_modules
from abs_audit.languages.python.toolchain.syntax import dotted, parsed
from abs_audit.model.subject import SourceTree

LONGEST_CHAIN = 8
"""Imports of imports that are followed before giving up."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Symbol:
    """A top-level name of a module, or something inside it: `Class`, `Class.Inner`."""

    module: str
    name: str

    @property
    def id(self) -> str:
        """Return the name as method ids begin."""
        return f"{self.module}.{self.name}"

    @property
    def is_private(self) -> bool:
        """Tell whether its name begins with one underscore."""
        return any(part.startswith("_") and not part.endswith("__") for part in self.name.split("."))


@dataclass(frozen=True, slots=True, kw_only=True)
class Module(LibraryModule):
    """A parsed file of the library."""

    body: ast.Module
    bound: Mapping[str, tuple[str, str]]
    """Imported names → module and name there; an empty name where a module itself is bound."""
    tops: Mapping[str, ast.stmt]
    """Names defined at the top, each with the statement that does so."""
    typing_only: frozenset[str]
    """Imported names that only type checkers see."""


class Library:
    """Answers questions about the library's names; parses a file when it is first asked about it."""

    def __init__(self, tree: SourceTree, imported: Iterable[str] = ()) -> None:
        """Make ready what is asked; `imported`: the modules that the suite's benchmarks import from."""
        self._tree = tree
        self._files = library_modules(tree)
        self._modules: dict[str, Module | None] = {}
        self._homes: dict[Symbol, str] = {}
        self._packages = {
            package for name in self._files for package in accumulate(name.split("."), "{}.{}".format)
        }
        self._imported = frozenset(filter(self.is_own, imported))
        self._imported_families = {_family(module) for module in self._imported}

    def module(self, name: str) -> Module | None:
        """Return a module by its dotted name; None if the library has none, or it does not parse."""
        if name not in self._modules:
            file = self._files.get(name)
            self._modules[name] = _parsed(file, self._tree[file.path]) if file is not None else None
        return self._modules[name]

    @property
    def modules(self) -> Iterator[Module]:
        """Yield every module that parses."""
        return (module for name in self._files if (module := self.module(name)) is not None)

    @cached_property
    def families(self) -> frozenset[str]:
        """Return the names that the library's modules begin with."""
        return frozenset(map(_family, self._packages))

    def is_own(self, module: str) -> bool:
        """Tell whether an import names something of the library."""
        return module in self._packages

    def place(self, identifier: str) -> tuple[Module, tuple[str, ...]] | None:
        """Split an id into its module and the names inside; the longest module wins."""
        parts = identifier.split(".")
        for count in range(len(parts) - 1, 0, -1):
            module = self.module(".".join(parts[:count]))
            if module is not None:
                return module, tuple(parts[count:])
        return None

    def symbol(self, module: str, name: str, depth: int = 0) -> Symbol | None:
        """Return where a module's top-level name is defined, through imports; None if elsewhere."""
        defining = self.module(module)
        if defining is None or depth > LONGEST_CHAIN:
            return None
        if name in defining.tops:
            return Symbol(module=module, name=name)
        if name in defining.bound and defining.bound[name][1]:
            source, original = defining.bound[name]
            return self.symbol(source, original, depth + 1)
        passed = (self.passed(source, name, depth + 1) for source in starred(defining.bound))
        return next(filter(None, passed), None)

    def passed(self, source: str, name: str, depth: int = 0) -> Symbol | None:
        """Return where what `from source import *` binds to a name is defined; None: it binds nothing."""
        return self.symbol(source, name, depth) if self._is_passed(source, name) else None

    def _is_passed(self, source: str, name: str) -> bool:
        """Tell whether `from source import *` binds a name, as far as `__all__` can be read."""
        module = self.module(source)
        told = getattr(module.tops.get("__all__"), "value", None) if module else None
        if not isinstance(told, ast.List | ast.Tuple):
            return not name.startswith("_")
        # A list that is put together of others holds more than can be read.
        return any(getattr(each, "value", name) == name for each in told.elts)

    def node(self, symbol: Symbol) -> ast.stmt | None:
        """Return the class, function or assignment that a symbol names."""
        module = self.module(symbol.module)
        head, *rest = symbol.name.split(".")
        current = module.tops.get(head) if module else None
        for part in rest:
            current = _tops(current).get(part) if isinstance(current, ast.ClassDef) else None
        return current

    def home(self, symbol: Symbol) -> str:
        """Return the module to import a symbol from: a public one, if there is, as the suite's benchmarks do.

        Else the package's own `__init__` is preferred over the defining module: that is what users write.
        """
        if symbol not in self._homes:
            passing = self._passing_on(Symbol(module=symbol.module, name=symbol.name.partition(".")[0]))
            self._homes[symbol] = min([symbol.module, *passing], key=self._rank)
        return self._homes[symbol]

    def _rank(self, name: str) -> tuple[bool, bool, bool, int, str]:
        private = not self._files[name].is_public
        foreign = bool(self._imported_families) and _family(name) not in self._imported_families
        return private, foreign, name not in self._imported, name.count("."), name

    def _passing_on(self, top: Symbol) -> Iterator[str]:
        """Yield public packages that pass a name on; modules, too, where users import no own one."""
        families = {_family(top.module), *self._imported_families}
        hidden = not self._files[top.module].is_public or self._rank(top.module)[1]
        for name, file in self._files.items():
            related = file.is_public and (file.is_package or hidden) and _family(name) in families
            source = self.module(name) if related else None
            stars = source is not None and starred(source.bound)
            if source is not None and (stars or top.name in source.bound.keys() - source.typing_only):
                yield from [name] if self.symbol(name, top.name) == top else []

    @cached_property
    def classes(self) -> dict[Symbol, ast.ClassDef]:
        """Return every class of the library, nested ones included."""
        return {
            Symbol(module=module.name, name=name): node
            for module in self.modules
            for name, node in _classes(module.body, "")
        }

    def base_names(self, symbol: Symbol) -> list[str]:
        """Return the dotted names of what a class of the library extends."""
        return [dotted(base) for base in self.classes[symbol].bases]

    @cached_property
    def _bases(self) -> dict[Symbol, list[Symbol]]:
        """Return, for each class, the base classes that are the library's own.

        What a class is derived from may be another name for something else, such as `dict[str, int]`.
        """
        return {
            symbol: [
                base
                for name in self.base_names(symbol)
                if (base := self.named(symbol.module, name)) in self.classes
            ]
            for symbol in self.classes
        }

    def named(self, module: str, name: str) -> Symbol | None:
        """Return what a dotted name means inside a module of the library; None if it is not the library's."""
        head, _, rest = name.partition(".")
        owner = self.symbol(module, head)
        if owner is not None:
            return Symbol(module=owner.module, name=f"{owner.name}.{rest}") if rest else owner
        holder = self.module(module)
        if holder is None or head not in holder.bound or not rest:
            return None
        source, original = holder.bound[head]
        return self.absolute(f"{source}.{original}.{rest}" if original else f"{source}.{rest}")

    def absolute(self, name: str) -> Symbol | None:
        """Return the symbol that a full dotted path names, through re-exports."""
        placed = self.place(name)
        if placed is None or not placed[1]:
            return None
        module, (head, *rest) = placed
        owner = self.symbol(module.name, head)
        return owner and Symbol(module=owner.module, name=".".join([owner.name, *rest]))

    def lineage(self, symbol: Symbol) -> list[Symbol]:
        """Return a class and its ancestors in the library, nearest first."""
        return reached([symbol], lambda ancestor: self._bases.get(ancestor, ()))

    @cached_property
    def heirs(self) -> dict[Symbol, list[Symbol]]:
        """Class → the classes of the library that descend from it."""
        return grouped((ancestor, heir) for heir in self.classes for ancestor in self.lineage(heir)[1:])

    def owner(self, symbol: Symbol, method: str) -> Symbol | None:
        """Return the class whose body a method of `symbol` comes from; None if it is not the library's."""
        return next((entry for entry in self.lineage(symbol) if method in self._methods.get(entry, ())), None)

    @cached_property
    def _methods(self) -> dict[Symbol, frozenset[str]]:
        """Class → the names of the functions in its body."""
        return {
            symbol: frozenset(node.name for node in _statements(body) if isinstance(node, Function))
            for symbol, body in self.classes.items()
        }


def starred(bound: Mapping[str, tuple[str, str]]) -> list[str]:
    """Return the modules that are imported with a star, by what imports bind."""
    return [source for name, (source, _) in bound.items() if name.startswith("*")]


def _family(module: str) -> str:
    """Return the name that a module's begins with."""
    return module.partition(".")[0]


def functions(scope: ast.AST, name: str) -> list[Function]:
    """Return the functions of that name directly in a class or module, under conditions too."""
    return [node for node in _statements(scope) if isinstance(node, Function) and node.name == name]


def decorators(node: Function | ast.ClassDef) -> list[str]:
    """Return the dotted names of the decorators."""
    return [dotted(decorator) for decorator in node.decorator_list]


def is_decorated(node: Function | ast.ClassDef, name: str) -> bool:
    """Tell whether a decorator has that name, wherever it comes from."""
    return any(decorator.rpartition(".")[2] == name for decorator in decorators(node))


def imports(node: ast.Import | ast.ImportFrom, module: str, is_package: bool) -> dict[str, tuple[str, str]]:
    """Return the names that an import binds, each with its module and the name there."""
    if isinstance(node, ast.Import):
        pairs = ((alias.asname or alias.name.partition(".")[0], alias) for alias in node.names)
        return {
            bound: (alias.name if alias.asname else alias.name.partition(".")[0], "")
            for bound, alias in pairs
        }
    source = node.module or ""
    if node.level:
        parts = module.split(".")
        up = len(parts) - (node.level - 1 if is_package else node.level)
        source = ".".join([*parts[: max(up, 0)], *([node.module] if node.module else [])])
    return {
        (f"*{source}" if alias.name == "*" else alias.asname or alias.name): (source, alias.name)
        for alias in node.names
    }


def _parsed(file: LibraryModule, text: str) -> Module | None:
    body = parsed(text)
    if body is None:
        return None
    checks = (node for node in body.body if isinstance(node, ast.If) and "TYPE_CHECKING" in dotted(node.test))
    return Module(
        name=file.name,
        path=file.path,
        root=file.root,
        body=body,
        bound=_bound(_statements(body), file),
        tops=_tops(body),
        typing_only=frozenset(key for node in checks for key in _bound(node.body, file)),
    )


def _bound(statements: Iterable[ast.stmt], file: LibraryModule) -> dict[str, tuple[str, str]]:
    lines = (node for node in statements if isinstance(node, ast.Import | ast.ImportFrom))
    return dict(pair for node in lines for pair in imports(node, file.name, file.is_package).items())


def _statements(scope: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements of a scope, those under conditions and `try` too, not those of inner scopes."""
    for name in ("body", "orelse", "handlers", "finalbody"):
        for child in getattr(scope, name, ()):
            if isinstance(child, ast.stmt):
                yield child
            if isinstance(child, ast.If | ast.Try | ast.With | ast.ExceptHandler):
                yield from _statements(child)


def _tops(scope: ast.Module | ast.ClassDef) -> dict[str, ast.stmt]:
    """Return what defines each name directly in a scope: the last one that is not a mere overload."""
    tops: dict[str, ast.stmt] = {}
    for node in _statements(scope):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if not is_decorated(node, "overload"):
                tops[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            tops.update((target.id, node) for target in targets if isinstance(target, ast.Name))
    return tops


def _classes(scope: ast.AST, prefix: str) -> Iterator[tuple[str, ast.ClassDef]]:
    for node in _statements(scope):
        if isinstance(node, ast.ClassDef):
            yield prefix + node.name, node
            yield from _classes(node, f"{prefix}{node.name}.")
