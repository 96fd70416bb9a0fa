"""The Go injector: lists a module's API and gives methods probes; text in, text out, same lines."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from abs_audit.grouping import grouped
from abs_audit.injectors.build_id import sealed
from abs_audit.injectors.go.rewriting import Site, rewritten
from abs_audit.injectors.go.runtime import CARRIER, below, free_folder, runtime
from abs_audit.injectors.suggestions import LISTED, did_you_mean
from abs_audit.languages.go.toolchain.catalogue import Catalogue, Definition
from abs_audit.languages.go.toolchain.layout import VENDORED, Package
from abs_audit.languages.go.toolchain.outline import free_name
from abs_audit.model.subject import ApiListing, ApiMethod, Patch, Skipped, SourceTree


class GoInjector:
    """Satisfies `abs_audit.interfaces.Injector` for Go."""

    def api_methods(self, tree: SourceTree) -> ApiListing:
        """List exported functions and methods, promoted ones too, and those that cannot carry a probe."""
        catalogue = Catalogue(tree)
        unreadable = (Skipped(method=f"{path}.*", reason=reason) for path, reason in catalogue.unreadable())
        public = ((_listed(method), method.reason) for method in catalogue.public())
        return ApiListing.of(public, unreadable)

    def all_functions(self, tree: SourceTree) -> tuple[ApiMethod, ...]:
        """List every function and method where it is written, exported or not, that can carry a probe."""
        by_place: dict[tuple[str, int], ApiMethod] = {}
        for name, entries in sorted(Catalogue(tree).all.items()):
            definition, file = entries[0], entries[0].file
            if definition.is_written(name) and not definition.reason and file.compiled and not file.is_test:
                method = ApiMethod(id=name, path=file.path, line=definition.line)
                by_place[file.path, definition.line] = method
        return tuple(by_place.values())

    def instrument(self, tree: SourceTree, methods: Sequence[str]) -> Patch:
        """Give every method of `methods` a probe; unknown ids are skipped with a suggestion.

        A promoted method is probed where it is written, so calls through other types count as well. Where
        files for different machines define a method, each definition is probed.
        """
        catalogue = Catalogue(tree)
        wanted: dict[str, list[Definition]] = {}
        skipped: dict[str, str] = {}
        for method in dict.fromkeys(methods):
            definitions = catalogue.find(method)
            usable = [definition for definition in definitions if not definition.reason]
            if usable and definitions[0] is usable[0]:
                wanted[method] = usable
            else:
                skipped[method] = definitions[0].reason if definitions else unknown(method, catalogue)
        files: dict[str, str] = {}
        modules = grouped((entries[0].package.module, method) for method, entries in wanted.items())
        for number, (_, own) in enumerate(sorted(modules.items())):
            files.update(_probed(tree, {method: wanted[method] for method in own}, number))
        written = {method: entries[0].written for method, entries in wanted.items()}
        bodies = {method: body for method, body in written.items() if body != method}
        return sealed(files, CARRIER, wanted, skipped, bodies)


def _listed(definition: Definition) -> ApiMethod:
    inherited = not definition.is_written(definition.id)
    return ApiMethod(id=definition.id, path=definition.file.path, line=definition.line, inherited=inherited)


def _probed(
    tree: SourceTree, methods: Mapping[str, Sequence[Definition]], number: int
) -> Iterator[tuple[str, str]]:
    """Yield the new texts of a module: its files with sites, and the runtime."""
    package: Package = next(iter(methods.values()))[0].package
    folder = free_folder(package.module, tree)
    name = free_name(tree)
    sites = grouped(
        (definition.file, Site(function=definition.function, number=site))
        for site, entries in enumerate(methods.values())
        for definition in entries
        if definition.function is not None
    )
    for source, of_file in sites.items():
        yield source.path, rewritten(source, of_file, name, f"{package.module_path}/{folder}")
    for file, text in runtime(number, list(methods)).items():
        yield below(package.module, f"{folder}/{file}"), text


def unknown(method: str, catalogue: Catalogue) -> str:
    """Return why an id means nothing, with the id that was probably meant."""
    candidates = [definition.id for definition in catalogue.public() if not definition.reason]
    candidates += [name for name, entries in catalogue.all.items() if not entries[0].reason]
    # Without the path, with the package's name and without it.
    tails = (partial(_last, names=3), partial(_last, names=2))
    meant = did_you_mean(method, candidates, _bare, *tails, lambda name: _bare(name).casefold())
    if not meant and VENDORED & set(method.split("/")):
        return "vendored: the source of another project; replace it by a copy and audit that"
    return meant or LISTED


def _bare(method: str) -> str:
    """Return an id without what is easily forgotten or written differently."""
    return re.sub(r"\[[^\]]*\]|[(*)&\s]", "", method).replace("#", ".")


def _last(method: str, names: int) -> str:
    """Return the last names of an id: package, type and method."""
    return ".".join(_bare(method).rpartition("/")[2].split(".")[-names:])
