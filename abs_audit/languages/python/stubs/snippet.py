"""Pieces of Python source that stand alone: an expression with all that it needs."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from abs_audit.languages.python.stubs.library import Library, Symbol
from abs_audit.languages.python.toolchain.syntax import dotted


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Import:
    """One imported name; an empty `name` imports the module itself."""

    module: str
    name: str
    alias: str = ""

    @property
    def bound(self) -> str:
        """Return the name that the import binds."""
        return self.alias or self.name or self.module.partition(".")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """An expression whose names are builtins, imported, or defined by what it carries."""

    node: ast.expr
    imports: frozenset[Import] = frozenset()
    definitions: tuple[ast.stmt, ...] = ()
    """Classes and functions that it needs, in an order in which they can be defined."""
    symbols: Mapping[str, Symbol] = field(default_factory=dict)
    """Names that come from the library."""

    @property
    def text(self) -> str:
        """Return the expression as source."""
        return ast.unparse(self.node)

    @property
    def symbol(self) -> Symbol | None:
        """Return what of the library it names, if it is nothing but a name."""
        return symbol_of(self.node, self.symbols)

    def part(self, node: ast.expr) -> "Snippet":
        """Return a part of the expression with the same needs."""
        return replace(self, node=node)


def named(library: Library, symbol: Symbol) -> Snippet:
    """Return the expression that names something of the library as its users do."""
    top = symbol.name.partition(".")[0]
    return Snippet(
        node=ast.parse(symbol.name, mode="eval").body,
        imports=frozenset({Import(module=library.home(symbol), name=top)}),
        symbols={top: Symbol(module=symbol.module, name=top)},
    )


def merged(node: ast.expr, parts: Sequence[Snippet]) -> Snippet:
    """Return an expression made of parts, with all that these need."""
    definitions = {ast.dump(definition): definition for part in parts for definition in part.definitions}
    return Snippet(
        node=node,
        imports=frozenset[Import]().union(*(part.imports for part in parts)),
        definitions=tuple(definitions.values()),
        symbols={name: symbol for part in parts for name, symbol in part.symbols.items()},
    )


def class_of(library: Library, snippet: Snippet) -> Symbol | None:
    """Return the library's class whose instance an expression is, as far as the sources tell."""
    return _class_of(library, snippet.node, snippet.symbols)


def _class_of(library: Library, node: ast.expr, symbols: Mapping[str, Symbol]) -> Symbol | None:
    if isinstance(node, ast.Attribute):
        holder = symbol_of(node.value, symbols)
        return holder if holder in library.classes and is_enumeration(library, holder) else None
    if not isinstance(node, ast.Call):
        return None
    target = symbol_of(node.func, symbols)
    if target in library.classes:
        return target
    if target is not None and library.node(target) is not None:
        return _returned(library, target, None)
    return _of_method(library, node.func, symbols) if isinstance(node.func, ast.Attribute) else None


def _of_method(library: Library, function: ast.Attribute, symbols: Mapping[str, Symbol]) -> Symbol | None:
    """Return what a method says it returns that is called on a class or an instance."""
    holder = symbol_of(function.value, symbols)
    if holder not in library.classes:
        holder = _class_of(library, function.value, symbols)
    owner = library.owner(holder, function.attr) if holder else None
    method = owner and Symbol(module=owner.module, name=f"{owner.name}.{function.attr}")
    return _returned(library, method, holder) if method else None


def is_enumeration(library: Library, symbol: Symbol) -> bool:
    """Tell whether a class is one of the standard library's enumerations."""
    bases = [
        dotted(base)
        for ancestor in library.lineage(symbol)
        if ancestor in library.classes
        for base in library.classes[ancestor].bases
    ]
    return any(base.rpartition(".")[2] in {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"} for base in bases)


def annotation_names(node: ast.expr | None) -> str:
    """Return the dotted name that an annotation begins with; quotes are taken off."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.partition("[")[0].strip()
    return dotted(node) if node is not None else ""


def symbol_of(node: ast.expr, symbols: Mapping[str, Symbol]) -> Symbol | None:
    """Return what of the library a plain dotted name names; None for any other expression."""
    head, _, rest = (
        dotted(node).partition(".") if isinstance(node, ast.Name | ast.Attribute) else ("", "", "")
    )
    symbol = symbols.get(head)
    return Symbol(module=symbol.module, name=f"{symbol.name}.{rest}") if symbol and rest else symbol


def _returned(library: Library, function: Symbol, holder: Symbol | None) -> Symbol | None:
    """Return the class that a function or method of the library says it returns."""
    node = library.node(function)
    if not isinstance(node, ast.FunctionDef):
        return None
    name = annotation_names(node.returns)
    if holder is not None and name.rpartition(".")[2] == "Self":
        return holder
    symbol = library.named(function.module, name) if name else None
    return symbol if symbol in library.classes else None
