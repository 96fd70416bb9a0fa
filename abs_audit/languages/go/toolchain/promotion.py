"""Methods that a type has because it embeds another one: `Engine.GET` is `RouterGroup.GET`."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from abs_audit.languages.go.toolchain.layout import Package, SourceFile
from abs_audit.languages.go.toolchain.outline import Function, TypeDeclaration

_DEEPEST = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A type of the project's own, as it is reached from another one."""

    package: Package
    name: str
    by_pointer: bool = False
    """Whether a pointer is embedded on the way to it."""

    @property
    def place(self) -> tuple[str, str]:
        """Import path and name."""
        return self.package.path, self.name

    @property
    def kind(self) -> str:
        """The kind of its declaration; empty where there is none."""
        return self.declaration.kind if self.name in self.package.types else ""

    @property
    def file(self) -> SourceFile:
        """The file that declares it."""
        return self.package.types[self.name][0]

    @property
    def declaration(self) -> TypeDeclaration:
        """Its declaration."""
        return self.package.types[self.name][1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Promoted:
    """A method that a type has from what it embeds."""

    name: str
    holder: Holder
    file: SourceFile
    function: Function | None
    """None: a method of an interface, which has no body."""
    line: int


@dataclass(frozen=True, slots=True)
class Promotion:
    """Follows types through the packages of a project: to what they stand for, and to what they embed."""

    packages: Mapping[str, Package]

    def imported(self, own: Package, file: SourceFile, qualifier: str) -> Package | None:
        """Return the package of the project that a file knows by a name; its own for none."""
        if not qualifier:
            return own
        for name, path in file.outline.imports:
            package = self.packages.get(path)
            if package is not None and qualifier == (name or package.name):
                return package
        return None

    def resolved(self, holder: Holder) -> Holder:
        """Follow aliases to the type that they stand for."""
        for _ in range(_DEEPEST):
            target = next(self._written(holder), None) if holder.kind == "alias" else None
            if target is None:
                break
            holder = target
        return holder

    def promoted(self, package: Package, name: str) -> Iterator[Promoted]:
        """Yield what a type inherits, by Go's rule: the least deep one, if it is the only one so deep.

        An alias has all that belongs to the type it stands for.
        """
        start = Holder(package=package, name=name)
        target = self.resolved(start)
        if target != start:
            # Aliases that stand for each other lead nowhere.
            if target.kind not in {"", "alias"}:
                yield from self.methods(target)
                yield from self.promoted(target.package, target.name)
            return
        hidden = {function.name for _, function in package.methods.get(name, ())} | self._fields(start)
        level, seen = list(self._embedded(start)), {start.place}
        while level:
            methods = [method for holder in level for method in self.methods(holder)]
            names = Counter(name for holder in level for name in self._fields(holder))
            names.update(method.name for method in methods)
            yield from (method for method in methods if names[method.name] == 1 and method.name not in hidden)
            hidden |= names.keys()
            fresh = [holder for holder in level if holder.place not in seen]
            seen |= {holder.place for holder in level}
            level = [deeper for holder in fresh for deeper in self._embedded(holder)]

    def _underlying(self, holder: Holder, kind: str) -> Holder | None:
        """Return the struct or interface that a type is: itself, or what it is defined by."""
        by_pointer = holder.by_pointer
        for _ in range(_DEEPEST):
            holder = self.resolved(holder)
            if holder.kind == kind:
                return replace(holder, by_pointer=by_pointer)
            target = next(self._written(holder), None) if holder.kind == "defined" else None
            if target is None:
                break
            holder = target
        return None

    def _fields(self, holder: Holder) -> set[str]:
        """Return the names of a struct's fields, embedded ones too; of other types none."""
        struct = self._underlying(holder, "struct")
        if struct is None:
            return set()
        return {*struct.declaration.members, *(inner.name for inner in struct.declaration.embedded)}

    def _embedded(self, holder: Holder) -> Iterator[Holder]:
        """Yield the types of the project's own that a struct embeds, aliases followed."""
        struct = self._underlying(holder, "struct")
        return map(self.resolved, self._written(struct) if struct is not None else ())

    def methods(self, holder: Holder) -> Iterator[Promoted]:
        """Yield the methods that a type declares, and of an interface those that it embeds, too."""
        for file, function in holder.package.methods.get(holder.name, ()):
            if file.compiled and not file.is_test:
                yield Promoted(
                    name=function.name, holder=holder, file=file, function=function, line=function.line
                )
        rest, seen = [holder], set[tuple[str, str]]()
        while rest:
            named = rest.pop()
            interface = self._underlying(named, "interface")
            if interface is None or named.place in seen:
                continue
            seen.add(named.place)
            file, line = interface.file, interface.declaration.line
            for name in interface.declaration.members:
                yield Promoted(name=name, holder=named, file=file, function=None, line=line)
            rest += map(self.resolved, self._written(interface))

    def _written(self, holder: Holder) -> Iterator[Holder]:
        """Yield the types of the project's own that a type embeds or stands for, as they are written."""
        for named in holder.declaration.embedded:
            package = self.imported(holder.package, holder.file, named.qualifier)
            if package is not None:
                pointer = holder.by_pointer or named.pointer
                yield Holder(package=package, name=named.name, by_pointer=pointer)
