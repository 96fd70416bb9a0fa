"""One checkout as far as it tells how its library is called: read once, asked many times."""

import ast
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, cached_property

from abs_audit.languages.python.stubs.call_sites import CallSite, call_sites
from abs_audit.languages.python.stubs.example_sources import Origin, Page, pages
from abs_audit.languages.python.stubs.extraction import Extraction
from abs_audit.languages.python.stubs.library import LONGEST_CHAIN, Library, Symbol, starred
from abs_audit.languages.python.stubs.repeatability import Definition
from abs_audit.languages.python.stubs.scopes import Scopes
from abs_audit.languages.python.stubs.values import SampleValues
from abs_audit.model.subject import SourceTree


class Checkout:
    """The library, the pages that use it, and the readers of both."""

    def __init__(self, tree: SourceTree, benchmark_files: frozenset[str]) -> None:
        self.tree = tree
        read = tuple(pages(tree, benchmark_files))
        measuring = [page for page in read if page.path in benchmark_files]
        bound = [(name, *source) for page in measuring for name, source in page.bound.items()]
        self.library = Library(tree, (module for _, module, _ in bound))
        own = [(name, module, inner) for name, module, inner in bound if self.library.is_own(module)]
        whole = {module for name, module, inner in own if not inner and name == module}
        self.whole = frozenset(whole - {module for _, module, inner in own if inner})
        """Modules that benchmarks import whole only: `attrs.field`, but never `from attrs import field`."""
        stars = _Stars(self.library, read)
        self.pages = tuple(map(stars.told, read))
        self._family = cache(self._family_of)
        self.scopes = Scopes(self.pages)
        self.sample_values = SampleValues(self.library)
        self.extraction = Extraction(self.library, self.scopes, _third_party(self.library, self.pages))

    @cached_property
    def call_sites(self) -> dict[str, list[CallSite]]:
        """Return what may be a call, by the method's own name, benchmarks first."""
        return call_sites(self.pages)

    def family(self, definition: Definition) -> list[Symbol]:
        """Return the classes on which a call ends in a definition: holder, and heirs without their own."""
        return self._family(definition.symbol, definition.name)

    def _family_of(self, holder: Symbol, method: str) -> list[Symbol]:
        if holder not in self.library.classes:
            return []
        heirs = [heir for heir in self.library.heirs.get(holder, ()) if not heir.is_private]
        return [holder, *(heir for heir in heirs if self.library.owner(heir, method) == holder)]


class _Stars:
    """What names mean that pages import with a star: from the library, or through each other."""

    def __init__(self, library: Library, pages_read: Iterable[Page]) -> None:
        self._library = library
        self._pages = {page.module: page for page in pages_read}

    def told(self, page: Page) -> Page:
        """Return a page with each name that it uses and imports with a star as if it imported that itself."""
        if not starred(page.bound):
            return page
        names = [node for node in ast.walk(page.body) if isinstance(node, ast.Name)]
        own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        used = sorted({node.id for node in names} - own - page.bound.keys())
        sources = ((name, self._source(page, name)) for name in used)
        return replace(page, bound={**page.bound, **{name: source for name, source in sources if source}})

    def _source(self, page: Page, name: str, depth: int = 0) -> tuple[str, str] | None:
        """Return module and name there of what a page binds to a name by an import; None: nothing."""
        if name in page.bound:
            return page.bound[name]
        for source in starred(page.bound) if depth < LONGEST_CHAIN else ():
            if self._library.passed(source, name):
                return source, name
            through = self._pages.get(source)
            if through is not None and (given := self._source(through, name, depth + 1)):
                return given
        return None


def _third_party(library: Library, pages_read: Iterable[Page]) -> frozenset[str]:
    """Return the packages that are there whenever the benchmarks are: those the library and they import."""
    benchmarks = (page for page in pages_read if page.origin is Origin.BENCHMARK)
    bound = [file.bound for files in (library.modules, benchmarks) for file in files]
    sources = {source.partition(".")[0] for names in bound for source, _ in names.values()}
    return frozenset(sources - {"", "pytest", "pyperf"})
