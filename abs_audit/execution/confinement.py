"""What a command may see, touch and use inside its container. Decides; asks nothing of the engine."""

import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import abs_audit
from abs_audit.execution import ownership
from abs_audit.execution.workspace import is_workspace, workspaces
from abs_audit.model.experiment import Command

# Whoever starts us as root still has no root inside.
NOBODY = 65532
PROCESSES = 1024
GIVEN_FOR_FETCHING = ("GOPROXY", "GONOSUMDB", "GOSUMDB", "GONOSUMCHECK", "NO_PROXY", "no_proxy")
PREFIXES_FOR_FETCHING = ("PIP_", "UV_", "SSL_", "REQUESTS_", "MAVEN_", "HTTP", "http")
# The folders of ours that hold helper sources which run inside the subject's own interpreter.
OUR_PACKAGES = ("abs_audit", "injectors", "tracers")
NODES = Path("/sys/devices/system/node")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bind:
    """A path of this machine that the container sees under the same name."""

    path: Path
    read_only: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of the machine a container gets."""

    cpus: tuple[int, ...]
    """To pin measurements to; empty: wherever the system puts them. Never a quota: it falsifies timings."""
    memory: int | None
    """In bytes, swap included; None: three quarters of what the engine has."""


def user() -> str:
    """Return under whom code runs inside: under us, or, where we are root, under nobody."""
    return f"{os.getuid()}:{os.getgid()}" if os.getuid() else f"{NOBODY}:{NOBODY}"


def options(command: Command, limits: Limits) -> dict[str, Any]:
    """Return the engine's options for a command, mounts excepted."""
    pinned = limits.cpus and not command.network
    return {
        "command": list(command.argv),
        "entrypoint": [],
        "working_dir": str(command.cwd),
        "environment": _environment(command),
        "user": user(),
        "network_mode": "bridge" if command.network else "none",
        "cpuset_cpus": ",".join(map(str, limits.cpus)) if pinned else None,
        "cpuset_mems": memory_nodes(limits.cpus) if pinned else None,
        # Equal limits: no swap, whose use would falsify timings long before it ends a process.
        "mem_limit": limits.memory,
        "memswap_limit": limits.memory,
        "pids_limit": PROCESSES,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true"],
        "read_only": True,
        "tmpfs": _temporary_folders(command),
        "init": True,
        "hostname": "abs-audit",
        # Output is read while it is written; a log on the engine's disk would only fill it.
        "log_config": {"type": "none"},
        "labels": ownership.labels(command.limit_s),
    }


def binds(command: Command) -> list[Bind]:
    """Return what a command sees of this machine: its workspace, others that it names, helper sources."""
    own = own_folder(command)
    helpers = (Path(abs_audit.__file__).parent.parent / name for name in OUR_PACKAGES)
    # Variables for fetching name certificates and local indexes.
    named = (Path(value) for value in fetching(command).values() if value.startswith("/"))
    by_path = {path: Bind(path=path, read_only=True) for path in (*helpers, *filter(Path.exists, named))}
    for path in _named_workspaces(command):
        by_path[path] = Bind(path=path, read_only=path != own and not command.network)
    by_path[own] = Bind(path=own, read_only=False)
    # Our own notes about a workspace lie in it; what runs inside must not rewrite them.
    notes = [path for path in own.iterdir() if path.is_file()] if is_workspace(own) else []
    return [*by_path.values(), *(Bind(path=path, read_only=True) for path in sorted(notes))]


def give_away(command: Command) -> None:
    """Make the workspace's contents belong to whom the container runs under; only root can and need."""
    own = own_folder(command)
    if os.getuid() or not is_workspace(own):
        return
    # Others' files may not be replaced in a sticky folder, even by who may write to it. So the folders that
    # we shall write to are still there afterwards, and not links to where only we may write.
    own.chmod(0o1777)
    for folder in (path for path in own.iterdir() if path.is_dir() and not path.is_symlink()):
        # We write to these before each command; what else a container made is its own already.
        if folder.name in {"tree", "results"} or folder.stat().st_gid != NOBODY:
            os.chown(folder, 0, NOBODY)
            folder.chmod(0o775)
            _give(folder)


def _give(folder: Path) -> None:
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(root) / name
            if path.lstat().st_uid != NOBODY:
                os.lchown(path, NOBODY, NOBODY)


def own_folder(command: Command) -> Path:
    """Return what a command may write to: the workspace that it executes in, else the first that it names.

    A command that builds one of our own helpers executes beside its sources. Where no workspace is
    mentioned at all, it is the folder that the command executes in.
    """
    base = workspaces()
    if command.cwd.is_relative_to(base) and command.cwd != base:
        return base / command.cwd.relative_to(base).parts[0]
    return next(iter(_named_workspaces(command)), command.cwd)


def _named_workspaces(command: Command) -> list[Path]:
    """Return every workspace that the command mentions anywhere."""
    texts = [*command.argv, *command.env.values(), *([str(command.results)] if command.results else [])]
    roots = {workspaces(), workspaces().resolve()}
    return [
        root / name
        for root in sorted(roots)
        for name in sorted(set(re.findall(re.escape(str(root)) + "/([^/:=]+)", "\n".join(texts))))
        if (root / name).is_dir()
    ]


def _environment(command: Command) -> dict[str, str]:
    """Return the variables of a command; the image's own, such as PATH, stay as they are."""
    home = own_folder(command) / "home"
    private = {"HOME": str(home if home.is_dir() else "/tmp"), "USER": "abs-audit", "LANG": "C.UTF-8"}  # noqa: S108
    return private | fetching(command) | dict(command.env)


def fetching(command: Command, further: Collection[str] = ()) -> dict[str, str]:
    """Return what fetching needs to know of the user's set-up, and measuring must not see.

    `further`: names of variables that mean something outside of containers only.
    """
    if not command.network:
        return {}
    return {
        name: value
        for name, value in os.environ.items()
        if name in {*GIVEN_FOR_FETCHING, *further} or name.startswith(PREFIXES_FOR_FETCHING)
    }


def _temporary_folders(command: Command) -> dict[str, str]:
    """Return where a command may write outside its workspace: in memory, gone with the container.

    Images close root's home to others; where a mount lies below it, one of the user's own is put in its
    place: engines give it the closed one's mode, whatever mode is asked for, but not its owner.
    """
    options = {"/tmp": "rw,exec,nosuid,nodev,mode=1777"}  # noqa: S108 - the container's own
    home = Path("/root")
    if any(bind.path.is_relative_to(home) for bind in binds(command)):
        number, _, group = user().partition(":")
        options[str(home)] = f"rw,noexec,nosuid,nodev,size=1m,uid={number},gid={group}"
    return options


def memory_nodes(cpus: tuple[int, ...]) -> str | None:
    """Return the memory nodes that are near to CPUs; None where the system does not tell."""
    near = [path.name.removeprefix("node") for path in NODES.glob("node[0-9]*") if _members(path) & set(cpus)]
    return ",".join(sorted(near, key=int)) or None


def _members(node: Path) -> set[int]:
    text = (node / "cpulist").read_text(encoding="ascii").strip()
    ends = [part.partition("-") for part in text.split(",") if part]
    return {cpu for low, _, high in ends for cpu in range(int(low), int(high or low) + 1)}
