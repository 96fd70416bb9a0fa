"""The Go injector: lists a module's API and gives methods probes; text in, text out, same lines."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence

from abs_audit.model.subject import ApiListing, ApiMethod, Patch, Skipped, SourceTree
from injectors.go.layout import Package, packages
from injectors.go.promotion import Definition, definitions
from injectors.go.rewriting import Site, rewritten
from injectors.go.runtime import below, free_folder, runtime, sealed


class GoInjector:
    """Satisfies `abs_audit.interfaces.Injector` for Go."""

    def api_methods(self, tree: SourceTree) -> ApiListing:
        """List exported functions and methods, promoted ones too, and those that cannot carry a probe."""
        methods: list[ApiMethod] = []
        skipped: list[Skipped] = []
        for name, entries in sorted(definitions(packages(tree)).items()):
            first = entries[0]
            if not first.public:
                continue
            if first.function.reason:
                skipped.append(Skipped(method=name, reason=first.function.reason))
            else:
                methods.append(ApiMethod(id=name, path=first.path, line=first.function.line))
        return ApiListing(methods=tuple(methods), skipped=tuple(skipped))

    def instrument(self, tree: SourceTree, methods: Sequence[str]) -> Patch:
        """Give every method of `methods` a probe; unknown ids are skipped with a suggestion.

        A promoted method is probed where it is written, so calls through other types count as well.
        """
        found = packages(tree)
        known = definitions(found)
        wanted: dict[str, dict[str, list[Definition]]] = {}
        skipped: list[Skipped] = []
        for method in dict.fromkeys(methods):
            usable = [one for one in known.get(method, ()) if not one.function.reason]
            for one in usable:
                wanted.setdefault(one.package.path, {}).setdefault(method, []).append(one)
            if not usable:
                skipped.append(Skipped(method=method, reason=_reason(method, known)))
        files: dict[str, str] = {}
        roots = sorted({found[path].module for path in wanted})
        for number, root in enumerate(roots):
            of_module = {path: of for path, of in wanted.items() if found[path].module == root}
            files.update(_probed(tree, found, of_module, number))
        sealed_files, build_id = sealed(files)
        instrumented = {method for of_package in wanted.values() for method in of_package}
        return Patch(
            files=sealed_files,
            instrumented=tuple(method for method in dict.fromkeys(methods) if method in instrumented),
            skipped=tuple(skipped),
            build_id=build_id,
        )


def _probed(
    tree: SourceTree,
    found: Mapping[str, Package],
    wanted: Mapping[str, Mapping[str, Sequence[Definition]]],
    number: int,
) -> Iterator[tuple[str, str]]:
    """Yield the new texts of a module: its files with sites, and the runtime."""
    methods = [method for of_package in wanted.values() for method in of_package]
    some = found[next(iter(wanted))]
    folder = free_folder(some.module, tree)
    name = _free_name(tree)
    for path, of_package in wanted.items():
        sites: dict[str, list[Site]] = {}
        for method, entries in of_package.items():
            for one in entries:
                site = Site(body_at=one.function.body_at, number=methods.index(method))
                sites.setdefault(one.path, []).append(site)
        for file, of_file in sites.items():
            outline = found[path].outlines[file]
            yield file, rewritten(tree[file], outline, of_file, name, f"{some.module_path}/{folder}")
    for file, text in runtime(number, methods).items():
        yield below(some.module, f"{folder}/{file}"), text


def _free_name(tree: SourceTree) -> str:
    """Return the beginning of a name that no source uses."""
    name = "_abs"
    while any(name in text for text in tree.values()):
        name += "_"
    return name


def _reason(method: str, known: Mapping[str, Sequence[Definition]]) -> str:
    """Say why a method cannot carry a probe, or which one was probably meant."""
    entries = known.get(method)
    if entries:
        return entries[0].function.reason
    bare = _bare(method)
    same = sorted(name for name in known if _bare(name) == bare)
    same = same or sorted(name for name in known if _last_names(name) == _last_names(method))
    close = same or difflib.get_close_matches(method, known, n=1, cutoff=0.6)
    hint = f": did you mean {close[0]}?" if close else ": list them with `abs-audit inject`"
    return f"no such method in the sources{hint}"


def _bare(method: str) -> str:
    """Return an id without what is easily forgotten: star, parentheses and type parameters."""
    return re.sub(r"\[[^\]]*\]|[(*)]", "", method)


def _last_names(method: str) -> str:
    """Return type and method without the import path."""
    return ".".join(_bare(method).rpartition("/")[2].split(".")[-2:])
