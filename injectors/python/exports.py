"""Which names of a library its users may import."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from abs_audit.injectors.python.outline import Import, Outline
from abs_audit.languages.python.toolchain.layout import LibraryModule, is_public


@dataclass(frozen=True, slots=True, kw_only=True)
class Exports:
    """The public modules, and the names of private ones that public modules pass on."""

    modules: frozenset[str]
    passed_on: frozenset[tuple[str, str]]
    """Defining module and top-level name there."""

    def covers(self, module: str, name: str) -> bool:
        """Tell whether `Class.method` of a module can be reached by public names alone."""
        top, *rest = name.split(".")
        reachable = (module in self.modules and is_public(top)) or (module, top) in self.passed_on
        return reachable and all(is_public(part) for part in rest)


def exports(modules: Mapping[str, LibraryModule], outlines: Mapping[str, Outline]) -> Exports:
    """Work out what the modules without a private name define or import under a public one."""
    public = {name for name in outlines if modules[name].is_public}
    passed_on: set[tuple[str, str]] = set()
    for name in sorted(public):
        for source, imported in _bound_publicly(modules[name], outlines):
            if f"{source}.{imported}" in outlines:
                public.add(f"{source}.{imported}")
            passed_on.update(_origins((source, imported), modules, outlines, frozenset()))
    return Exports(modules=frozenset(public), passed_on=frozenset(passed_on))


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


def _origins(
    name: tuple[str, str],
    modules: Mapping[str, LibraryModule],
    outlines: Mapping[str, Outline],
    seen: frozenset[tuple[str, str]],
) -> Iterator[tuple[str, str]]:
    """Yield each module of the library and the name there that a module's name may come to stand for.

    There are several where a module chooses among implementations when it is imported.
    """
    source, spelling = name
    if source not in outlines or name in seen:
        return
    if spelling in outlines[source].top_level:
        yield name
    for line in outlines[source].imports:
        if line.bound == spelling:
            further = _absolute(modules[source], line), line.name
            yield from _origins(further, modules, outlines, seen | {name})


def _absolute(module: LibraryModule, line: Import) -> str:
    """Return the full name of the module that an import names."""
    if not line.level:
        return line.module or module.name
    parts = module.name.split(".")
    up = line.level - 1 if module.is_package else line.level
    return ".".join([*parts[: len(parts) - up], *([line.module] if line.module else [])])
