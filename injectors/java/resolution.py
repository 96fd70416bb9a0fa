"""Which types the names in Java sources mean, as far as sources show it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from abs_audit.injectors.java.declarations import (
    Import,
    MethodDeclaration,
    SourceFile,
    TypeDeclaration,
    TypeReference,
)
from abs_audit.injectors.java.jdk import jdk_packages, member_types

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

    def enclosing(self) -> "Iterator[LibraryType]":
        """Return the type itself and the types around it, innermost first."""
        one: LibraryType | None = self
        while one is not None:
            yield one
            one = one.outer


def library_types(files: Iterable[SourceFile]) -> list[LibraryType]:
    """Return all types of the files, in order, outer before inner."""
    return [one for file in files for declaration in file.types for one in _with_members(declaration, file)]


def _with_members(
    declaration: TypeDeclaration, file: SourceFile, outer: LibraryType | None = None
) -> Iterator[LibraryType]:
    around = f"{outer.binary}$" if outer else f"{file.package}." if file.package else ""
    one = LibraryType(binary=f"{around}{declaration.name}", declaration=declaration, file=file, outer=outer)
    yield one
    for member in declaration.members:
        yield from _with_members(member, file, one)


class Names:
    """Answers what a written name means in a place."""

    def __init__(self, types: Iterable[LibraryType]) -> None:
        self.types: Mapping[str, LibraryType] = {one.binary: one for one in reversed(list(types))}
        self._canonical = {binary.replace("$", "."): binary for binary in self.types}
        self._packages = {one.file.package for one in self.types.values()}
        self._members: dict[tuple[str, str], str | None] = {}

    def erased(self, written: TypeReference, place: LibraryType, method: MethodDeclaration | None) -> str:
        """Return a type as the JVM names it, type variables replaced by their first bounds."""
        name, seen = written.name, {""}
        while name not in seen:
            seen.add(name)
            bound = self._bound(name, place, method)
            if bound is None:
                break
            name = bound
        else:  # a variable that is bounded by itself
            name = _OBJECT
        return self.binary(name, place) + "[]" * written.dimensions

    def _bound(self, name: str, place: LibraryType, method: MethodDeclaration | None) -> str | None:
        """Return the first bound where a name is a type variable."""
        scopes = [method.variables] if method else []
        for one in place.enclosing():
            scopes.append(one.declaration.variables)
            if one.is_static:
                break
        for variables in scopes:
            for variable in variables:
                if variable.name == name:
                    return variable.bound.name if variable.bound else _OBJECT
        return None

    def binary(self, written: str, place: LibraryType) -> str:
        """Return the binary name of what a dotted name means in a place."""
        if written in PRIMITIVES:
            return written
        head, *rest = written.split(".")
        found = self._declared(head, place)
        return self._member(found, rest) if found else self._in_file(written, place.file)

    def _in_file(self, written: str, file: SourceFile) -> str:
        """Look outside all types: among imports, packages, and what a dotted name itself says."""
        head, *rest = written.split(".")
        found = self._imported(head, file) or self._on_demand(head, file)
        if found is None and rest:
            return self._qualified(written)
        return self._member(found or self._guess(head, file), rest)

    def _declared(self, name: str, place: LibraryType) -> str | None:
        """Look in the types around a place, and in what they inherit."""
        for one in place.enclosing():
            if one.declaration.name == name:
                return one.binary
            found = self._inherited(name, one.binary)
            if found is not None:
                return found
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
        return next((found for one in supertypes if (found := self._inherited(name, one))), None)

    def supertypes(self, one: LibraryType) -> list[str]:
        """Return the binary names of the types that a type extends and implements."""
        # They are looked up around the type: what it inherits itself does not count.
        return [self._outside(written.name, one) for written in one.declaration.supertypes]

    def _outside(self, written: str, one: LibraryType) -> str:
        head, *rest = written.split(".")
        own = f"{one.binary.rpartition('$')[0]}${head}" if one.outer else ""
        if own in self.types:
            return self._member(own, rest)
        if one.outer is not None:
            return self.binary(written, one.outer)
        return self._in_file(written, one.file)

    def _member(self, binary: str, rest: list[str]) -> str:
        for name in rest:
            binary = self._inherited(name, binary) or f"{binary}${name}"
        return binary

    def _imported(self, name: str, file: SourceFile) -> str | None:
        """Look among single imports, then among the types of the file and of its package."""
        for one in file.imports:
            if not one.on_demand and not one.is_static and one.name.rpartition(".")[2] == name:
                return self._qualified(one.name)
        around = f"{file.package}.{name}" if file.package else name
        if around in self.types:
            return around
        return next((found for one in file.imports if (found := self._statically(name, one))), None)

    def _statically(self, name: str, one: Import) -> str | None:
        owner, _, last = one.name.rpartition(".")
        if not one.is_static or one.on_demand or last != name:
            return None
        return self._inherited(name, self._qualified(owner))

    def _on_demand(self, name: str, file: SourceFile) -> str | None:
        for one in [*file.imports, Import(name="java.lang", is_static=False, on_demand=True)]:
            if not one.on_demand:
                continue
            if f"{one.name}.{name}" in self._canonical or name in jdk_packages().get(one.name, {}):
                return self._qualified(f"{one.name}.{name}")
            if one.name not in self._packages and one.name not in jdk_packages():
                found = self._inherited(name, self._qualified(one.name))
                if found is not None:
                    return found
        return None

    def _guess(self, name: str, file: SourceFile) -> str:
        """Return where a type must be that no source and no JDK has: a dependency or generated code."""
        unknown = [
            one.name
            for one in file.imports
            if one.on_demand
            and not one.is_static
            and one.name not in jdk_packages()
            and one.name not in self._packages
        ]
        package = unknown[0] if len(unknown) == 1 else file.package
        return f"{package}.{name}" if package else name

    def _qualified(self, written: str) -> str:
        """Return the binary name of a canonical one: by what is known, else by the case of its parts."""
        if written in self._canonical:
            return self._canonical[written]
        parts = written.split(".")
        first = next(
            (place for place in range(len(parts)) if self._is_type(parts[: place + 1])),
            next((place for place, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1),
        )
        return self._member(".".join(parts[: first + 1]), parts[first + 1 :])

    def _is_type(self, parts: list[str]) -> bool:
        name = ".".join(parts)
        return name in self._canonical or parts[-1] in jdk_packages().get(name.rpartition(".")[0], {})
