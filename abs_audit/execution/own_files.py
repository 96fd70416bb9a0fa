"""What our own commands write into a checkout is no part of it.

Else an answer that is recorded of a checkout would be lost as soon as its page or its text lies there.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

MARKS = {
    ".html": b'content="abs-audit ',
    ".json": b'"schema": "abs-audit/',
    ".patch": b"Proposed by abs-audit, ",
    ".db": b"CREATE TABLE about (name TEXT PRIMARY KEY",
}
"""Suffix → mark near the beginning of pages, documents, patches and sessions."""
HEAD = 4096
STREAMS = (1, 2)


def is_marked(path: Path) -> bool:
    """Tell whether a file says itself that it is ours."""
    # SQLite's own files beside a session, which a killed process leaves behind.
    path = path.with_name(path.name.removesuffix("-wal").removesuffix("-shm"))
    mark = MARKS.get(path.suffix)
    if mark is None or path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as stream:
        head = stream.read(HEAD)
    # Of proposals that notice nothing the patch stays empty; to a subject an empty one means nothing.
    return mark in head or not head


def _printed_into() -> Iterator[Path]:
    """Yield the files that a shell made our standard output and error lead to."""
    for stream in STREAMS:
        with contextlib.suppress(OSError):
            path = Path(f"/proc/self/fd/{stream}").readlink()
            if path.is_file():
                yield path


class Printed:
    """The files that commands printed into: as long as they hold what was printed, they stay ours."""

    def __init__(self, folder: Path) -> None:
        """`folder`: has an empty file for each, named by its path and content."""
        self._folder = folder
        self._now = set(_printed_into())
        self._left = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()

    def has(self, path: Path, held: bytes) -> bool:
        """Tell whether a file of such content is one of them."""
        return path in self._now or _name(path, held) in self._left

    def keep(self) -> None:
        """Remember the files of this command, which has printed all."""
        for path in self._now:
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / _name(path, content(path))).touch()


def _name(path: Path, held: bytes) -> str:
    return hashlib.sha256(os.fsencode(path) + b"\0" + held).hexdigest()


def content(path: Path) -> bytes:
    """Return what stands for what a file holds, a link for where it leads."""
    return os.fsencode(path.readlink()) if path.is_symlink() else hashlib.sha256(path.read_bytes()).digest()
