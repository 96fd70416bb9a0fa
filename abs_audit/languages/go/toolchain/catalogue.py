"""The functions of a checkout by their ids, promoted ones too."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from abs_audit.languages.go.toolchain.layout import Package, SourceFile, packages
from abs_audit.languages.go.toolchain.outline import Function, is_exported, method_name
from abs_audit.languages.go.toolchain.promotion import Promoted, promoted
from abs_audit.model.subject import SourceTree

SHOWN = 3
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


class Catalogue:
    """Reads packages when they are asked for, each once."""

    def __init__(self, tree: SourceTree) -> None:
        self.packages: Mapping[str, Package] = packages(tree)
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
        found: dict[str, list[Definition]] = {}
        for package in self.packages.values():
            found.update(self._of(package))
        return found

    def public(self) -> Iterator[Definition]:
        """Yield the public API, each id once, in the order of the ids.

        Methods of an unexported type belong to it if an exported type promotes them: that is what callers
        execute.
        """
        reached = {
            (one.file.path, one.line) for entries in self.all.values() for one in entries if one.public
        }
        for name, entries in sorted(self.all.items()):
            first = entries[0]
            if first.public or (_is_own(name, first) and (first.file.path, first.line) in reached):
                yield first

    def unreadable(self) -> Iterator[tuple[str, SourceFile]]:
        """Yield import path and file wherever something of a public package is not Go."""
        for package in self.packages.values():
            for file in package.files if package.public else ():
                if file.compiled and not file.is_test and file.outline.broken_at is not None:
                    yield package.path, file

    def _of(self, package: Package) -> dict[str, list[Definition]]:
        if package.path not in self._known:
            found: dict[str, list[Definition]] = {}
            for one in (*_own(package), *self._promoted(package)):
                found.setdefault(one.id, []).append(one)
            self._known[package.path] = {name: _wanted(entries) for name, entries in found.items()}
        return self._known[package.path]

    def _promoted(self, package: Package) -> Iterator[Definition]:
        for name, (file, declaration) in package.types.items():
            for one in promoted(self.packages, package, name):
                public = _is_public(package, name, one.name, file)
                if declaration.kind == "alias" and one.holder.package.public and is_exported(one.holder.name):
                    # The type is API under its own name.
                    public = False
                yield from _inherited(package, name, one, public)


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


def _inherited(package: Package, name: str, one: Promoted, public: bool) -> Iterator[Definition]:
    """Yield the ids under which Go knows an inherited method; the first is how it is written."""
    if one.function is None:
        declared = f"{one.holder.package.path}.{one.holder.name}"
        spellings, reason = [False], f"promoted from the interface {declared}, whose methods have no body"
    else:
        # With a pointer embedded, the outer value has all methods of what it points to.
        spellings = (
            [True, False] if one.holder.by_pointer and one.function.pointer else [one.function.pointer]
        )
        reason = one.function.reason
    for pointer in spellings:
        yield Definition(
            id=f"{package.path}.{method_name(name, one.name, pointer)}",
            package=one.holder.package,
            file=one.file,
            line=one.line,
            function=one.function,
            reason=reason,
            public=public and pointer == spellings[0],
        )


def _is_own(name: str, one: Definition) -> bool:
    """Tell whether an id names an exported function where it is written."""
    function = one.function
    return function is not None and is_exported(function.name) and name == f"{one.package.path}.{function.id}"


def _is_public(package: Package, type_name: str, name: str, file: SourceFile) -> bool:
    visible = is_exported(name) and (not type_name or is_exported(type_name))
    return package.public and visible and file.compiled and not file.is_test


def _wanted(entries: list[Definition]) -> list[Definition]:
    """Put first what is compiled here and can carry a probe."""
    return sorted(entries, key=lambda one: (not one.file.compiled, bool(one.reason)))


def _implementations(package: Package, name: str) -> str:
    found = [
        f"{package.path}.{function.id}"
        for file, function in package.functions()
        if function.receiver and function.name == name and not function.reason
        if file.compiled and not file.is_test
    ]
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return f"; slow an implementation down: {', '.join(found[:SHOWN])}{more}" if found else ""
