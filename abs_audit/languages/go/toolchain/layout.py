"""Which packages does a checkout hold, under which import paths, and which of them are a public API?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from abs_audit.grouping import commonest, grouped
from abs_audit.languages.go.toolchain.constraints import is_compiled, tags
from abs_audit.languages.go.toolchain.modules import CLAUSE, import_path
from abs_audit.languages.go.toolchain.outline import Function, Outline, TypeDeclaration, outline
from abs_audit.model.subject import SourceTree

VENDORED = {"vendor", "_workspace", "Godeps"}


@dataclass(frozen=True, kw_only=True)
class SourceFile:
    """A Go file."""

    path: str
    """Relative to the root of the checkout."""
    text: str
    clause: str
    """The name in its package clause."""
    is_test: bool
    compiled: bool
    """Whether this machine compiles it when it builds the package."""

    @cached_property
    def outline(self) -> Outline:
        """What the file declares."""
        return outline(self.text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, kw_only=True)
class Package:
    """The files of a package: for all machines, and its tests."""

    path: str
    """Import path."""
    name: str
    module: str
    """Folder of the module; empty for the root."""
    module_path: str
    files: Sequence[SourceFile]
    at_home: bool
    """Whether its module, say of benchmarks, has a name that nobody can fetch, unlike the checkout's own."""

    @property
    def public(self) -> bool:
        """Whether other projects can import it."""
        folders = self.path.split("/")
        hidden = self.at_home or self.name == "main"
        return not hidden and "internal" not in folders and "testdata" not in folders

    def functions(self) -> Iterator[tuple[SourceFile, Function]]:
        """Yield every function with the file that holds it: what this machine compiles comes first."""
        for file in self.files:
            for function in file.outline.functions:
                yield file, function

    @cached_property
    def free(self) -> Mapping[str, tuple[SourceFile, Function]]:
        """Return name → function that is no method, of those that this machine compiles."""
        by_name: dict[str, tuple[SourceFile, Function]] = {}
        for file, function in self.functions():
            if file.compiled and not function.receiver:
                by_name.setdefault(function.name, (file, function))
        return by_name

    @cached_property
    def methods(self) -> Mapping[str, list[tuple[SourceFile, Function]]]:
        """Return type → methods with it as their receiver."""
        return grouped(
            (function.receiver, (file, function)) for file, function in self.functions() if function.receiver
        )

    @cached_property
    def types(self) -> Mapping[str, tuple[SourceFile, TypeDeclaration]]:
        """Return name → declaration."""
        by_name: dict[str, tuple[SourceFile, TypeDeclaration]] = {}
        for file in self.files:
            for declared in file.outline.types:
                by_name.setdefault(declared.name, (file, declared))
        return by_name


def packages(tree: SourceTree) -> dict[str, Package]:
    """Return import path → package; the tests of a package in one of their own: `path_test`."""
    modules = {_folder(path): text for path, text in tree.items() if path.rpartition("/")[2] == "go.mod"}
    roots = {folder: import_path({"go.mod": text}) for folder, text in modules.items()}
    if "" not in roots:
        roots[""] = import_path(tree)
    own_tags = tags(tree)
    folders = grouped(
        (_folder(path), _file(path, text, own_tags))
        for path, text in sorted(tree.items())
        if _is_source(path)
    )
    made = (_packages(folder, files, roots) for folder, files in folders.items())
    return {package.path: package for of_folder in made for package in of_folder}


def _file(path: str, text: str, own_tags: frozenset[str]) -> SourceFile:
    clause = CLAUSE.match(text)
    return SourceFile(
        path=path,
        text=text,
        clause=clause[1] if clause else "",
        is_test=path.endswith("_test.go"),
        compiled=is_compiled(path, text, own_tags),
    )


def _packages(folder: str, files: Sequence[SourceFile], roots: Mapping[str, str]) -> Iterator[Package]:
    """Yield the package of a folder and that of its outer tests; other files are no part of either."""
    parts = folder.split("/")
    module = next(above for n in range(len(parts), -1, -1) if (above := "/".join(parts[:n])) in roots)
    below = PurePosixPath(folder).relative_to(module or ".").as_posix()
    path = roots[module] if below == "." else f"{roots[module]}/{below}"
    name = _name(files)
    for suffix in ("", "_test"):
        own = [file for file in files if file.clause == name + suffix and (file.is_test or not suffix)]
        if own:
            yield Package(
                path=path + suffix,
                name=name + suffix,
                module=module,
                module_path=roots[module],
                at_home=_is_fetched(roots[""]) and not _is_fetched(roots[module]),
                files=sorted(own, key=lambda file: (file.is_test, not file.compiled, file.path)),
            )


def _is_fetched(module_path: str) -> bool:
    """Tell whether a module has the name of a host in its path, as what others can fetch has."""
    return "." in module_path.partition("/")[0]


def _name(files: Sequence[SourceFile]) -> str:
    """Return the name that most files of the package itself give it."""
    inner = [file for file in files if not file.is_test]
    telling = [file for file in inner if file.compiled] or inner or files
    return commonest(file.clause for file in telling).removesuffix("_test")


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _is_source(path: str) -> bool:
    """Tell whether go itself would look at a file of the project's own."""
    *folders, name = path.split("/")
    return name.endswith(".go") and not any(
        part in VENDORED or part.startswith((".", "_")) for part in (*folders, name)
    )
