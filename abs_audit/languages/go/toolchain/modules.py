"""Finds the modules of a checkout, and the import path of sources that are older than modules."""

import json
import os
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from abs_audit.languages.files import file_text
from abs_audit.model.subject import SourceTree

BENCHMARK = re.compile(r"^func (Benchmark(?![a-z])\w*)\([^)]*\*(\w+\.)?B\)", re.MULTILINE)
MODULE = re.compile(r"^\s*module\s+(\"[^\"]+\"|`[^`]+`|\S+)", re.MULTILINE)
CANONICAL = re.compile(r"^package\s+\w+\s*(?://|/\*)\s*import\s+\"([^\"]+)\"", re.MULTILINE)
IMPORTS = re.compile(r"^import\s*(?:\(([^)]*)\)|[\w.]*\s*(\"[^\"\n]+\"))", re.MULTILINE)
QUOTED = re.compile(r"\"([^\"\s]+)\"")
REQUIRED = re.compile(r"^\s*(?:require\s+)?(\S+)\s+v\S+\s*$", re.MULTILINE)
REPLACED = re.compile(r"^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s*=>", re.MULTILINE)
VENDORED = re.compile(r"^# (\S+) v\S+$", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*")
REPLACED_BY_FOLDER = re.compile(
    r"^\s*(?:replace\s+)?(\S+)(?:\s+(v\S+))?\s*=>\s*(\.\.?(?:/\S*)?)\s*$", re.MULTILINE
)
USE = re.compile(r"^\s*use\s*(?:\(([^)]*)\)|(\S+))", re.MULTILINE)
# What other tools wrote before there were modules: file → key that holds the import path.
OLD_MANIFESTS = {"Godeps/Godeps.json": "ImportPath", "vendor/vendor.json": "rootPath"}
GLIDE = re.compile(r"^package:\s*(\S+)", re.MULTILINE)
READ_ME = "README.md"
# How to get the project, or where its documentation is, as its first page says.
ADVERTISED = re.compile(
    r"(?:go get(?: -\w+)*\s+|(?:godoc\.org|pkg\.go\.dev)/)([\w-]+(?:\.[\w-]+)+/[\w./-]*\w)"
)
# Comments and blanks may stand in front of the clause, and comments may hold what looks like one.
CLAUSE = re.compile(r"\ufeff?(?:\s|//[^\n]*|/\*(?s:.*?)\*/)*+package\s+(\w+)")
NAMELESS = "example.invalid/subject"


@dataclass(frozen=True, slots=True, kw_only=True)
class GoModule:
    """A folder with a go.mod, or one that needs to be given one."""

    folder: str
    """Relative to the tree; `.` for its root."""
    present: bool
    """False: there is no go.mod yet."""
    vendored: bool
    """Whether the module carries its dependencies along, in a form that go trusts."""
    in_workspace: bool
    """Whether the tree's go.work uses it."""


def modules(tree: Path, paths: Sequence[str] = ()) -> tuple[GoModule, ...]:
    """Return the modules that hold benchmarks, outermost first; the root's where none does.

    `paths`: where the benchmarks that matter lie, relative to the tree; empty: anywhere.
    """
    wanted = [(tree / path).resolve() for path in paths] or [tree]
    module_paths = _module_paths(tree)
    benchmarking = {
        _nearest(path.parent.relative_to(tree), module_paths)
        for root in wanted
        for path in benchmark_files(root)
    }
    used, own = workspace_members(tree), set(module_paths.values())
    return tuple(
        GoModule(
            folder=folder,
            present=folder in module_paths,
            vendored=_is_vendored(tree / folder / "vendor" / "modules.txt", own),
            in_workspace=folder in used,
        )
        for folder in sorted(benchmarking or {"."})
    )


def _is_vendored(listing: Path, own: Set[str]) -> bool:
    """Tell whether a vendor folder has go's own listing, and no release of this checkout in it."""
    return listing.is_file() and own.isdisjoint(VENDORED.findall(file_text(listing)))


def _module_paths(tree: Path) -> dict[str, str]:
    """Return the folder of each module → its import path."""
    return {
        path.parent.relative_to(tree).as_posix(): import_path({"go.mod": file_text(path)})
        for path in (*_files(tree), *_apart(tree))
        if path.name == "go.mod"
    }


def _nearest(folder: Path, folders: Container[str]) -> str:
    """Return the innermost module folder that holds a folder; the root where none does."""
    return next((above.as_posix() for above in (folder, *folder.parents) if above.as_posix() in folders), ".")


def _files(tree: Path, hidden: tuple[str, ...] = ("_", ".")) -> Iterator[Path]:
    """Yield the files that go itself would look at: nothing below vendor, testdata, `_…` and `.…`."""
    for folder, below, names in os.walk(tree):
        below[:] = sorted(name for name in below if not name.startswith(hidden) and name not in LEFT_OUT)
        yield from (Path(folder, name) for name in sorted(names))


LEFT_OUT = {"vendor", "testdata", "node_modules"}


def _apart(tree: Path) -> Iterator[Path]:
    """Yield the files of modules below folders `_…`, which go looks at where it is started in the module."""
    for path in _files(tree, (".",)):
        if path.name == "go.mod" and any(part.startswith("_") for part in path.relative_to(tree).parts):
            yield from _files(path.parent)


def benchmark_files(tree: Path) -> Iterator[Path]:
    """Yield the test files that declare benchmarks; those of modules below `_…` where there are no others."""
    visible = filter(_declares, _files(tree))
    if first := next(visible, None):
        yield from (first, *visible)
    else:
        yield from filter(_declares, _apart(tree))


def left_apart(tree: Path, chosen: Container[str]) -> Iterator[Mapping[str, Any]]:
    """Yield the benchmarks of modules below `_…` not `chosen`, a file each: folder, package, names."""
    module_paths = _module_paths(tree)
    for path in filter(_declares, _apart(tree)):
        folder = _nearest(path.parent.relative_to(tree), module_paths)
        if folder not in chosen:
            package = (
                PurePosixPath(module_paths[folder]) / path.parent.relative_to(tree / folder)
            ).as_posix()
            names = [declared[1] for declared in BENCHMARK.finditer(file_text(path))]
            yield {"folder": folder, "package": package, "names": names}


def _declares(path: Path) -> bool:
    return path.name.endswith("_test.go") and BENCHMARK.search(file_text(path)) is not None


def workspace_members(tree: Path) -> frozenset[str]:
    """Return the folders that the tree's go.work uses; empty where there is none."""
    text = _COMMENT.sub("", file_text(tree / "go.work"))
    listed = (word for used in USE.finditer(text) for word in (used[1] or used[2]).split())
    return frozenset(PurePosixPath(word.strip('"`')).as_posix() for word in listed)


def join_modules(tree: Path) -> None:
    """Let the modules of a copy that require each other take what lies beside them, not some release of it.

    Such a release carries no probe, and what measures it would be said to call nothing. Modules that a
    go.work joins have each other already; one that a go.mod replaces is what the project wants.
    """
    joined, paths = workspace_members(tree), _module_paths(tree)
    for folder in paths:
        manifest = tree / folder / "go.mod"
        text = file_text(manifest)
        beside = {path: other for other, path in paths.items() if other != folder}
        bare = _COMMENT.sub("", text)
        named = {name.strip('"') for name in REQUIRED.findall(bare)}
        replaced = {name.strip('"') for name in REPLACED.findall(bare)}
        if folder in joined or not (named - replaced) & beside.keys():
            continue
        lines = [
            f"replace {path} => {_relative(folder, other)}"
            for path, other in beside.items()
            if path not in replaced
        ]
        manifest.write_text("\n".join([text, *lines, ""]), encoding="utf-8")


def _relative(folder: str, other: str) -> str:
    """Return the way from one folder of a tree to another one, as a go.mod spells it."""
    way = Path(os.path.relpath(other, folder)).as_posix()
    return way if way.startswith("..") else f"./{way}"


def enclosing(folder: Path) -> Path:
    """Return the folder that holds all that a module's build reads.

    That of the go.work which uses the module, or the one above all that its go.mod replaces by folders;
    never one outside of the repository, where there is one.
    """
    repository = next((above for above in (folder, *folder.parents) if (above / ".git").exists()), None)
    for above in (folder, *folder.parents):
        members = {(above / member).resolve() for member in workspace_members(above)}
        if members & {folder, *folder.parents}:
            return above
        if above == repository:
            break
    text = _COMMENT.sub("", file_text(folder / "go.mod"))
    replaced = [(folder / other).resolve() for _, _, other in REPLACED_BY_FOLDER.findall(text)]
    common = Path(os.path.commonpath([folder, *filter(Path.is_dir, replaced)]))
    return common if repository is not None and common.is_relative_to(repository) else folder


def lost_replacements(folder: Path) -> list[str]:
    """Return what a go.mod replaces by folders that are not there, as `go mod edit -dropreplace` names it.

    A release holds one module, not those beside it; who uses it takes their releases.
    """
    text = _COMMENT.sub("", file_text(folder / "go.mod"))
    return [
        "@".join(filter(None, (path.strip('"'), version)))
        for path, version, other in REPLACED_BY_FOLDER.findall(text)
        if not (folder / other).is_dir()
    ]


def import_path(sources: Mapping[str, str]) -> str:
    """Return the import path of a checkout's root, from its texts: relative path → text.

    A go.mod says it. Older sources say it in import comments, in what other tools wrote, by how their
    packages import each other, or on their first page. What nothing tells is `example.invalid/subject`.
    """
    declared = MODULE.search(_COMMENT.sub("", sources.get("go.mod", "")))
    if declared:
        return declared[1].strip('"`')
    return next(filter(None, (tell(sources) for tell in _OLDER)), NAMELESS)


def without_pages(tree: SourceTree) -> SourceTree:
    """Return the sources without any first page, but for one that is asked for the import path."""
    asked = set() if "go.mod" in tree else {READ_ME}
    return {path: text for path, text in tree.items() if not path.endswith(READ_ME) or path in asked}


def texts(root: Path) -> dict[str, str]:
    """Return relative path → text of all that tells import paths and packages.

    These are Go files, manifests and the first page.
    """
    manifests = [root / name for name in (*OLD_MANIFESTS, "glide.yaml", READ_ME)]
    return {
        path.relative_to(root).as_posix(): file_text(path)
        for path in (*root.rglob("*.go"), *root.rglob("go.mod"), *manifests)
        if path.is_file()
    }


def _own(sources: Mapping[str, str]) -> dict[str, str]:
    """Return the Go sources that are the project's own."""
    return {
        path: text
        for path, text in sources.items()
        if path.endswith(".go") and not {"vendor", "_workspace", "testdata"} & set(path.split("/"))
    }


def _commented(sources: Mapping[str, str]) -> str | None:
    """Read `package gin // import "github.com/gin-gonic/gin"`."""
    for path, text in sorted(_own(sources).items()):
        canonical = CANONICAL.search(text)
        root = canonical and _without_tail(canonical[1], PurePosixPath(path).parent.as_posix())
        if root:
            return root
    return None


def _without_tail(path: str, folder: str) -> str | None:
    """Return an import path without the folder of the package that has it."""
    if folder == ".":
        return path
    return path.removesuffix("/" + folder) if path.endswith("/" + folder) else None


def _written_down(sources: Mapping[str, str]) -> str | None:
    for name, key in OLD_MANIFESTS.items():
        try:
            written = json.loads(sources.get(name, "{}")).get(key)
        except (json.JSONDecodeError, AttributeError):
            continue
        if isinstance(written, str) and written:
            return written
    named = GLIDE.search(sources.get("glide.yaml", ""))
    return named[1] if named else None


def _imported(sources: Mapping[str, str]) -> str | None:
    """Return the path below which packages of the checkout import each other most often."""
    own = _own(sources)
    folders = {PurePosixPath(path).parent.as_posix() for path in own}
    votes: Counter[str] = Counter()
    for text in own.values():
        votes.update(filter(None, (_root(path, folders) for path in _imports(text))))
    # A test in a package of its own imports the root itself: the shortest of equals is the root.
    best = max(votes.values(), default=0)
    return min((root for root, count in votes.items() if count == best), key=len, default=None)


def _advertised(sources: Mapping[str, str]) -> str | None:
    """Return what the first page names most often of the paths whose last part holds the package's name."""
    root = (text for path, text in sorted(_own(sources).items()) if "/" not in path)
    named = {match[1] for text in root if (match := CLAUSE.match(text))}
    paths = ADVERTISED.findall(sources.get(READ_ME, ""))
    votes = Counter(path for path in paths if any(name in path.rpartition("/")[2] for name in named))
    return next((path for path, _ in votes.most_common(1)), None)


_OLDER = (_commented, _written_down, _imported, _advertised)


def _imports(text: str) -> Iterator[str]:
    for block, single in IMPORTS.findall(text):
        yield from QUOTED.findall(block or single)


def _root(path: str, folders: set[str]) -> str | None:
    """Return what is left of an import path without the longest folder of the checkout that ends it."""
    parts = path.split("/")
    if "." not in parts[0]:
        return None
    for length in range(len(parts) - 1, 0, -1):
        if "/".join(parts[-length:]) in folders:
            return "/".join(parts[:-length])
    return None
