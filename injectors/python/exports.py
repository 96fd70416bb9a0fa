"""Which names of a library its users may import."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from abs_audit.injectors.python.outline import Import, Outline
from abs_audit.languages.python.toolchain.layout import LibraryModule, is_public


@dataclass(frozen=True, slots=True, kw_only=True)
class Publicity:
    """The public modules, and the names of private ones that public modules pass on."""

    modules: frozenset[str]
    passed_on: frozenset[tuple[str, str]]
    """Defining module and top-level name there."""

    def covers(self, module: str, name: str) -> bool:
        """Tell whether `Class.method` of a module can be reached by public names alone."""
        top, *rest = name.split(".")
        reachable = (module in self.modules and is_public(top)) or (module, top) in self.passed_on
        return reachable and all(is_public(part) for part in rest)


def publicity(modules: Mapping[str, LibraryModule], outlines: Mapping[str, Outline]) -> Publicity:
    """Work out what the modules without a private name define or import under a public one."""
    public = {name for name in outlines if modules[name].is_public}
    passed_on: set[tuple[str, str]] = set()
    for name in sorted(public):
        for source, imported in _bound_publicly(modules[name], outlines):
            if f"{source}.{imported}" in outlines:
                public.add(f"{source}.{imported}")
            origin = _origin(source, imported, modules, outlines)
            if origin is not None:
                passed_on.add((origin, imported))
    return Publicity(modules=frozenset(public), passed_on=frozenset(passed_on))


def _bound_publicly(module: LibraryModule, outlines: Mapping[str, Outline]) -> Iterator[tuple[str, str]]:
    """Return the module and the name there of whatever `module` imports under a public name."""
    own = outlines[module.name]
    for line in own.imports:
        source = _absolute(module, line)
        if line.name == "*":
            yield from ((source, name) for name in _starred(outlines.get(source)))
        elif is_public(line.bound) and (own.exported is None or line.bound in own.exported):
            yield source, line.name


def _starred(source: Outline | None) -> frozenset[str]:
    if source is None:
        return frozenset()
    if source.exported is not None:
        return source.exported
    return frozenset(name for name in source.top_level if not name.startswith("_"))


def _origin(
    source: str, name: str, modules: Mapping[str, LibraryModule], outlines: Mapping[str, Outline]
) -> str | None:
    """Return the module that defines what `source` calls `name`; None if it is not of the library.

    Follows a name that keeps its spelling from import to import.
    """
    seen: set[str] = set()
    while source in outlines and source not in seen:
        seen.add(source)
        if name in outlines[source].top_level:
            return source
        further = [line for line in outlines[source].imports if line.bound == name == line.name]
        if not further:
            return None
        source = _absolute(modules[source], further[0])
    return None


def _absolute(module: LibraryModule, line: Import) -> str:
    """Return the full name of the module that an import names."""
    if not line.level:
        return line.module
    parts = module.name.split(".")
    up = line.level - 1 if module.is_package else line.level
    return ".".join([*parts[: len(parts) - up], *([line.module] if line.module else [])])
