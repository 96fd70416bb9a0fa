"""Methods that a struct has because it embeds another type: `Engine.GET` is `RouterGroup.GET`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from injectors.go.layout import Package
from injectors.go.outline import Function

_DEEPEST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A method id and the function that executes under it."""

    id: str
    package: Package
    """The one that holds the function."""
    path: str
    function: Function
    promoted: bool
    public: bool


def definitions(packages: Mapping[str, Package]) -> dict[str, list[Definition]]:
    """Return id → its definitions: several where files of one package exclude each other."""
    found: dict[str, list[Definition]] = {}
    for one in packages.values():
        for path, function in one.functions():
            entry = Definition(
                id=f"{one.path}.{function.id}",
                package=one,
                path=path,
                function=function,
                promoted=False,
                public=_is_public(one, function, function.receiver),
            )
            found.setdefault(entry.id, []).append(entry)
    own = {name: list(entries) for name, entries in found.items()}
    for one in packages.values():
        for entry in _promoted(packages, one):
            if entry.id not in own:
                found.setdefault(entry.id, []).append(entry)
    return found


def _is_public(package: Package, function: Function, type_name: str) -> bool:
    return package.public and function.exported and (not type_name or type_name[:1].isupper())


def _promoted(packages: Mapping[str, Package], package: Package) -> Iterator[Definition]:
    structs = {embedding.struct for one in package.outlines.values() for embedding in one.embeddings}
    for struct in sorted(structs):
        seen = {function.name for _, function in package.functions() if function.receiver == struct}
        for holder, path, function in _inherited(packages, (package, struct), _DEEPEST):
            if function.name in seen:
                continue
            seen.add(function.name)
            name = f"(*{struct})" if function.pointer else struct
            yield Definition(
                id=f"{package.path}.{name}.{function.name}",
                package=holder,
                path=path,
                function=function,
                promoted=True,
                public=_is_public(package, function, struct),
            )


def _inherited(
    packages: Mapping[str, Package], struct: tuple[Package, str], depth: int
) -> Iterator[tuple[Package, str, Function]]:
    """Yield the methods of embedded types, the shallowest first, as Go itself looks for them."""
    level = list(_embedded(packages, struct))
    for _ in range(depth):
        for holder, type_name in level:
            for path, function in holder.functions():
                if function.receiver == type_name and function.receiver:
                    yield holder, path, function
        level = [deeper for one in level for deeper in _embedded(packages, one)]


def _embedded(packages: Mapping[str, Package], struct: tuple[Package, str]) -> Iterator[tuple[Package, str]]:
    package, name = struct
    for one in package.outlines.values():
        for embedding in one.embeddings:
            if embedding.struct != name:
                continue
            if not embedding.qualifier:
                yield package, embedding.type
                continue
            holder = packages.get(dict(one.imports).get(embedding.qualifier, ""))
            if holder is not None:
                yield holder, embedding.type
