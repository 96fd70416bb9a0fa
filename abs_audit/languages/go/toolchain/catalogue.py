"""The functions of a checkout by their ids, promoted ones too."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import filterfalse

from abs_audit.grouping import grouped
from abs_audit.languages.go.toolchain.layout import Package, SourceFile, packages
from abs_audit.languages.go.toolchain.outline import Function, is_exported, method_name
from abs_audit.languages.go.toolchain.promotion import Holder, Promoted, Promotion
from abs_audit.model.subject import SourceTree
from abs_audit.wording import some

_VALUE = re.compile(r"\(\*(\w+)\)(?=\.\w+$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A method id and the function that executes under it."""

    id: str
    package: Package
    """The one that holds the function."""
    file: SourceFile
    line: int
    function: Function | None
    """None where there is none to put a probe into."""
    reason: str
    """Why it cannot carry a probe; empty where it can."""
    public: bool

    @property
    def written(self) -> str:
        """The id of the function where it is written, not of what inherits it; empty where there is none."""
        return "" if self.function is None else f"{self.package.path}.{self.function.id}"

    def is_written(self, name: str) -> bool:
        """Tell whether an id is that of the function where it is written."""
        return name == self.written


class Catalogue:
    """Reads packages when they are asked for, each once."""

    def __init__(self, tree: SourceTree) -> None:
        self.packages: Mapping[str, Package] = packages(tree)
        self._promotion = Promotion(self.packages)
        self._known: dict[str, dict[str, list[Definition]]] = {}

    def find(self, method: str) -> Sequence[Definition]:
        """Return the definitions of an id: several where files of one package exclude each other.

        `path.(*T).M` names the method of a value receiver, too, as Go's own method expressions do.
        """
        for path, package in self.packages.items():
            if method.startswith(f"{path}."):
                definitions = self._of(package)
                written = definitions.get(method) or definitions.get(_VALUE.sub(r"\1", method))
                if written:
                    return written
        return ()

    @cached_property
    def all(self) -> dict[str, list[Definition]]:
        """Return id → definitions, of everything."""
        packages = map(self._of, self.packages.values())
        return {name: definitions for package in packages for name, definitions in package.items()}

    def public(self) -> Iterator[Definition]:
        """Yield the public API, each id once, in the order of the ids.

        Methods of an unexported type belong to it if an exported type promotes them, or if it has all methods
        of an exported interface of its package that names them: that is what callers execute.
        """
        reached = {
            (definition.file.path, definition.line)
            for entries in self.all.values()
            for definition in entries
            if definition.public
        }
        for package in self.packages.values():
            reached.update(self._implementing(package) if package.public else ())
        for name, entries in sorted(self.all.items()):
            first = entries[0]
            own = first.is_written(name) and first.function and is_exported(first.function.name)
            if first.public or (own and (first.file.path, first.line) in reached):
                yield first

    def _implementing(self, package: Package) -> Iterator[tuple[str, int]]:
        """Yield where methods of unexported types stand that callers know by an interface of the package."""
        methods = {
            name: [
                *self._promotion.methods(Holder(package=package, name=name)),
                *self._promotion.promoted(package, name),
            ]
            for name, (file, _) in package.types.items()
            if file.compiled and not file.is_test
        }
        names = {name: {method.name for method in of_type} for name, of_type in methods.items()}
        interfaces = [
            members
            for name, members in names.items()
            if is_exported(name) and package.types[name][1].kind == "interface"
        ]
        for name in filterfalse(is_exported, methods):
            callers_know = set[str]().union(*(members for members in interfaces if members <= names[name]))
            yield from (
                (method.file.path, method.line) for method in methods[name] if method.name in callers_know
            )

    def unreadable(self) -> Iterator[tuple[str, str]]:
        """Yield import path and place wherever something of a public package is not Go."""
        for package in self.packages.values():
            for file in package.files if package.public else ():
                line = file.outline.broken_at if file.compiled and not file.is_test else None
                if line is not None:
                    yield package.path, f"{file.path}, line {line}: expected Go, found a syntax error"

    def _of(self, package: Package) -> dict[str, list[Definition]]:
        if package.path not in self._known:
            every = (*_own(package), *self._promoted(package))
            definitions = grouped((definition.id, definition) for definition in every)
            # First what is compiled here and can carry a probe.
            self._known[package.path] = {
                name: sorted(entries, key=lambda entry: (not entry.file.compiled, bool(entry.reason)))
                for name, entries in definitions.items()
            }
        return self._known[package.path]

    def _promoted(self, package: Package) -> Iterator[Definition]:
        for name, (file, declaration) in package.types.items():
            for member in self._promotion.promoted(package, name):
                holder, public = member.holder, _is_public(package, name, member.name, file)
                if declaration.kind == "alias" and holder.package.public and is_exported(holder.name):
                    # The type is API under its own name.
                    public = False
                yield from _inherited(package, name, member, public)


def _own(package: Package) -> Iterator[Definition]:
    for file, function in package.functions():
        yield Definition(
            id=f"{package.path}.{function.id}",
            package=package,
            file=file,
            line=function.line,
            function=function,
            reason=function.reason,
            public=_is_public(package, function.receiver, function.name, file),
        )
    for name, (file, declaration) in package.types.items():
        for member in declaration.members if declaration.kind == "interface" else ():
            yield Definition(
                id=f"{package.path}.{name}.{member}",
                package=package,
                file=file,
                line=declaration.line,
                function=None,
                reason=f"a method of an interface has no body{_implementations(package, member)}",
                public=_is_public(package, name, member, file),
            )


def _inherited(package: Package, name: str, member: Promoted, public: bool) -> Iterator[Definition]:
    """Yield the ids under which Go knows an inherited method; the first is how it is written."""
    if member.function is None:
        declared = f"{member.holder.package.path}.{member.holder.name}"
        spellings, reason = [False], f"promoted from the interface {declared}, whose methods have no body"
    else:
        # With a pointer embedded, the outer value has all methods of what it points to.
        own = member.function.pointer
        spellings = [True, False] if own and member.holder.by_pointer else [own]
        reason = member.function.reason
    for pointer in spellings:
        yield Definition(
            id=f"{package.path}.{method_name(name, member.name, pointer)}",
            package=member.holder.package,
            file=member.file,
            line=member.line,
            function=member.function,
            reason=reason,
            public=public and pointer == spellings[0],
        )


def _is_public(package: Package, type_name: str, name: str, file: SourceFile) -> bool:
    visible = is_exported(name) and (not type_name or is_exported(type_name))
    return package.public and visible and file.compiled and not file.is_test


def _implementations(package: Package, name: str) -> str:
    implementations = [
        f"{package.path}.{function.id}"
        for file, function in package.functions()
        if function.receiver and function.name == name and not function.reason
        if file.compiled and not file.is_test
    ]
    return f"; slow an implementation down: {some(implementations)}" if implementations else ""
