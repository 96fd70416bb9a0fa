"""The types of a checkout with its tests, and what calls of their methods need to know of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from abs_audit.grouping import grouped
from abs_audit.languages.java.toolchain.declarations import CONSTRUCTOR, MethodDeclaration, TypeReference
from abs_audit.languages.java.toolchain.ids import split
from abs_audit.languages.java.toolchain.layout import is_library
from abs_audit.languages.java.toolchain.outline import components, outline
from abs_audit.languages.java.toolchain.resolution import LibraryType, Names, library_types
from abs_audit.languages.syntax import listed, text_in
from abs_audit.model.subject import SourceTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The method that a benchmark is missing for."""

    id: str
    holder: LibraryType
    method: MethodDeclaration

    @property
    def is_constructor(self) -> bool:
        """Tell whether it makes an instance."""
        return self.method.name == CONSTRUCTOR

    @property
    def is_alone(self) -> bool:
        """Tell whether it is called on no instance."""
        return self.is_static or self.is_constructor

    @property
    def is_static(self) -> bool:
        """Tell whether it is called on its type."""
        return "static" in self.method.modifiers


class Library:
    """The types of a checkout by their names."""

    def __init__(self, tree: SourceTree) -> None:
        read = (outline(path, text) for path, text in tree.items() if path.endswith(".java"))
        self.files = [file for file in read if file.error_line is None]
        self.names = Names(library_types(self.files))
        self.types = dict(reversed(list(self.names.types.items())))
        self.canonical = {declared.canonical: declared for declared in self.types.values()}
        self.packages = frozenset(declared.file.package for declared in self.types.values())

    def find(self, method: str) -> Subject | None:
        """Return what an id means: by owner, name and as many of its parameters' types as can be."""
        owner, name, wanted = parts(method)
        holder = self.types.get(owner)
        overloads = alike(holder, name, len(wanted)) if holder else []
        if holder is None or not overloads:
            return None

        def agreement(method: MethodDeclaration) -> int:
            kinds = (self.kind(written, holder, method) for written in method.parameters)
            return sum(kind == other for kind, other in zip(kinds, wanted, strict=True))

        return Subject(id=method, holder=holder, method=max(overloads, key=agreement))

    def kind(self, written: TypeReference, holder: LibraryType, method: MethodDeclaration) -> str:
        """Return the canonical name of a type in a signature; of a type variable, that of its bound."""
        return self.names.erased(written, holder, method).replace("$", ".")

    def resolve(self, written: str, inside: LibraryType) -> str:
        """Return the canonical name of a type as sources write it, without its arguments."""
        bare = re.sub(r"<.*>|\s", "", written, flags=re.DOTALL)
        return self.names.binary(bare, inside).replace("$", ".")

    @cached_property
    def heirs(self) -> dict[str, list[LibraryType]]:
        """Binary name of a type → the types of the library that extend or implement it directly."""
        heirs = [heir for heir in self.types.values() if is_library(heir.file)]
        return grouped((binary, heir) for heir in heirs for binary in self.names.supertypes(heir))

    @cached_property
    def returning(self) -> dict[str, list[tuple[LibraryType, MethodDeclaration]]]:
        """Canonical name of a type → the library's methods that return it, each with what declares it.

        Those come first that need the least: no instance, few parameters.
        """
        makers = [
            (self.kind(method.result, holder, method), (holder, method))
            for holder in self.types.values()
            if is_library(holder.file)
            for method in holder.declaration.methods
            if method.result is not None and holder.shows(method)
        ]
        makers.sort(key=lambda maker: ("static" not in maker[1][1].modifiers, len(maker[1][1].names)))
        return grouped(makers)

    def lineage(self, holder: LibraryType) -> list[LibraryType]:
        """Return a type and the types of the checkout that it is one of."""
        return [self.types[binary] for binary in self.names.lineage(holder.binary)]


def parts(method: str) -> tuple[str, str, list[str]]:
    """Return the binary name of the owner, the name, and the erased types of the parameters of an id."""
    owner, name, types = split(method)
    return owner, name, list(filter(None, types.strip("()").replace("$", ".").split(",")))


def alike(holder: LibraryType, name: str, count: int) -> list[MethodDeclaration]:
    """Return the methods of a type that have a name and a number of parameters."""
    return [method for method in methods(holder) if method.name == name and len(method.names) == count]


def methods(holder: LibraryType) -> tuple[MethodDeclaration, ...]:
    """Return the methods and constructors of a type, the one that javac writes too."""
    declared = holder.declaration
    constructors = [method for method in declared.methods if method.name == CONSTRUCTOR]
    plain = declared.kind == "class" and not constructors and "abstract" not in declared.modifiers
    if not plain and declared.kind != "record":
        return declared.methods
    given = list(components(declared.node))
    implied = MethodDeclaration(
        name=CONSTRUCTOR,
        variables=(),
        parameters=tuple(written for written, _ in given),
        names=tuple(name for _, name in given),
        result=None,
        modifiers=frozenset({"public"}),
        throws=False,
        line=0,
        body=None,
        delegates=False,
        node=declared.node,
    )
    return (*declared.methods, implied)


def constants(holder: LibraryType) -> list[str]:
    """Return the constants of an enum; of another type its public static fields of the type itself."""
    names = []
    for member in _members(holder):
        words = {token.type for child in member.children for token in child.children}
        own = text_in(member, "type") == holder.declaration.name
        if member.type == "enum_constant":
            names.append(text_in(member, "name"))
        elif member.type == "field_declaration" and own and {"public", "static"} <= words:
            names += _declared(member)
    return names


def fields(holder: LibraryType) -> list[str]:
    """Return the names of a type's own fields."""
    members = (member for member in _members(holder) if member.type == "field_declaration")
    return [name for member in members for name in _declared(member)]


def _declared(member: Node) -> list[str]:
    return [text_in(declarator, "name") for declarator in member.children_by_field_name("declarator")]


def _members(holder: LibraryType) -> Iterator[Node]:
    for member in listed(holder.declaration.node, "body"):
        yield member
        if member.type == "enum_body_declarations":
            yield from member.named_children
