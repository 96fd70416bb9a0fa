"""Methods that a type has because it embeds another one: `Engine.GET` is `RouterGroup.GET`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from abs_audit.languages.go.toolchain.layout import Package, SourceFile
from abs_audit.languages.go.toolchain.outline import Function, TypeDeclaration, TypeName

_DEEPEST = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A type of the project's own, as it is reached from another one."""

    package: Package
    name: str
    by_pointer: bool
    """Whether a pointer is embedded on the way to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promoted:
    """A method that a type has from what it embeds."""

    name: str
    holder: Holder
    file: SourceFile
    function: Function | None
    """None: a method of an interface, which has no body."""
    line: int


def resolved(packages: Mapping[str, Package], holder: Holder) -> Holder:
    """Follow aliases to the type that they stand for."""
    for _ in range(_DEEPEST):
        declared = holder.package.types.get(holder.name)
        if declared is None or declared[1].kind != "alias":
            break
        targets = list(_written(packages, holder, declared[0], declared[1].embedded))
        if not targets:
            break
        holder = targets[0]
    return holder


def promoted(packages: Mapping[str, Package], package: Package, name: str) -> Iterator[Promoted]:
    """Yield what a type inherits, by Go's rule: the least deep one, if it is the only one so deep.

    An alias has all that belongs to the type it stands for.
    """
    start = Holder(package=package, name=name, by_pointer=False)
    target = resolved(packages, start)
    if target != start:
        declared = target.package.types.get(target.name)
        # Aliases that stand for each other lead nowhere.
        if declared is None or declared[1].kind == "alias":
            return
        yield from _methods(packages, target)
        yield from promoted(packages, target.package, target.name)
        return
    declaration = _underlying(packages, start)
    if declaration is None or declaration[1].kind != "struct":
        return
    hidden = {function.name for _, function in package.methods.get(name, ())} | _own_names(declaration[1])
    level, seen = list(_below(packages, start)), {(package.path, name)}
    for _ in range(_DEEPEST):
        candidates: dict[str, list[Promoted]] = {}
        names: list[str] = []
        for holder in level:
            underlying = _underlying(packages, holder)
            names += (
                _own_names(underlying[1]) if underlying is not None and underlying[1].kind == "struct" else ()
            )
            for method in _methods(packages, holder):
                candidates.setdefault(method.name, []).append(method)
                names.append(method.name)
        for own, entries in candidates.items():
            if own not in hidden and names.count(own) == 1:
                yield entries[0]
        hidden |= set(names)
        fresh = [holder for holder in level if (holder.package.path, holder.name) not in seen]
        seen |= {(holder.package.path, holder.name) for holder in level}
        level = [deeper for holder in fresh for deeper in _below(packages, holder)]


def _own_names(declaration: TypeDeclaration) -> set[str]:
    """Return the names of a struct's fields, embedded ones too."""
    return {*declaration.members, *(inner.name for inner in declaration.embedded)}


def _underlying(
    packages: Mapping[str, Package], holder: Holder
) -> tuple[SourceFile, TypeDeclaration, Package] | None:
    """Return the declaration whose fields a type has: its own, or that of the type it is defined by."""
    for _ in range(_DEEPEST):
        holder = resolved(packages, holder)
        declared = holder.package.types.get(holder.name)
        if declared is None or declared[1].kind != "defined":
            return (*declared, holder.package) if declared is not None else None
        targets = list(_named(packages, holder, declared[0], declared[1].embedded))
        if not targets:
            return None
        holder = targets[0]
    return None


def _below(packages: Mapping[str, Package], holder: Holder) -> Iterator[Holder]:
    underlying = _underlying(packages, holder)
    if underlying is not None and underlying[1].kind == "struct":
        inside = Holder(package=underlying[2], name=underlying[1].name, by_pointer=holder.by_pointer)
        yield from _named(packages, inside, underlying[0], underlying[1].embedded)


def _methods(packages: Mapping[str, Package], holder: Holder) -> Iterator[Promoted]:
    underlying = _underlying(packages, holder)
    if underlying is not None and underlying[1].kind == "interface":
        yield from _abstract(packages, holder, underlying[0], underlying[1])
        return
    for file, function in holder.package.methods.get(holder.name, ()):
        if file.compiled and not file.is_test:
            yield Promoted(
                name=function.name, holder=holder, file=file, function=function, line=function.line
            )


def _abstract(
    packages: Mapping[str, Package], holder: Holder, file: SourceFile, declaration: TypeDeclaration
) -> Iterator[Promoted]:
    """Yield the methods of an interface and of those that it embeds."""
    rest, seen = [(holder, file, declaration)], set[tuple[str, str]]()
    while rest:
        interface, file, declaration = rest.pop()
        if (interface.package.path, interface.name) in seen:
            continue
        seen.add((interface.package.path, interface.name))
        for name in declaration.members:
            yield Promoted(name=name, holder=interface, file=file, function=None, line=declaration.line)
        for embedded in _named(packages, interface, file, declaration.embedded):
            underlying = _underlying(packages, embedded)
            if underlying is not None and underlying[1].kind == "interface":
                rest.append((embedded, underlying[0], underlying[1]))


def _named(
    packages: Mapping[str, Package], holder: Holder, file: SourceFile, names: tuple[TypeName, ...]
) -> Iterator[Holder]:
    """Yield the types of the project's own among those that a file names, aliases followed."""
    for written in _written(packages, holder, file, names):
        yield resolved(packages, written)


def _written(
    packages: Mapping[str, Package], holder: Holder, file: SourceFile, names: tuple[TypeName, ...]
) -> Iterator[Holder]:
    for named in names:
        package = imported(packages, holder.package, file, named.qualifier)
        if package is not None:
            yield Holder(package=package, name=named.name, by_pointer=holder.by_pointer or named.pointer)


def imported(
    packages: Mapping[str, Package], own: Package, file: SourceFile, qualifier: str
) -> Package | None:
    """Return the package of the project that a file knows by a name; its own for none."""
    if not qualifier:
        return own
    for name, path in file.outline.imports:
        package = packages.get(path)
        if package is not None and qualifier == (name or package.name):
            return package
    return None
