"""Which types the names in Java sources mean, as far as sources show it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from abs_audit.grouping import reached
from abs_audit.languages.java.toolchain.declarations import (
    Import,
    MethodDeclaration,
    SourceFile,
    TypeDeclaration,
    TypeReference,
)

PRIMITIVES = frozenset({"boolean", "byte", "char", "double", "float", "int", "long", "short", "void"})
_OBJECT = "java.lang.Object"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LibraryType:
    """A type with its place."""

    binary: str
    """As the JVM names it: `pkg.Outer$Inner`."""
    declaration: TypeDeclaration
    file: SourceFile
    outer: "LibraryType | None"

    @property
    def is_static(self) -> bool:
        """Tell whether instances have no enclosing instance, so that outer type variables mean nothing."""
        return (
            self.outer is None
            or "static" in self.declaration.modifiers
            or self.declaration.kind != "class"
            or self.outer.declaration.kind in {"interface", "annotation"}
        )

    @property
    def is_public(self) -> bool:
        """Tell whether everyone may name the type."""
        if self.outer is None:
            return "public" in self.declaration.modifiers
        implied = self.outer.declaration.kind in {"interface", "annotation"}
        return self.outer.is_public and (implied or "public" in self.declaration.modifiers)

    @property
    def canonical(self) -> str:
        """The name under which sources know it."""
        return self.binary.replace("$", ".")

    def shows(self, method: MethodDeclaration) -> bool:
        """Tell whether everyone who may name the type may call one of its methods."""
        implied = self.declaration.kind == "interface" and "private" not in method.modifiers
        return implied or "public" in method.modifiers

    def enclosing(self) -> "Iterator[LibraryType]":
        """Return the type itself and the types around it, innermost first."""
        around: LibraryType | None = self
        while around is not None:
            yield around
            around = around.outer


def library_types(files: Iterable[SourceFile]) -> list[LibraryType]:
    """Return all types of the files, in order, outer before inner."""
    return [
        library_type
        for file in files
        for declaration in file.types
        for library_type in _with_members(declaration, file)
    ]


def _with_members(
    declaration: TypeDeclaration, file: SourceFile, outer: LibraryType | None = None
) -> Iterator[LibraryType]:
    around = f"{outer.binary}$" if outer else f"{file.package}." if file.package else ""
    library_type = LibraryType(
        binary=f"{around}{declaration.name}", declaration=declaration, file=file, outer=outer
    )
    yield library_type
    for member in declaration.members:
        yield from _with_members(member, file, library_type)


class Names:
    """Answers what a written name means in a place."""

    def __init__(self, types: Iterable[LibraryType]) -> None:
        self.types: Mapping[str, LibraryType] = {
            library_type.binary: library_type for library_type in reversed(list(types))
        }
        self._canonical = {binary.replace("$", "."): binary for binary in self.types}
        self._packages = {library_type.file.package for library_type in self.types.values()}
        self._members: dict[tuple[str, str], str | None] = {}
        self._lineages: dict[str, frozenset[str]] = {}

    def erased(self, written: TypeReference, inside: LibraryType, method: MethodDeclaration | None) -> str:
        """Return a type as the JVM names it, type variables replaced by their first bounds."""
        name, seen = written.name, {""}
        while name not in seen:
            seen.add(name)
            bound = self._bound(name, inside, method)
            if bound is None:
                break
            name = bound
        else:  # a variable that is bounded by itself
            name = _OBJECT
        return self.binary(name, inside) + "[]" * written.dimensions

    def _bound(self, name: str, inside: LibraryType, method: MethodDeclaration | None) -> str | None:
        """Return the first bound where a name is a type variable."""
        scopes = [method.variables] if method else []
        for around in inside.enclosing():
            scopes.append(around.declaration.variables)
            if around.is_static:
                break
        for variables in scopes:
            for variable in variables:
                if variable.name == name:
                    return variable.bound.name if variable.bound else _OBJECT
        return None

    def binary(self, written: str, inside: LibraryType) -> str:
        """Return the binary name of what a dotted name means in a place."""
        if written in PRIMITIVES:
            return written
        head, *rest = written.split(".")
        owner = self._declared(head, inside)
        return self._member(owner, rest) if owner else self._in_file(written, inside.file)

    def _in_file(self, written: str, file: SourceFile) -> str:
        """Look outside all types: among imports, packages, and what a dotted name itself says."""
        head, *rest = written.split(".")
        owner = self._imported(head, file) or self._on_demand(head, file)
        if owner is None and rest and not head[:1].isupper():
            return self._qualified(written)
        return self._member(owner or self._guess(head, file), rest)

    def _declared(self, name: str, inside: LibraryType) -> str | None:
        """Look in the types around a place, and in what they inherit."""
        for around in inside.enclosing():
            if around.declaration.name == name:
                return around.binary
            inherited = self._inherited(name, around.binary)
            if inherited is not None:
                return inherited
        return None

    def _inherited(self, name: str, binary: str) -> str | None:
        """Return the member type of a type, its own or one of its supertypes'."""
        key = name, binary
        if key not in self._members:
            self._members[key] = None  # what asks again meanwhile goes in a circle
            self._members[key] = self._search(name, binary)
        return self._members[key]

    def _search(self, name: str, binary: str) -> str | None:
        if f"{binary}${name}" in self.types:
            return f"{binary}${name}"
        if binary not in self.types:
            return member_types(binary).get(name)
        supertypes = self.supertypes(self.types[binary])
        return next(filter(None, (self._inherited(name, supertype) for supertype in supertypes)), None)

    def supertypes(self, heir: LibraryType) -> list[str]:
        """Return the binary names of the types that a type extends and implements."""
        # They are looked up around the type: what it inherits itself does not count.
        return [self._outside(written.name, heir) for written in heir.declaration.supertypes]

    def lineage(self, binary: str) -> frozenset[str]:
        """Return the binary names of a type and of all types of the library that it is one of."""
        if binary not in self._lineages:
            heirs = reached([binary], self._known_supertypes)
            self._lineages[binary] = frozenset(heirs).intersection(self.types)
        return self._lineages[binary]

    def _known_supertypes(self, binary: str) -> list[str]:
        return self.supertypes(self.types[binary]) if binary in self.types else []

    def _outside(self, written: str, heir: LibraryType) -> str:
        head, *rest = written.split(".")
        own = f"{heir.binary.rpartition('$')[0]}${head}" if heir.outer else ""
        if own in self.types:
            return self._member(own, rest)
        if heir.outer is not None:
            return self.binary(written, heir.outer)
        return self._in_file(written, heir.file)

    def _member(self, binary: str, rest: list[str]) -> str:
        for name in rest:
            binary = self._inherited(name, binary) or f"{binary}${name}"
        return binary

    def _imported(self, name: str, file: SourceFile) -> str | None:
        """Look among single imports, then among the types of the file and of its package."""
        single = [imported for imported in file.imports if not imported.on_demand]
        single = [imported for imported in single if imported.name.rpartition(".")[2] == name]
        plain = next((imported for imported in single if not imported.is_static), None)
        if plain is not None:
            return self._qualified(plain.name)
        around = f"{file.package}.{name}" if file.package else name
        if around in self.types:
            return around
        owners = (self._qualified(imported.name.rpartition(".")[0]) for imported in single)
        return next(filter(None, (self._inherited(name, owner) for owner in owners)), None)

    def _on_demand(self, name: str, file: SourceFile) -> str | None:
        for imported in [*file.imports, Import(name="java.lang", is_static=False, on_demand=True)]:
            if not imported.on_demand:
                continue
            if f"{imported.name}.{name}" in self._canonical or name in jdk_packages().get(imported.name, {}):
                return self._qualified(f"{imported.name}.{name}")
            if imported.name not in self._packages and imported.name not in jdk_packages():
                inherited = self._inherited(name, self._qualified(imported.name))
                if inherited is not None:
                    return inherited
        return None

    def _guess(self, name: str, file: SourceFile) -> str:
        """Return where a type must be that no source and no JDK has: a dependency or generated code."""
        unknown = [
            imported.name
            for imported in file.imports
            if imported.on_demand
            and not imported.is_static
            and imported.name not in jdk_packages()
            and imported.name not in self._packages
        ]
        package = unknown[0] if len(unknown) == 1 else file.package
        return f"{package}.{name}" if package else name

    def _qualified(self, written: str) -> str:
        """Return the binary name of a canonical one: by what is known, else by the case of its parts."""
        if written in self._canonical:
            return self._canonical[written]
        parts = written.split(".")
        first = next(
            (index for index in range(len(parts)) if self._is_type(parts[: index + 1])),
            next((index for index, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1),
        )
        return self._member(".".join(parts[: first + 1]), parts[first + 1 :])

    def _is_type(self, parts: list[str]) -> bool:
        name = ".".join(parts)
        return name in self._canonical or parts[-1] in jdk_packages().get(name.rpartition(".")[0], {})


@cache
def jdk_packages() -> dict[str, dict[str, dict[str, str]]]:
    """Return package → public type → its member types (inherited ones too) → their binary names."""
    packages: dict[str, dict[str, dict[str, str]]] = {}
    package = ""
    listed = resources.files("abs_audit.languages.java.toolchain").joinpath("jdk_types.txt")
    text = listed.read_text(encoding="utf-8")
    for line in text.splitlines()[1:]:
        first, *members = line.split(" ")
        if first == "package":
            (package,) = members
            packages[package] = {}
        else:
            packages[package][first] = dict(_member(f"{package}.{first}", member) for member in members)
    return packages


def member_types(binary: str) -> dict[str, str]:
    """Return the member types of a top-level type of the JDK; empty for any other."""
    package, _, name = binary.rpartition(".")
    return jdk_packages().get(package, {}).get(name, {})


def _member(owner: str, written: str) -> tuple[str, str]:
    name, _, binary = written.partition("=")
    return name, binary or f"{owner}${name}"
