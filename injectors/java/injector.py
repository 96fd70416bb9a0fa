"""The Java injector: lists a library's API and gives methods probes; text in, text out."""

from collections.abc import Iterable, Mapping, Sequence

from abs_audit.injectors.build_id import sealed
from abs_audit.injectors.java.catalogue import LibraryMethod, catalogue
from abs_audit.injectors.java.fixtures import fixtures
from abs_audit.injectors.java.rewriting import Site, rewritten, untimed, with_probe
from abs_audit.injectors.java.runtime import CARRIER, package_of, runtime, switches_of
from abs_audit.injectors.java.suggestions import unknown
from abs_audit.languages.java.toolchain.declarations import SourceFile
from abs_audit.languages.java.toolchain.layout import source_root
from abs_audit.model.subject import ApiListing, ApiMethod, Patch, Skipped, SourceTree


class JavaInjector:
    """Satisfies `abs_audit.interfaces.Injector` for Java."""

    def api_methods(self, tree: SourceTree) -> ApiListing:
        """List the public methods and constructors of public types, and those that cannot carry a probe."""
        listed = catalogue(tree)
        unreadable = [
            Skipped(
                method=f"{path}: *",
                reason=f"{path}, line {file.error_line}: expected Java that can be read without a compiler",
            )
            for path, file in listed.unreadable.items()
        ]
        return _listing((method for method in listed.methods if method.is_public), unreadable)

    def all_functions(self, tree: SourceTree) -> tuple[ApiMethod, ...]:
        """List every method and constructor that can carry a probe, private ones too."""
        return _listing(catalogue(tree).methods).methods

    def instrument(self, tree: SourceTree, methods: Sequence[str]) -> Patch:
        """Give every method of `methods` a probe; unknown ids are skipped with a suggestion.

        A method need not be public: what implements an interface often is not. One that several flavours
        of the library declare gets a probe in each.
        """
        listed = catalogue(tree)
        known = listed.by_id()
        probed: dict[str, list[LibraryMethod]] = {}
        skipped: list[Skipped] = []
        taken: dict[int, str] = {}
        for method in dict.fromkeys(methods):
            declared = [declaration for declaration in known.get(method, []) if not declaration.reason]
            twice = [taken[id(declaration)] for declaration in declared if id(declaration) in taken]
            if twice:
                skipped.append(Skipped(method=method, reason=f"the same constructor as {twice[0]}"))
            elif declared:
                probed[method] = declared
                taken.update((id(declaration), method) for declaration in declared)
            else:
                reason = known[method][0].reason if method in known else unknown(method, listed)
                skipped.append(Skipped(method=method, reason=reason))
        files, build_id = sealed(_patched(tree, probed, listed.benchmarks), CARRIER)
        return Patch(files=files, instrumented=tuple(probed), skipped=tuple(skipped), build_id=build_id)


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
