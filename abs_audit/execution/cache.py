"""What is kept between commands: the workspaces, with environments and builds. Seen, limited, emptied."""

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import PlainSerializer

from abs_audit.execution import workspace
from abs_audit.execution.workspace import LOCK, SUBJECT, workspaces
from abs_audit.model.bounds import Count, Size


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptWorkspace:
    """One workspace on disk."""

    path: Annotated[Path, PlainSerializer(str, return_type=str)]
    subject: str
    """The checkout that it is a copy of; empty where that is not known."""
    size_bytes: Count
    """On disk, links not followed."""
    used_at: Size
    """When it was opened last, seconds since the epoch."""


def kept() -> list[KeptWorkspace]:
    """Return the workspaces of this machine, the longest unused first."""
    folder = workspaces()
    roots = [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
    return sorted(map(_described, roots), key=lambda entry: (entry.used_at, entry.path))


def _described(root: Path) -> KeptWorkspace:
    subject, lock = root / SUBJECT, root / LOCK
    return KeptWorkspace(
        path=root,
        subject=subject.read_text(encoding="utf-8", errors="replace") if subject.is_file() else "",
        size_bytes=sum(_sizes(root)),
        used_at=(lock if lock.exists() else root).stat().st_mtime,
    )


def _sizes(folder: Path) -> Iterator[int]:
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            yield path.lstat().st_blocks * 512


def remove(entries: list[KeptWorkspace]) -> list[KeptWorkspace]:
    """Remove workspaces and return those that are gone; one that somebody works in stays."""
    return [entry for entry in entries if workspace.remove(entry.path)]


def unused_since(entries: list[KeptWorkspace], age_s: float) -> list[KeptWorkspace]:
    """Return the workspaces that nobody has opened for so many seconds."""
    return [entry for entry in entries if time.time() - entry.used_at >= age_s]


def beyond(entries: list[KeptWorkspace], limit: int) -> list[KeptWorkspace]:
    """Return the longest unused workspaces that have to go so that the others fit into `limit` bytes."""
    surplus = sum(entry.size_bytes for entry in entries) - limit
    chosen = []
    for entry in entries:
        if surplus <= 0:
            break
        chosen.append(entry)
        surplus -= entry.size_bytes
    return chosen
