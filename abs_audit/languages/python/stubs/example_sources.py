"""The places where a checkout shows how its library is called: benchmarks, tests, examples."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import PurePosixPath

from abs_audit.languages.python.stubs.library import imports
from abs_audit.languages.python.toolchain.layout import library_modules, module_name
from abs_audit.languages.python.toolchain.syntax import parsed
from abs_audit.model.subject import SourceTree

BENCHMARK_FOLDERS = re.compile(r"(asv_)?bench(e?s|mark(s|ing)?)?|perf(ormance)?|asv")
TEST_FOLDERS = re.compile(r"tests?|testing")
BENCHMARK_FILE = re.compile(r"(bench|bm|perf)(mark)?s?_.*|.*_(bench|benchmark)s?")


class Origin(IntEnum):
    """Where a call was seen; the smaller, the more it tells about real use."""

    RECORDED = 0
    BENCHMARK = 1
    TEST = 2
    DOCUMENTATION = 3
    INVENTED = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Page:
    """A parsed file."""

    path: str
    origin: Origin
    body: ast.Module
    bound: Mapping[str, tuple[str, str]]
    """Names imported at the top → module and name there."""
    module: str
    """The dotted name of the file; of a recorded call the module whose names it may use."""

    @property
    def folder(self) -> PurePosixPath:
        """Return the folder of the file."""
        return PurePosixPath(self.path).parent


def pages(tree: SourceTree, benchmark_files: frozenset[str]) -> Iterator[Page]:
    """Yield what shows calls of the library; files that do not parse are left out."""
    own = {module.path for module in library_modules(tree).values()}
    for path, text in tree.items():
        if path.endswith(".py") and path not in own and not path.startswith("."):
            body = parsed(text)
            if body is not None:
                yield _page(path, _origin(path, benchmark_files), body, module_name(PurePosixPath(path)))


def _page(path: str, origin: Origin, body: ast.Module, module: str) -> Page:
    bound: dict[str, tuple[str, str]] = {}
    is_package = PurePosixPath(path).name == "__init__.py"
    for node in ast.walk(body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound = imports(node, module, is_package) | bound
    return Page(path=path, origin=origin, body=body, bound=bound, module=module)


def _origin(path: str, benchmark_files: frozenset[str]) -> Origin:
    pure = PurePosixPath(path)
    named = BENCHMARK_FILE.fullmatch(pure.stem) or any(map(BENCHMARK_FOLDERS.fullmatch, pure.parts[:-1]))
    if path in benchmark_files or named:
        return Origin.BENCHMARK
    tests = any(map(TEST_FOLDERS.fullmatch, pure.parts[:-1])) or pure.stem.startswith(("test", "conftest"))
    return Origin.TEST if tests else Origin.DOCUMENTATION
