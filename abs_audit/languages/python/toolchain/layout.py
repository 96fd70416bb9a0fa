"""Which files of a checkout belong to the library, and under which module name."""

import contextlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from configparser import ConfigParser
from configparser import Error as ConfigError
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Any

from abs_audit.model.subject import SourceTree

SOURCE_ROOTS = ("src", "", "lib", "python")
"""Folders that packages are looked for in where a project names none; the first that holds any counts."""
PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")

_INSTALLED = frozenset({"venv", "site-packages", "node_modules"})
_PURPOSES = "asv_bench benchmark doc example sample script test tool tutorial"
_OTHERS = "bench benches build ci dist perf testing"
_NOT_LIBRARY = _INSTALLED.union(
    _OTHERS.split(), (f"{name}{plural}" for name in _PURPOSES.split() for plural in ("", "s"))
)
_NOT_NAMESPACES = _NOT_LIBRARY.union(SOURCE_ROOTS)
_SCRIPTS = "__init__ bench benchmark benchmarks dodo fabfile noxfile setup tasks versioneer"
_NOT_MODULES = frozenset(_SCRIPTS.split())
_PACKAGE_DIR = re.compile(r"""package_dir\s*=\s*\{\s*(?:""|'')\s*:\s*["']([^"']+)""")
_TEST_FILE = re.compile(r"test_\w+\.py|\w+_test\.py|conftest\.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryModule:
    """One importable file of the library."""

    name: str
    """Dotted, as an import statement writes it."""
    path: str
    root: str
    """The folder that has to be on the import path; empty for the root of the checkout."""

    @property
    def is_package(self) -> bool:
        """Tell whether the file is the `__init__` of a package."""
        return PurePosixPath(self.path).name == "__init__.py"

    @property
    def is_public(self) -> bool:
        """Tell whether no part of the module's name is private."""
        return all(is_public(part) for part in self.name.split("."))


def is_public(name: str) -> bool:
    """Tell whether a name has no leading underscore or is one that Python itself calls."""
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def imported_as(path: Path) -> str:
    """Return the dotted name under which a file is imported: up to the folder that is no package.

    Below the `src` of a project that folder is `src` itself, since namespace packages have no `__init__.py`;
    elsewhere such a package counts where a file of the project imports from it.
    """
    source = next(
        (folder for folder in path.parents if folder.name == "src" and _is_project(folder.parent)), None
    )
    within = takewhile(
        lambda folder: folder != source if source else (folder / "__init__.py").is_file(), path.parents
    )
    packages = [*within]
    project = next(filter(_is_project, path.parents), None)
    # Of a package that lies in the project's own folder nothing has to be read.
    outer = packages[-1].parent if packages and not source else None
    if project and outer and project in outer.parents and outer in _namespaces(project):
        packages += takewhile(lambda folder: folder != project, packages[-1].parents)
    name = path.name.split(".")[0]
    return ".".join(
        [*reversed([folder.name for folder in packages]), *([] if name == "__init__" else [name])]
    )


def _is_project(folder: Path) -> bool:
    return any((folder / name).is_file() for name in PROJECT_FILES)


@cache
def _namespaces(project: Path) -> frozenset[Path]:
    """Return the folders of a project that are namespace packages, as its files import from them."""
    inside = {PurePosixPath(file.relative_to(project).as_posix()): file for file in project.rglob("*.py")}
    texts = {
        parts: file.read_text("utf-8", "replace")
        for parts, file in inside.items()
        if not any(part.startswith(".") or part in _INSTALLED for part in parts.parts) and file.is_file()
    }
    return frozenset(project / folder for folder in _namespaces_of(texts))


def _namespaces_of(texts: Mapping[PurePosixPath, str]) -> set[PurePosixPath]:
    """Return the folders without `__init__.py` around packages that some file imports from, and theirs."""
    packages = {parts.parent for parts in texts if parts.name == "__init__.py"}
    around = {package.parent for package in packages} - packages - {PurePosixPath()}
    namespaces = set[PurePosixPath]()
    for folder in around:
        usual = folder.parts[0] not in _NOT_NAMESPACES
        if usual and all(map(str.isidentifier, folder.parts)) and not packages & set(folder.parents):
            line = re.compile(rf"^\s*(?:from|import)\s+{re.escape('.'.join(folder.parts))}\b", re.MULTILINE)
            if any(map(line.search, texts.values())):
                namespaces.update([folder, *folder.parents][:-1])
    return namespaces


def library_modules(tree: SourceTree) -> dict[str, LibraryModule]:
    """Return the modules of the library by name: no tests, benchmarks, documentation or build scripts.

    Those of a workspace of uv are those of all its members.
    """
    modules = _of_project(tree, "")
    if "[tool.uv.workspace]" in tree.get("pyproject.toml", ""):
        for path in sorted(path for path in tree if path.endswith("/pyproject.toml")):
            modules |= _of_project(tree, path.removesuffix("pyproject.toml"))
    return modules


def _of_project(tree: SourceTree, folder: str) -> dict[str, LibraryModule]:
    """Return the modules of the project in a folder, whose name ends in a slash unless it is empty."""
    told = configured_roots({name: tree.get(f"{folder}{name}", "") for name in PROJECT_FILES})
    paths = (PurePosixPath(folder, root).as_posix() for root in (*told, *SOURCE_ROOTS))
    roots = dict.fromkeys("" if path == "." else path for path in paths)
    below = ({module.name: module for module in _modules_below(tree, root)} for root in roots)
    return next(filter(None, below), {})


def configured_roots(settings: Mapping[str, str]) -> Iterator[str]:
    """Yield the folders that a project says its packages lie in, by the texts of its files of settings."""
    table: dict[str, Any] = {}
    legacy = ConfigParser(interpolation=None)
    with contextlib.suppress(tomllib.TOMLDecodeError):
        table = tomllib.loads(settings["pyproject.toml"])
    with contextlib.suppress(ConfigError):
        legacy.read_string(settings["setup.cfg"])
    tool = table.get("tool", {})
    setuptools = tool.get("setuptools", {})
    packages = setuptools.get("packages", {})
    if isinstance(packages, dict):
        yield from packages.get("find", {}).get("where", [])
    yield from (path for name, path in setuptools.get("package-dir", {}).items() if name == "")
    yield from (entry["from"] for entry in tool.get("poetry", {}).get("packages", []) if "from" in entry)
    wheel = tool.get("hatch", {}).get("build", {}).get("targets", {}).get("wheel", {})
    yield from (str(Path(path).parent) for path in wheel.get("packages", []))
    yield from filter(None, [tool.get("maturin", {}).get("python-source")])
    yield from legacy.get("options.packages.find", "where", fallback="").split()
    yield from re.findall(r"(?m)^\s*=\s*(\S+)", legacy.get("options", "package_dir", fallback=""))
    yield from _PACKAGE_DIR.findall(settings["setup.py"])


def _modules_below(tree: SourceTree, root: str) -> Iterator[LibraryModule]:
    below = [path for path in tree if path.endswith(".py") and path.startswith(f"{root}/" if root else "")]
    inside = {path: PurePosixPath(path).relative_to(root) for path in below}
    initialised = {parts.parent for parts in inside.values() if parts.name == "__init__.py"}
    if root.endswith("src"):  # whatever lies there is installed, namespace packages too
        initialised.update(folder for parts in inside.values() for folder in parts.parents)
    initialised |= _namespaces_of({parts: tree[path] for path, parts in inside.items()})
    packaged = {path: parts for path, parts in inside.items() if _is_packaged(parts, initialised)}
    alone = {path: parts for path, parts in inside.items() if _is_module(parts)}
    # Modules beside a package in the root of a checkout are build scripts and the like.
    modules = {**packaged, **alone} if root.endswith("src") else packaged or (alone if root == "" else {})
    for path, parts in modules.items():
        yield LibraryModule(name=module_name(parts), path=path, root=root)


def module_name(path: PurePosixPath) -> str:
    """Return the dotted name of a file, below the folder that its path begins in."""
    names = path.with_suffix("").parts
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


def _is_module(parts: PurePosixPath) -> bool:
    ours = parts.name.startswith("_abs_audit_")
    script = parts.stem in _NOT_MODULES or _TEST_FILE.fullmatch(parts.name) is not None
    return len(parts.parts) == 1 and parts.stem.isidentifier() and not script and not ours


def _is_packaged(parts: PurePosixPath, initialised: set[PurePosixPath]) -> bool:
    folders = list(parts.parents)[:-1]
    if not folders or not initialised.issuperset(folders):
        return False
    top, *below = parts.parts[:-1]
    return (
        all(part.isidentifier() for part in (top, *below, parts.stem))
        and top not in _NOT_LIBRARY
        and not {"tests", "_tests"} & set(below)
        and not _TEST_FILE.fullmatch(parts.name)
    )
