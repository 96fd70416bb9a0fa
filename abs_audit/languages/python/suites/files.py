"""Finds a checkout's own Python files."""

from collections.abc import Iterator
from pathlib import Path

LEFT_OUT = {
    *(".git", ".hg", ".tox", ".nox", ".venv", "venv", "env", "node_modules", "build", "dist"),
    "site-packages",
}


def python_files(folder: Path) -> Iterator[Path]:
    """Yield Python files below a folder; no environments, no build products."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink() and path.name not in LEFT_OUT:
            yield from python_files(path)
        elif path.suffix == ".py":
            yield path
