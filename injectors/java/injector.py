"""The Java injector: lists a library's API and gives methods probes; text in, text out."""

import re
from collections.abc import Iterable, Mapping, Sequence

from abs_audit.injectors.build_id import sealed
from abs_audit.injectors.java.catalogue import Catalogue, LibraryMethod, catalogue
from abs_audit.injectors.java.fixtures import fixtures
from abs_audit.injectors.java.rewriting import Site, rewritten, untimed, with_probe
from abs_audit.injectors.java.runtime import CARRIER, package_of, runtime, switches_of
from abs_audit.injectors.suggestions import LISTED, did_you_mean
from abs_audit.languages.java.toolchain.declarations import SourceFile
from abs_audit.languages.java.toolchain.ids import split
from abs_audit.languages.java.toolchain.layout import source_root
from abs_audit.model.subject import ApiListing, ApiMethod, Patch, Skipped, SourceTree

_INNERMOST_ARGUMENTS = re.compile(r"<(?!init>)[^<>]*>")


class JavaInjector:
    """Satisfies `abs_audit.interfaces.Injector` for Java."""

    def api_methods(self, tree: SourceTree) -> ApiListing:
        """List the public methods and constructors, and those that cannot carry a probe."""
        listed = catalogue(tree)
        unreadable = [
            Skipped(
                method=f"{path}: *",
                reason=f"{path}, line {file.error_line}: expected Java that can be read without a compiler",
            )
            for path, file in listed.unreadable.items()
        ]
        return _listing(listed.public(), unreadable)

    def all_functions(self, tree: SourceTree) -> tuple[ApiMethod, ...]:
        """List every method and constructor that can carry a probe, private ones too."""
        return _listing(catalogue(tree).methods).methods

    def instrument(self, tree: SourceTree, methods: Sequence[str]) -> Patch:
        """Give every method of `methods` a probe; unknown ids are skipped with a suggestion.

        A method need not be public: what implements an interface often is not. One that several flavours
        of the library declare gets a probe in each.
        """
        listed = catalogue(tree)
        by_id = listed.by_id()
        probed: dict[str, list[LibraryMethod]] = {}
        skipped: dict[str, str] = {}
        taken: dict[int, str] = {}
        for method in dict.fromkeys(methods):
            declared = [declaration for declaration in by_id.get(method, []) if not declaration.reason]
            twice = [taken[id(declaration)] for declaration in declared if id(declaration) in taken]
            if twice:
                skipped[method] = f"the same constructor as {twice[0]}"
            elif declared:
                probed[method] = declared
                taken.update((id(declaration), method) for declaration in declared)
            else:
                skipped[method] = by_id[method][0].reason if method in by_id else unknown(method, listed)
        return sealed(_patched(tree, probed, listed.benchmarks), CARRIER, probed, skipped)


def _listing(methods: Iterable[LibraryMethod], unreadable: Iterable[Skipped] = ()) -> ApiListing:
    places = (
        (ApiMethod(id=method.id, path=method.path, line=method.declaration.line), method.reason)
        for method in methods
    )
    return ApiListing.of(places, unreadable)


def _patched(
    tree: SourceTree, probed: Mapping[str, Iterable[LibraryMethod]], benchmarks: Iterable[SourceFile]
) -> dict[str, str]:
    """Return the rewritten files and a copy of the runtime for each folder in which their packages begin."""
    around = fixtures(benchmarks) if probed else {}
    sites: dict[str, dict[str, list[LibraryMethod]]] = {root: {} for root in around}
    for method, declared in probed.items():
        for declaration in declared:
            root = source_root(declaration.owner.file)
            assert root is not None
            sites.setdefault(root, {}).setdefault(method, []).append(declaration)
    files: dict[str, str] = {}
    for copy, (root, here) in enumerate(sorted(sites.items()), start=1):
        package = package_of(copy)
        for name, text in runtime(package, tuple(here)).items():
            files[f"{root}/{package}/{name}" if root else f"{package}/{name}"] = text
        by_path: dict[str, list[Site]] = {
            path: [untimed(body, f"{package}.Probe") for body in bodies]
            for path, bodies in around.get(root, {}).items()
        }
        for number, declared in enumerate(here.values()):
            for declaration in declared:
                assert declaration.declaration.body is not None
                site = with_probe(declaration.declaration.body, switches_of(package, number), number)
                by_path.setdefault(declaration.path, []).append(site)
        files.update((path, rewritten(tree[path], sites)) for path, sites in by_path.items())
    return files


def unknown(method: str, listed: Catalogue) -> str:
    """Return why an id means nothing, with the id that was probably meant."""
    inherited = {candidate.id for candidate in listed.methods if _declares(candidate, method, listed)}
    meant = did_you_mean(
        method,
        (candidate.id for candidate in listed.methods if not candidate.reason),
        _plain,
        lambda name: "inherited" if name == method or name in inherited else name,
        _named,
        # Without the package, and without the outer classes.
        lambda name: ".".join(_named(name).split(".")[-2:]),
    )
    source = split(method)[0].partition("$")[0].replace(".", "/")
    path = next((path for path in listed.unreadable if path.endswith(f"{source}.java")), None)
    if path is not None:
        line = listed.unreadable[path].error_line
        return f"{path}, line {line}: the file cannot be read without a compiler"
    return meant or LISTED


def _named(method: str) -> str:
    """Return an id without its parameters."""
    return _plain(method).partition("(")[0]


def _plain(method: str) -> str:
    """Return an id without what people write otherwise: `$`, blanks, type arguments, varargs."""
    text = method.replace("$", ".").replace(" ", "").replace("...", "[]").replace("#", ".")
    while (shorter := _INNERMOST_ARGUMENTS.sub("", text)) != text:
        text = shorter
    return text


def _declares(candidate: LibraryMethod, method: str, listed: Catalogue) -> bool:
    """Tell whether a method is what a type inherits under an id."""
    owner, *signature = split(method)
    if owner not in listed.names.types or split(candidate.id)[1:] != tuple(signature):
        return False
    return candidate.owner.binary in listed.names.lineage(owner)
