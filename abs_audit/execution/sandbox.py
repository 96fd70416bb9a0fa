"""What a command on this machine may write and reach, and how the system can be made to see to it."""

import os
import re
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from abs_audit.execution.confinement import binds, own_folder
from abs_audit.execution.workspace import cache_root, is_workspace
from abs_audit.model.experiment import Command, Workspace

SHARED_TEMPORARY = "/tmp"  # noqa: S108 - replaced by a private one
DEVICES = ("/dev/shm", "/dev/pts")  # noqa: S108 - memory that processes share, terminals
CREDENTIALS = (
    *(".aws", ".azure", ".config/gcloud", ".config/gh", ".docker", ".git-credentials", ".gnupg", ".kube"),
    *(".netrc", ".npmrc", ".pypirc", ".ssh"),
)
"""Where people's programs keep what opens other machines to them, below the home folder."""

Mount = tuple[str | None, str, bool]
"""Source (None: nothing at all), the path where it is seen, and whether it may be written there."""
CACHES = ("XDG_CACHE_HOME", "UV_CACHE_DIR", "PIP_CACHE_DIR")
"""Variables that name caches of the user."""


class Level(StrEnum):
    """How a command is confined."""

    NAMESPACES = "namespaces"
    """Files read-only but for the workspace, no network but this machine's own."""
    LANDLOCK = "landlock"
    """Files read-only but for the workspace, /tmp and /dev; the network stays."""
    NONE = "none"


def mounts(command: Command) -> list[Mount]:
    """Return what a command finds changed, in this order, where all else is read-only.

    It may write to its workspace, and to caches while it fetches or builds. Unless it fetches, others'
    temporary files and the user's credentials are not there.
    """
    own, seen = own_folder(command), binds(command)
    writable = {str(bind.path.absolute()) for bind in seen if not bind.read_only} | set(
        filter(os.path.isdir, DEVICES)
    )
    if command.results is None and is_workspace(own):
        writable.add(str(cache_root()))
    if command.network or command.results is None:
        # What builds may write there, too: compiled packages are shared between projects.
        writable |= {str(path) for path in _caches_of_the_user() if path.is_dir()}
    temporary = Workspace(root=own).temporary
    if temporary.is_dir():
        writable.add(str(temporary))
    return [
        # The outer ones first, which would else hide what lies in them.
        *((path, path, True) for path in sorted(writable)),
        *(
            (str(bind.path), str(bind.path), False)
            for bind in seen
            if bind.read_only and bind.path.is_relative_to(own)
        ),
        *([] if command.network else _hidden(command, temporary)),
    ]


def _caches_of_the_user() -> list[Path]:
    named = [Path(os.environ[name]) for name in CACHES if os.environ.get(name)]
    cargo = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    fetched = [cargo / name for name in ("registry", "git")] if os.access(cargo, os.W_OK) else []
    for folder in fetched:
        # What cargo fetches lies there; its programs and settings beside it stay as they are.
        folder.mkdir(exist_ok=True)
    return [*named, Path.home() / ".cache", *fetched]


def _hidden(command: Command, temporary: Path) -> Iterator[Mount]:
    if temporary.is_dir() and not _needs_shared_temporary(command):
        yield str(temporary), SHARED_TEMPORARY, True
    for name in CREDENTIALS:
        path = Path.home() / name
        if path.is_dir():
            yield None, str(path), False
        elif path.is_file():
            yield os.devnull, str(path), False


def _needs_shared_temporary(command: Command) -> bool:
    named = [*command.argv, *command.env.values(), str(command.cwd), sys.prefix, sys.base_prefix, __file__]
    named += [os.path.realpath(word) for word in command.argv if word.startswith("/")]
    return any(re.search(rf"(^|[^\w.-]){SHARED_TEMPORARY}\b", text) for text in named)
