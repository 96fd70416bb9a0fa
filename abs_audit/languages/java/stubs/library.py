"""What the Java sources of a checkout declare, as far as calls of them need it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from abs_audit.languages.syntax import text_of
from abs_audit.model.subject import SourceTree

CONSTRUCTOR = "<init>"
PRIMITIVES = frozenset({"boolean", "byte", "char", "double", "float", "int", "long", "short"})
_PARSER = Parser(Language(tree_sitter_java.language()))
_TYPES = re.compile(r"(class|interface|enum|record|annotation)_(type_)?declaration")
_METHODS = {"method_declaration", "constructor_declaration"}
_NOT_LIBRARY = re.compile(r"(^|/)(\w*[tT]ests?|it|examples?|samples?|demos?|benchmarks?|jmh|target)/")
_NOISE = re.compile(r"/\*.*?\*/|//[^\n]*|@[\w.]+(\([^)]*\))?|\s+", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaFile:
    """A source file that is Java without an error."""

    path: str
    package: str
    imports: tuple[str, ...]
    """As written between `import` and the semicolon."""
    root: Node = field(repr=False, compare=False)
    measures: bool
    """Whether it uses JMH."""

    @property
    def is_test(self) -> bool:
        """Tell whether it is compiled for tests only."""
        return re.search(r"(^|/)src/(test|it)/", self.path) is not None

    @property
    def is_library(self) -> bool:
        """Tell whether it is neither a test nor a benchmark nor an example; only its source folder counts."""
        above = self.path.removesuffix(f"{self.package.replace('.', '/')}/{self.path.rpartition('/')[2]}")
        return not self.measures and not _NOT_LIBRARY.search(above)


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A method or constructor."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    """Type as written, `…[]` for several of it, and name."""
    result: str
    modifiers: frozenset[str]
    variables: Mapping[str, str]
    """Its own type variables, with their bounds."""
    throws: str
    """What it declares to throw, as written; empty: nothing."""
    body: Node | None = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JavaType:
    """A type with its place."""

    binary: str
    kind: str
    modifiers: frozenset[str]
    variables: Mapping[str, str]
    supertypes: tuple[str, ...]
    methods: tuple[Method, ...]
    constants: tuple[str, ...]
    """Of an enum; of another type its public static final fields of the type itself."""
    fields: frozenset[str]
    file: JavaFile
    outer: "JavaType | None"

    @property
    def canonical(self) -> str:
        """The name under which sources know it."""
        return self.binary.replace("$", ".")

    @property
    def is_public(self) -> bool:
        """Tell whether everyone may name it."""
        implied = self.outer is not None and self.outer.kind in {"interface", "annotation"}
        return (implied or "public" in self.modifiers) and (self.outer is None or self.outer.is_public)

    @property
    def is_inner(self) -> bool:
        """Tell whether an instance needs an enclosing one."""
        held = self.outer is not None and self.outer.kind not in {"interface", "annotation"}
        return held and self.kind == "class" and "static" not in self.modifiers

    def public(self, method: Method) -> bool:
        """Tell whether everyone may call one of its methods."""
        return "public" in method.modifiers or (
            self.kind == "interface" and "private" not in method.modifiers
        )


class Library:
    """The types of a checkout by their names."""

    def __init__(self, tree: SourceTree) -> None:
        read = (_file(path, text) for path, text in tree.items() if path.endswith(".java"))
        self.files = [source for source in read if source is not None]
        self.types = {
            declared.binary: declared for file in self.files for declared in _declared(file.root, file, None)
        }
        self.canonical = {declared.canonical: declared for declared in self.types.values()}
        self._heirs: dict[str, list[JavaType]] | None = None

    def find(self, method: str) -> tuple[JavaType, Method] | None:
        """Return what an id means: by owner, name and the last words of its parameters' types."""
        owner, name, erased = parts(method)
        holder = self.types.get(owner)
        named = [method for method in holder.methods if method.name == name] if holder else []
        alike = [method for method in named if len(method.parameters) == len(erased)]
        if holder is None or not alike:
            return None
        agreeing = {id(method): self._agreement(method, holder, erased) for method in alike}
        return holder, max(alike, key=lambda method: agreeing[id(method)])

    def _agreement(self, method: Method, holder: JavaType, erased: list[str]) -> int:
        pairs = zip(method.parameters, erased, strict=True)
        variables = {*method.variables, *holder.variables}
        # Of a type variable nothing but its bound would be known: it may be what no other overload is.
        return sum(
            2 * (self.resolve(written, holder) == wanted) or (written.rstrip("[]") in variables)
            for (written, _), wanted in pairs
        )

    def resolve(self, written: str, place: JavaType) -> str:
        """Return the canonical name of a written type, without its arguments."""
        bare, dimensions = erased(written)
        head, dot, rest = bare.partition(".")
        return f"{self._head(head, place)}{dot}{rest}{dimensions}"

    def _head(self, name: str, place: JavaType) -> str:
        if name in PRIMITIVES:
            return name
        around: JavaType | None = place
        while around is not None:
            member = self._member(around, name, 0)
            if member is not None:
                return member.canonical
            around = around.outer
        return self.named(name, place.file)

    def _member(self, holder: JavaType, name: str, depth: int) -> JavaType | None:
        """Return a type that a type declares or inherits, or the type itself."""
        own = self.types.get(f"{holder.binary}${name}")
        if own is not None or holder.binary.rpartition("$")[2].rpartition(".")[2] == name:
            return own or holder
        supertypes = [
            self.canonical.get(self.named(supertype, holder.file)) for supertype in holder.supertypes
        ]
        members = (
            self._member(supertype, name, depth + 1)
            for supertype in supertypes
            if supertype is not None and depth < 5
        )
        return next((member for member in members if member is not None), None)

    def named(self, name: str, file: JavaFile) -> str:
        """Return what a name means outside all types of a file; what nothing tells of is the JDK's."""
        for written in file.imports:
            if written.rpartition(".")[2] == name:
                return written.removeprefix("static ")
        packages = [file.package, *(imported[:-2] for imported in file.imports if imported.endswith(".*"))]
        for package in packages:
            if f"{package}.{name}" in self.canonical:
                return f"{package}.{name}"
        known = next((package for package in packages if f"{package}.{name}" in JDK), "java.lang")
        return f"{known}.{name}" if name[:1].isupper() and "." not in name else name

    def subtypes(self, holder: JavaType) -> list[JavaType]:
        """Return the types of the library that extend or implement a type directly."""
        if self._heirs is None:
            self._heirs = {}
            for heir in self.types.values():
                for name in heir.supertypes if heir.file.is_library else ():
                    self._heirs.setdefault(self.resolve(name, heir), []).append(heir)
        return self._heirs.get(holder.canonical, [])

    def ancestors(self, holder: JavaType) -> list[JavaType]:
        """Return the types of the library that a type is one of, without itself."""
        above_all: list[JavaType] = []
        rest = [holder]
        while rest:
            current = rest.pop()
            above = (self.canonical.get(self.resolve(name, current)) for name in current.supertypes)
            new = [each for each in above if each is not None and each not in above_all]
            above_all += new
            rest += new
        return above_all


JDK = frozenset(
    [f"java.util.{name}" for name in ("List", "Map", "Set", "Collection", "Iterator", "Locale", "Comparator")]
    + [f"java.util.{name}" for name in ("ArrayList", "HashMap", "HashSet", "Date", "Random", "UUID")]
    + [f"java.io.{name}" for name in ("InputStream", "OutputStream", "Reader", "Writer")]
)
"""What imports on demand mean most often."""


def parts(method: str) -> tuple[str, str, list[str]]:
    """Return the binary name of the owner, the name, and the erased types of the parameters of an id."""
    before, _, types = method.removesuffix(")").partition("(")
    owner, _, name = before.rpartition(".")
    return owner, name, types.replace("$", ".").split(",") if types else []


def erased(written: str) -> tuple[str, str]:
    """Return the name of a type without arguments, and its dimensions."""
    text = re.sub(r"[\[\].\s]*$", "", written)
    dimensions = "[]" * written[len(text) :].count("[")
    while "<" in text:
        text, before = re.sub(r"<[^<>]*>", "", text), text
        if text == before:
            break
    return text, dimensions


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all below it, in the order of the text, however deep."""
    rest = [node]
    while rest:
        here = rest.pop()
        yield here
        rest += reversed(here.children)


def parsed(text: str) -> Node:
    """Return the root of a text's tree."""
    return _PARSER.parse(text.encode("utf-8", "surrogatepass")).root_node


def _file(path: str, text: str) -> JavaFile | None:
    root = parsed(text)
    if root.has_error:
        return None
    packages = [
        text_of(child.named_children[-1]) for child in root.children if child.type == "package_declaration"
    ]
    imports = tuple(
        " ".join(text_of(child).removesuffix(";").split()[1:])
        for child in root.children
        if child.type == "import_declaration"
    )
    measures = any(imported.removeprefix("static ").startswith("org.openjdk.jmh.") for imported in imports)
    package = packages[0] if packages else ""
    return JavaFile(path=path, package=package, imports=imports, root=root, measures=measures)


def _declared(node: Node, file: JavaFile, outer: JavaType | None) -> Iterator[JavaType]:
    for child in node.named_children:
        if child.type == "enum_body_declarations":
            yield from _declared(child, file, outer)
        if _TYPES.fullmatch(child.type):
            declared = _type(child, file, outer)
            yield declared
            body = child.child_by_field_name("body")
            yield from _declared(body, file, declared) if body is not None else ()


def _type(node: Node, file: JavaFile, outer: JavaType | None) -> JavaType:
    name, body = text_of(node.child_by_field_name("name")), node.child_by_field_name("body")
    members = list(body.named_children if body is not None else ())
    members += [
        inner
        for member in members
        if member.type == "enum_body_declarations"
        for inner in member.named_children
    ]
    around = f"{outer.binary}$" if outer else f"{file.package}." if file.package else ""
    fields = [member for member in members if member.type == "field_declaration"]
    components = node.child_by_field_name("parameters")
    canonical = [] if components is None else [_callable(node, CONSTRUCTOR, None)]
    return JavaType(
        binary=f"{around}{name}",
        kind=node.type.partition("_")[0],
        modifiers=_modifiers(node),
        variables=_variables(node),
        supertypes=tuple(_supertypes(node)),
        methods=(*canonical, *(_method(member) for member in members if member.type in _METHODS)),
        constants=tuple(_constants(members, name)),
        fields=frozenset(
            _names(declarator)
            for field in fields
            for declarator in field.children_by_field_name("declarator")
        ),
        file=file,
        outer=outer,
    )


def _method(node: Node) -> Method:
    is_method = node.type == "method_declaration"
    name = text_of(node.child_by_field_name("name")) if is_method else CONSTRUCTOR
    return _callable(node, name, node.child_by_field_name("body"))


def _callable(node: Node, name: str, body: Node | None) -> Method:
    return Method(
        name=name,
        parameters=tuple(_parameters(node.child_by_field_name("parameters"))),
        result=_plain(node.child_by_field_name("type")),
        modifiers=_modifiers(node),
        variables=_variables(node),
        throws=" ".join(text_of(child) for child in node.children if child.type == "throws"),
        body=body,
    )


def _parameters(node: Node | None) -> Iterator[tuple[str, str]]:
    for parameter in node.named_children if node is not None else ():
        if parameter.type == "formal_parameter":
            dimensions = _plain(parameter.child_by_field_name("dimensions"))
            yield _plain(parameter.child_by_field_name("type")) + dimensions, _names(parameter)
        elif parameter.type == "spread_parameter":
            declared = parameter.named_children[-1]
            yield f"{_plain(parameter.named_children[-2])}[]", _names(declared)


def _names(node: Node) -> str:
    return text_of(node.child_by_field_name("name"))


def _plain(node: Node | None) -> str:
    """Return a type without blanks, comments and annotations."""
    return _NOISE.sub("", re.sub(r"\b(extends|super)\s+", r"\1~", text_of(node))).replace("~", " ")


def _constants(members: list[Node], name: str) -> Iterator[str]:
    for member in members:
        if member.type == "enum_constant":
            yield _names(member)
        elif (
            member.type == "field_declaration"
            and _plain(member.child_by_field_name("type")) == name
            and {"public", "static"} <= _modifiers(member)
        ):
            yield from (_names(each) for each in member.children_by_field_name("declarator"))


def _modifiers(node: Node) -> frozenset[str]:
    return frozenset(
        token.type for child in node.children if child.type == "modifiers" for token in child.children
    )


def _variables(node: Node) -> dict[str, str]:
    listed = [
        variable
        for child in node.children
        if child.type == "type_parameters"
        for variable in child.named_children
    ]
    split = (re.split(r"\s+extends\s+|\s*&\s*", text_of(variable)) for variable in listed)
    return {name: bounds[0] if bounds else "Object" for name, *bounds in split}


def _supertypes(node: Node) -> Iterator[str]:
    for child in node.children:
        if child.type in {"superclass", "super_interfaces", "extends_interfaces"}:
            for listed in child.named_children:
                for written in listed.named_children if listed.type == "type_list" else (listed,):
                    yield erased(_plain(written))[0]
