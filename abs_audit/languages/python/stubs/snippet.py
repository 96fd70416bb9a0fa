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
        if not isinstance(self.node, ast.Name | ast.Attribute):
            return None
        head, _, rest = dotted(self.node).partition(".")
        symbol = self.symbols.get(head)
        return Symbol(module=symbol.module, name=f"{symbol.name}.{rest}") if symbol and rest else symbol

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
    node = snippet.node
    if isinstance(node, ast.Attribute):
        holder = snippet.part(node.value).symbol
        return holder if holder in library.classes and is_enumeration(library, holder) else None
    if not isinstance(node, ast.Call):
        return None
    target = snippet.part(node.func).symbol
    if target in library.classes:
        return target
    if target is not None and library.node(target) is not None:
        return _returned(library, target, None)
    if not isinstance(node.func, ast.Attribute):
        return None
    # A method that is called on a class or an instance.
    called_on = snippet.part(node.func.value)
    holder = called_on.symbol if called_on.symbol in library.classes else class_of(library, called_on)
    owner = library.owner(holder, node.func.attr) if holder else None
    method = owner and Symbol(module=owner.module, name=f"{owner.name}.{node.func.attr}")
    return _returned(library, method, holder) if method else None


def is_enumeration(library: Library, symbol: Symbol) -> bool:
    """Tell whether a class is one of the standard library's enumerations."""
    ancestors = (ancestor for ancestor in library.lineage(symbol) if ancestor in library.classes)
    bases = (base for ancestor in ancestors for base in library.base_names(ancestor))
    return any(base.rpartition(".")[2] in {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"} for base in bases)


def annotation_names(node: ast.expr | None) -> str:
    """Return the dotted name that an annotation begins with; quotes are taken off."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.partition("[")[0].strip()
    return dotted(node) if node is not None else ""


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
