"""Tells whether benchmarks execute the classes of their own checkout, or those of some jar instead."""

import os
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from abs_audit.model.experiment import Workspace

_PACKAGE = re.compile(r"(?m)^\s*package\s+([\w.]+)\s*;?")
_LEFT_OUT = {"target", "build", ".git", ".gradle", "node_modules", "test", "tests"}
_UNNAMED = {"package-info", "module-info"}
MOST = 0.5
"""Part of the classes of a jar that are also this checkout's, from which on it is an edition of it."""


def foreign(workspace: Workspace, entries: Sequence[str]) -> str:
    """Return which jar stands for classes of this checkout on a class path, and one of them; else nothing.

    Such benchmarks measure a release, perhaps of years ago: no probe in these sources would ever be entered.
    Single classes that others have under the same name, such as annotations, make no such jar.
    """
    own = set(own_classes(workspace.tree))
    for entry in map(Path, entries):
        classes = _held(entry)
        if entry.is_relative_to(workspace.root if entry.is_dir() else workspace.tree):
            # What the checkout builds counts from here on, whatever comes later.
            own -= classes
        elif len(shadowed := own & classes) > MOST * len(classes):
            name = min(shadowed).replace("/", ".")
            return f"it measures {entry.name} instead of this checkout: {name} comes from there"
    return ""


def own_classes(tree: Path) -> Iterator[str]:
    """Yield the top-level classes that the sources of a tree declare, tests left out: `org/example/A`."""
    for folder, below, names in os.walk(tree):
        below[:] = sorted(set(below) - _LEFT_OUT)
        for source in (Path(folder, name) for name in names):
            if source.suffix == ".java" and source.stem not in _UNNAMED:
                package = _PACKAGE.search(source.read_text(encoding="utf-8", errors="replace"))
                if package:
                    yield f"{package[1].replace('.', '/')}/{source.stem}"


def _held(entry: Path) -> set[str]:
    """Return the top-level classes of a folder or a jar; none of what is neither."""
    if entry.is_dir():
        names = {path.relative_to(entry).as_posix() for path in entry.rglob("*.class")}
    else:
        try:
            with zipfile.ZipFile(entry) as archive:
                names = set(archive.namelist())
        except (OSError, zipfile.BadZipFile):
            return set()
    classes = {name.removesuffix(".class") for name in names if name.endswith(".class") and "$" not in name}
    return {name for name in classes if not name.startswith("META-INF/")}
