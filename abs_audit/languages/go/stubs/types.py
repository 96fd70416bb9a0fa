"""Which type of the project does a Go expression have? Others are not known."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from abs_audit.languages.go.stubs import scopes
from abs_audit.languages.go.toolchain.layout import Package, SourceFile
from abs_audit.languages.go.toolchain.outline import Function, descendants, type_name
from abs_audit.languages.go.toolchain.promotion import Holder, Promotion
from abs_audit.languages.syntax import children, in_field, listed, text_in, text_of

BUILT_IN = """_ any append bool byte cap clear close comparable complex complex128 complex64 copy delete error
false float32 float64 imag int int16 int32 int64 int8 iota len make max min new nil panic print println real
recover rune string true uint uint16 uint32 uint64 uint8 uintptr"""
UNIVERSE = frozenset(BUILT_IN.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The file in which a text means something."""

    package: Package
    file: SourceFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed(Site):
    """A function and the file that holds it."""

    function: Function


def free_functions(package: Package) -> Iterator[Placed]:
    """Yield the functions of a package that are no methods, and that are built here."""
    for file, function in package.free.values():
        yield Placed(package=package, file=file, function=function)


class Types:
    """Looks types up in the packages of a project."""

    def __init__(self, packages: Mapping[str, Package]) -> None:
        self.packages, self._promotion = packages, Promotion(packages)
        self._names: dict[str, frozenset[str]] = {}
        self._methods: dict[tuple[str, str, str], Placed | None] = {}

    def named(self, node: Node | None, site: Site) -> Holder | None:
        """Return the project's type that a type's text names, through pointers and aliases."""
        written = type_name(node)
        package = self._promotion.imported(site.package, site.file, written.qualifier)
        if package is None or written.name not in package.types:
            return None
        return self._promotion.resolved(Holder(package=package, name=written.name))

    def of(self, node: Node | None, site: Site) -> Holder | None:
        """Return the type of an expression."""
        if node is None:
            return None
        if node.type == "identifier":
            declared = scopes.declaration(node)
            return self.declared(declared, site) if declared is not None else None
        if node.type in {"composite_literal", "type_assertion_expression"}:
            return self.named(in_field(node, "type"), site)
        if node.type in scopes.CALLS:
            return self._called(node, site, 0)
        if node.type == "selector_expression":
            return self._field(node, site)
        if node.type in {"unary_expression", "parenthesized_expression"}:
            return self.of(in_field(node, "operand") or node.named_children[0], site)
        return None

    def method(self, holder: Holder, name: str) -> Placed | None:
        """Return the method that a call on a type ends in."""
        key = (holder.package.path, holder.name, name)
        if key not in self._methods:
            self._methods[key] = self._method(holder, name)
        return self._methods[key]

    def _method(self, holder: Holder, name: str) -> Placed | None:
        for file, function in holder.package.methods.get(holder.name, ()):
            if function.name == name and file.compiled:
                return Placed(package=holder.package, file=file, function=function)
        for member in self._promotion.promoted(holder.package, holder.name):
            if member.name == name and member.function is not None:
                return Placed(package=member.holder.package, file=member.file, function=member.function)
        return None

    def called(self, call: Node, site: Site) -> Placed | None:
        """Return the function or method of the project that a call ends in."""
        function = scopes.callee(call)
        if function is None:
            return None
        if function.type in {"identifier", "type_identifier"}:
            return None if scopes.declaration(function) else self.function(site.package, text_of(function))
        if function.type not in {"selector_expression", "qualified_type"}:
            return None
        operand = in_field(function, "operand", "package")
        name = text_in(function, "field", "name")
        if operand is None or (
            operand.type in {"identifier", "package_identifier"} and not scopes.declaration(operand)
        ):
            package = self._promotion.imported(site.package, site.file, text_of(operand))
            if package is not None:
                return self.function(package, name)
        holder = self.of(operand, site)
        return self.method(holder, name) if holder is not None else None

    def function(self, package: Package, name: str) -> Placed | None:
        """Return the function of a package."""
        file, function = package.free.get(name, (None, None))
        return Placed(package=package, file=file, function=function) if file and function else None

    def knows(self, package: Package, name: str) -> bool:
        """Tell whether a name means something everywhere in a package."""
        if package.path not in self._names:
            roots = [file.outline.root for file in package.files if file.compiled]
            variables = [
                variable
                for root in roots
                for variable in children(root, "var_declaration", "const_declaration")
            ]
            written = (text_of(name) for variable in variables for name in scopes.declared_names(variable))
            self._names[package.path] = frozenset((*package.free, *written, *package.types))
        return name in self._names[package.path] or name in UNIVERSE

    def _called(self, node: Node, site: Site, index: int) -> Holder | None:
        placed = self.called(node, site)
        if placed is not None:
            types = results(placed.function.node)
            return self.named(types[index], placed) if index < len(types) else None
        function = in_field(node, "function", "type")
        if text_of(function) in {"new", "make"}:
            function = next(iter(listed(node, "arguments")), None)
        return self.named(function, site)

    def declared(self, declaration: scopes.Declaration, site: Site) -> Holder | None:
        """Return the type that a declaration inside a function gives a name."""
        if declaration.node.type not in {*scopes.PARAMETERS, "short_var_declaration", "var_declaration"}:
            return None
        kind, index = in_field(declaration.single.node, "type"), declaration.single.place
        values = declaration.values
        if kind is not None:
            return self.named(kind, site)
        if len(values) == 1 and values[0].type in scopes.CALLS:
            return self._called(values[0], site, index)
        return self.of(values[index], site) if index < len(values) else None

    def _field(self, node: Node, site: Site) -> Holder | None:
        holder = self.of(in_field(node, "operand"), site)
        if holder is None:
            return None
        file, holding = holder.package.types[holder.name]
        target, name = in_field(holding.node, "type"), text_in(node, "field")
        for field in descendants(target, "field_declaration", depth=2) if target is not None else ():
            names = [text_of(child) for child in field.children_by_field_name("name")]
            kind = in_field(field, "type")
            if name in (names or [text_of(kind).rpartition(".")[2]]):
                return self.named(kind, Site(package=holder.package, file=file))
        return None


def results(function: Node) -> list[Node]:
    """Return the types of what a function, or one of a type of functions, returns."""
    result = in_field(function, "result")
    if result is not None and result.type != "parameter_list":
        return [result]
    return [kind for kind, _ in _declared(listed(function, "result"))]


def parameters(function: Function) -> list[tuple[Node, bool]]:
    """Return the types of a function's parameters, and whether each takes any number of arguments."""
    return _declared(listed(function.node, "parameters"))


def _declared(nodes: list[Node]) -> list[tuple[Node, bool]]:
    """Return the types that a list declares, one a name, and whether each takes any number of arguments."""
    kinds = []
    for parameter in nodes:
        kind = in_field(parameter, "type")
        if parameter.type in scopes.PARAMETERS and kind is not None:
            count = max(1, len(parameter.children_by_field_name("name")))
            kinds += [(kind, parameter.type.startswith("variadic"))] * count
    return kinds
