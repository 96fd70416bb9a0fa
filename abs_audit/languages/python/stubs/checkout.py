"""One checkout as far as it tells how its library is called: read once, asked many times."""

from collections.abc import Iterable
from functools import cached_property

from abs_audit.languages.python.stubs.call_sites import CallSite, call_sites
from abs_audit.languages.python.stubs.example_sources import Origin, Page, pages
from abs_audit.languages.python.stubs.extraction import Extraction
from abs_audit.languages.python.stubs.library import Library, Symbol
from abs_audit.languages.python.stubs.repeatability import Definition
from abs_audit.languages.python.stubs.scopes import Scopes
from abs_audit.languages.python.stubs.values import SampleValues
from abs_audit.model.subject import SourceTree


class Checkout:
    """The library, the pages that use it, and the readers of both."""

    def __init__(self, tree: SourceTree, benchmark_files: frozenset[str]) -> None:
        self.tree = tree
        self.pages = tuple(pages(tree, benchmark_files))
        measuring = [page for page in self.pages if page.path in benchmark_files]
        bound = [(name, *source) for page in measuring for name, source in page.bound.items()]
        self.library = Library(tree, (module for _, module, _ in bound))
        own = [(name, module, inner) for name, module, inner in bound if self.library.is_own(module)]
        whole = {module for name, module, inner in own if not inner and name == module}
        self.whole = frozenset(whole - {module for _, module, inner in own if inner})
        """Modules that benchmarks import whole only: `attrs.field`, but never `from attrs import field`."""
        self.scopes = Scopes(self.pages)
        self.sample_values = SampleValues(self.library)
        self.extraction = Extraction(self.library, self.scopes, _third_party(self.library, self.pages))

    @cached_property
    def call_sites(self) -> dict[str, list[CallSite]]:
        """Return what may be a call, by the method's own name, benchmarks first."""
        return call_sites(self.pages)

    def family(self, definition: Definition) -> list[Symbol]:
        """Return the classes on which a call ends in a definition: holder, and heirs without their own."""
        holder = definition.symbol
        if holder not in self.library.classes:
            return []
        heirs = [heir for heir in self.library.heirs.get(holder, ()) if not heir.is_private]
        return [holder, *(heir for heir in heirs if self.library.owner(heir, definition.name) == holder)]


def _third_party(library: Library, pages_read: Iterable[Page]) -> frozenset[str]:
    """Return the packages that are there whenever the benchmarks are: those the library and they import."""
    benchmarks = (page for page in pages_read if page.origin is Origin.BENCHMARK)
    bound = [file.bound for files in (library.modules, benchmarks) for file in files]
    sources = {source.partition(".")[0] for names in bound for source, _ in names.values()}
    return frozenset(sources - {"", "pytest", "pyperf"})
