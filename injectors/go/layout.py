"""Which packages does a checkout hold, under which import paths, and which of them are a public API?"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from abs_audit.model.subject import SourceTree
from abs_audit.toolchains.go_modules import import_path
from injectors.go.constraints import is_compiled
from injectors.go.outline import Function, Outline, outline

_NOT_OWN = {"vendor", "testdata", "_workspace", "Godeps"}


@dataclass(frozen=True, kw_only=True)
class Package:
    """The files of one folder that this machine compiles, tests left out."""

    path: str
    """Import path."""
    folder: str
    """Relative to the root of the checkout; empty for the root."""
    module: str
    """Folder of the module; empty for the root."""
    module_path: str
    texts: Mapping[str, str]
    """Relative path → text."""

    @cached_property
    def outlines(self) -> Mapping[str, Outline]:
        """Outline of each file."""
        return {path: outline(text.encode("utf-8", "surrogatepass")) for path, text in self.texts.items()}

    @property
    def name(self) -> str:
        """The name in the package clause."""
        return next((one.package for one in self.outlines.values()), "")

    @property
    def public(self) -> bool:
        """Whether other projects can import it."""
        return self.name != "main" and "internal" not in self.path.split("/")

    def functions(self) -> Iterator[tuple[str, Function]]:
        """Yield every function with the file that holds it."""
        for path, one in self.outlines.items():
            for function in one.functions:
                yield path, function


def packages(tree: SourceTree) -> dict[str, Package]:
    """Return import path → package."""
    modules = {_folder(path): text for path, text in tree.items() if path.rpartition("/")[2] == "go.mod"}
    roots = {folder: import_path({"go.mod": text}) for folder, text in modules.items()}
    if "" not in roots:
        roots[""] = import_path(tree)
    found: dict[str, dict[str, str]] = {}
    for path, text in sorted(tree.items()):
        if _is_source(path) and is_compiled(path, text):
            found.setdefault(_folder(path), {})[path] = text
    result = (_package(folder, texts, roots) for folder, texts in found.items())
    return {one.path: one for one in result}


def _package(folder: str, texts: Mapping[str, str], roots: Mapping[str, str]) -> Package:
    module = next(one for one in _upwards(folder) if one in roots)
    below = PurePosixPath(folder).relative_to(module or ".").as_posix()
    return Package(
        path=roots[module] if below == "." else f"{roots[module]}/{below}",
        folder=folder,
        module=module,
        module_path=roots[module],
        texts=texts,
    )


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _upwards(folder: str) -> Iterator[str]:
    """Yield a folder and those that hold it, the root last."""
    while folder:
        yield folder
        folder = _folder(folder)
    yield ""


def _is_source(path: str) -> bool:
    """Tell whether go itself would look at a file when it builds packages."""
    *folders, name = path.split("/")
    if not name.endswith(".go") or name.endswith("_test.go"):
        return False
    return not any(one in _NOT_OWN or one.startswith((".", "_")) for one in (*folders, name))
