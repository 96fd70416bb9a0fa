"""Values for parameters of which nothing is known but their annotation."""

import ast
from collections.abc import Mapping, Sequence

from abs_audit.languages.drafting import complete
from abs_audit.languages.python.stubs.library import Library, Symbol
from abs_audit.languages.python.stubs.repeatability import define, required
from abs_audit.languages.python.stubs.snippet import (
    Import,
    Snippet,
    annotation_names,
    is_enumeration,
    merged,
    named,
)
from abs_audit.languages.python.toolchain.syntax import dotted
from abs_audit.tables import table

DEEPEST = 3
_VALUES = table("languages/python/stubs/values.toml")
PLAIN: Mapping[str, str] = _VALUES["plain"]
IMPORTED = {
    name: (module, text) for module, texts in _VALUES["imported"].items() for name, text in texts.items()
}
SEQUENCES = {"list", "List", "Sequence", "MutableSequence", "Iterable", "Collection", "Reversible", "Sized"}
TUPLES = {"tuple", "Tuple"}
SETS = {"set", "Set", "AbstractSet", "MutableSet", "frozenset", "FrozenSet"}
MAPPINGS = {"dict", "Dict", "Mapping", "MutableMapping"}
WRAPPERS = {"Final", "Annotated", "Required", "NotRequired", "ClassVar", "ReadOnly"}
PLAIN_BASES = {"object", "ABC", "Generic", "Mapping", "Sequence", "Hashable"}
GENERATED = {"dataclass", "define", "frozen", "mutable", "attrs", "s"}


class SampleValues:
    """Makes values up from annotations, and instances from constructors whose parameters can be made up."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def value(self, annotation: ast.expr | None, module: str, depth: int = 0) -> Snippet | None:
        """Return a value for an annotation of a module; None where none is trivially constructible."""
        node = _unquoted(annotation)
        if node is None or depth > DEEPEST:
            return None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._first([node.left, node.right], module, depth)
        return (self._subscripted if isinstance(node, ast.Subscript) else self._named)(node, module, depth)

    def _named(self, node: ast.expr, module: str, depth: int) -> Snippet | None:
        """Return a value for a plain type."""
        name = dotted(node).rpartition(".")[2] if not isinstance(node, ast.Constant) else str(node.value)
        if name in PLAIN:
            return _snippet(PLAIN[name])
        symbol = self._library.named(module, dotted(node))
        if symbol is not None:
            return self._of_library(symbol, depth)
        if name in IMPORTED:
            source, text = IMPORTED[name]
            return _snippet(text, Import(module=source, name=text.partition("(")[0]))
        text_annotation = ast.parse("str", mode="eval").body
        is_collection = name in SEQUENCES | SETS | MAPPINGS | TUPLES
        return self._collection(name, [text_annotation] * 2, module, depth) if is_collection else None

    def arguments(self, parameters: ast.arguments, module: str, depth: int = 0) -> list[Snippet] | None:
        """Return values for the parameters without default, in the order of `required`."""
        return complete(self.value(parameter.annotation, module, depth) for parameter in required(parameters))

    def instance(self, symbol: Symbol, depth: int = 0) -> Snippet | None:
        """Return an instance of a class of the library; None where its constructor asks for too much."""
        if is_enumeration(self._library, symbol):
            member = self._member(symbol)
            holder = named(self._library, symbol)
            node = ast.Attribute(value=holder.node, attr=member, ctx=ast.Load()) if member else None
            return holder.part(node) if node is not None else None
        parameters = self.constructor(symbol)
        if parameters is None or self.is_abstract(symbol):
            return None
        values = self.arguments(parameters, symbol.module, depth + 1)
        return None if values is None else call(named(self._library, symbol), parameters, values)

    def constructor(self, symbol: Symbol) -> ast.arguments | None:
        """Return the parameters of a class's constructor; None where they cannot be seen."""
        for method in ("__init__", "__new__"):
            owner = self._library.owner(symbol, method)
            definition = define(self._library, f"{owner.id}.{method}") if owner else None
            if definition is not None:
                return None if definition.refuses else definition.parameters
        fields = [field for name in reversed(self._library.lineage(symbol)) for field in self._fields(name)]
        if fields:
            return _keyword_only(fields)
        return _keyword_only([]) if self._is_plain(symbol) else None

    def is_abstract(self, symbol: Symbol) -> bool:
        """Tell whether a class leaves methods to its heirs."""
        lineage = [self._library.classes[ancestor] for ancestor in self._library.lineage(symbol)]
        if any(name.endswith("Protocol") for name in self._library.base_names(symbol)):
            return True
        defined: set[str] = set()
        for node in lineage:
            for statement in node.body:
                if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                    abstract = any("abstract" in dotted(decorator) for decorator in statement.decorator_list)
                    if abstract and statement.name not in defined:
                        return True
                    defined.add(statement.name)
        return False

    def _is_plain(self, symbol: Symbol) -> bool:
        """Tell whether no class outside the library has a say in the constructor."""
        lineage = self._library.lineage(symbol)
        bases = {name for ancestor in lineage for name in self._library.base_names(ancestor)}
        return {name.rpartition(".")[2] for name in bases} <= {
            symbol.name for symbol in lineage
        } | PLAIN_BASES

    def _fields(self, symbol: Symbol) -> list[tuple[ast.arg, ast.expr | None]]:
        """Return the fields of a class whose constructor a decorator or base class writes."""
        node = self._library.classes[symbol]
        written = {dotted(decorator).rpartition(".")[2] for decorator in node.decorator_list} & GENERATED
        bases = self._library.base_names(symbol)
        written |= {name for name in bases if name.endswith(("NamedTuple", "BaseModel", "Struct"))}
        if not written:
            return []
        return [
            (ast.arg(arg=statement.target.id.lstrip("_"), annotation=statement.annotation), statement.value)
            for statement in node.body
            if isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and "ClassVar" not in ast.unparse(statement.annotation)
        ]

    def _first(self, choices: Sequence[ast.expr], module: str, depth: int) -> Snippet | None:
        wanted = sorted(choices, key=lambda choice: annotation_names(choice) in {"", "None"})
        return next(filter(None, (self.value(annotation, module, depth) for annotation in wanted)), None)

    def _subscripted(self, node: ast.expr, module: str, depth: int) -> Snippet | None:
        assert isinstance(node, ast.Subscript)
        name = dotted(node.value).rpartition(".")[2]
        inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if not inner:
            return _snippet("()") if name in TUPLES else None
        if name in {"Optional", "Union"}:
            return self._first(inner, module, depth)
        if name == "Literal":
            return _snippet(ast.unparse(inner[0]))
        if name in WRAPPERS:
            return self.value(inner[0], module, depth)
        if name in SEQUENCES | SETS | MAPPINGS | TUPLES:
            return self._collection(name, inner, module, depth)
        return self.value(node.value, module, depth)

    def _collection(self, name: str, inner: list[ast.expr], module: str, depth: int) -> Snippet | None:
        """Return a small collection of made-up elements."""
        if name in TUPLES and isinstance(inner[-1], ast.Constant) and inner[-1].value is Ellipsis:
            inner = inner[:1] * 3
        wanted = inner if name in TUPLES else inner[: 2 if name in MAPPINGS else 1]
        whole = complete(self.value(annotation, module, depth + 1) for annotation in wanted)
        if whole is None or (name in MAPPINGS and len(whole) < 2):
            return None
        texts = [part.text for part in whole]
        if name in MAPPINGS:
            text = f"{{{texts[0]}: {texts[1]}}}"
        elif name in TUPLES:
            text = f"({', '.join(texts)},)"
        else:
            text = f"{{{texts[0]}}}" if name in SETS else f"[{', '.join(texts * 3)}]"
        if name.lower() == "frozenset":
            text = f"frozenset({text})"
        return merged(ast.parse(text, mode="eval").body, whole)

    def _of_library(self, symbol: Symbol, depth: int) -> Snippet | None:
        if symbol in self._library.classes:
            return self.instance(symbol, depth + 1)
        node = self._library.node(symbol)
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if isinstance(value, ast.Call) and dotted(value.func).endswith("TypeVar"):
            return _snippet(PLAIN["str"])
        if isinstance(value, ast.Call) and dotted(value.func).endswith("NewType") and len(value.args) == 2:
            return self.value(value.args[1], symbol.module, depth + 1)
        # An alias of a type.
        return self.value(value, symbol.module, depth + 1)

    def _member(self, symbol: Symbol) -> str:
        body = self._library.classes[symbol].body
        names = [dotted(statement.targets[0]) for statement in body if isinstance(statement, ast.Assign)]
        return next((name for name in names if name and not name.startswith("_")), "")


def call(function: Snippet, parameters: ast.arguments, values: Sequence[Snippet]) -> Snippet:
    """Return a call with values for the parameters without default."""
    keyword_only = {parameter.arg for parameter in parameters.kwonlyargs}
    pairs = list(zip(required(parameters), values, strict=True))
    node = ast.Call(
        func=function.node,
        args=[value.node for parameter, value in pairs if parameter.arg not in keyword_only],
        keywords=[
            ast.keyword(arg=parameter.arg, value=value.node)
            for parameter, value in pairs
            if parameter.arg in keyword_only
        ],
    )
    return merged(node, [function, *values])


def _snippet(text: str, *lines: Import) -> Snippet:
    return Snippet(node=ast.parse(text, mode="eval").body, imports=frozenset(lines))


def _unquoted(node: ast.expr | None) -> ast.expr | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return ast.parse(node.value, mode="eval").body
        except SyntaxError:
            return None
    return node


def _keyword_only(fields: Sequence[tuple[ast.arg, ast.expr | None]]) -> ast.arguments:
    """Return parameters that are given by name, as generated constructors allow."""
    return ast.arguments(
        posonlyargs=[],
        args=[],
        kwonlyargs=[field for field, _ in fields],
        kw_defaults=[default for _, default in fields],
        defaults=[],
    )
