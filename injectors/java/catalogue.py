"""The methods of a library by their ids."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from abs_audit.grouping import grouped
from abs_audit.languages.java.toolchain.declarations import CONSTRUCTOR, MethodDeclaration, SourceFile
from abs_audit.languages.java.toolchain.layout import is_library, source_root
from abs_audit.languages.java.toolchain.outline import outline
from abs_audit.languages.java.toolchain.resolution import LibraryType, Names, library_types
from abs_audit.model.subject import SourceTree
from abs_audit.wording import some


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LibraryMethod:
    """A method or constructor with its place."""

    id: str
    """`pkg.Outer$Inner.method(java.lang.Object,int[])`."""
    owner: LibraryType
    declaration: MethodDeclaration
    reason: str
    """Why it cannot carry a probe; empty if it can."""

    @property
    def path(self) -> str:
        """The file that holds it."""
        return self.owner.file.path

    @property
    def signature(self) -> tuple[str, int]:
        """Its name and the number of its parameters: what one that may override it has as well."""
        return self.declaration.name, len(self.declaration.parameters)

    @property
    def is_public(self) -> bool:
        """Tell whether it is a public method or constructor of a public type."""
        return self.owner.is_public and self.owner.shows(self.declaration)


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """What the sources of a library declare."""

    names: Names
    methods: tuple[LibraryMethod, ...]
    """In the order of the sources; one id may occur in several files (flavours of a library)."""
    unreadable: Mapping[str, SourceFile]
    """By path: the files of the library that are not Java."""
    benchmarks: tuple[SourceFile, ...]
    """What uses JMH."""

    def by_id(self) -> dict[str, list[LibraryMethod]]:
        """Return id → declarations; constructors of inner classes under the JVM's own id, too."""
        methods = grouped((method.id, method) for method in self.methods)
        for method in self.methods:
            other = _with_enclosing_instance(method)
            if other is not None and other not in methods:
                methods[other] = [method]
        return methods

    def public(self) -> Iterator[LibraryMethod]:
        """Yield the API: public methods of public types, and those that override one in a type that is not.

        Callers who know the interface execute the latter.
        """
        declared = grouped((method.signature, method) for method in self.methods if method.is_public)
        for method in self.methods:
            inherits = not method.owner.is_public and method.declaration.name != CONSTRUCTOR
            overridden = declared.get(method.signature, ()) if inherits else ()
            if method.is_public or any(_overrides(method, other, self.names) for other in overridden):
                yield method


def catalogue(tree: SourceTree) -> Catalogue:
    """Read the library's part of a checkout."""
    read = [outline(path, text) for path, text in tree.items() if path.endswith(".java")]
    files = [file for file in read if is_library(file)]
    types = library_types(files)
    names = Names(types)
    declared = [method for owner in types for method in _methods(owner, names)]
    return Catalogue(
        names=names,
        methods=tuple(_judged(declared, names)),
        unreadable={file.path: file for file in files if file.error_line is not None},
        benchmarks=tuple(file for file in read if file.measures),
    )


def _methods(owner: LibraryType, names: Names) -> Iterator[LibraryMethod]:
    for declaration in owner.declaration.methods:
        parameters = ",".join(
            names.erased(parameter, owner, declaration) for parameter in declaration.parameters
        )
        identity = f"{owner.binary}.{declaration.name}({parameters})"
        yield LibraryMethod(id=identity, owner=owner, declaration=declaration, reason="")


def _with_enclosing_instance(method: LibraryMethod) -> str | None:
    """Return the id of an inner class's constructor with the parameter that the compiler adds."""
    owner = method.owner
    if method.declaration.name != CONSTRUCTOR or owner.is_static or owner.outer is None:
        return None
    before, _, parameters = method.id.partition("(")
    return f"{before}({owner.outer.binary}{',' if parameters != ')' else ''}{parameters}"


def _judged(methods: Sequence[LibraryMethod], names: Names) -> Iterator[LibraryMethod]:
    """Say of each method why it cannot carry a probe, if so."""
    alike = grouped((method.signature, method) for method in methods)
    for method in methods:
        declaration = method.declaration
        reason = ""
        if source_root(method.owner.file) is None:
            reason = f"{method.path} does not lie in the folder of its package {method.owner.file.package}"
        elif "native" in declaration.modifiers:
            reason = "native: its body is not Java"
        elif declaration.body is None:
            same = alike[method.signature]
            reason = _abstract([other for other in same if _overrides(other, method, names)])
        elif declaration.delegates:
            reason = "a constructor that calls another one of its class (`this(…)`): slow that one down"
        yield replace(method, reason=reason)


def _overrides(other: LibraryMethod, method: LibraryMethod, names: Names) -> bool:
    """Tell whether a method with a body may override another: same name and count of parameters."""
    if other.declaration.body is None or "static" in other.declaration.modifiers:
        return False
    return method.owner.binary in names.lineage(other.owner.binary) - {other.owner.binary}


def _abstract(implementations: Sequence[LibraryMethod]) -> str:
    shown = some([implementation.id for implementation in implementations])
    return f"abstract: it has no body{f'; slow an implementation down: {shown}' if shown else ''}"
