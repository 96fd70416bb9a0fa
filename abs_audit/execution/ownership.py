"""Who owns a container, and for how long: labels by which a later run knows what a dead one left behind."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

OWNER = "abs-audit.owner"
EXPIRES = "abs-audit.expires"
# Creating, starting and removing a container on a busy machine, beside the time its command may take.
GRACE_S = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A process, told apart from any other that ever had its number."""

    host: str
    """This start of the system, and the numbering of processes within it."""
    pid: int
    started: str
    """Ticks since the system started."""

    def __str__(self) -> str:
        return f"{self.host}/{self.pid}/{self.started}"


def owner(pid: int | None = None) -> Owner:
    """Return the identity of a process, by default this one; raise OSError where there is none."""
    number = os.getpid() if pid is None else pid
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    numbering = Path("/proc/self/ns/pid").readlink()
    return Owner(host=f"{boot}/{numbering}", pid=number, started=_stat(number)[1])


def _stat(pid: int) -> tuple[str, str]:
    """Return state and start of a process; its name, in parentheses, may hold anything."""
    fields = (
        Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    )
    return fields[0], fields[19]


def labels(limit_s: float) -> dict[str, str]:
    """Return what to mark a container with that may run for `limit_s` seconds."""
    return {OWNER: str(owner()), EXPIRES: str(int(time.time() + limit_s + GRACE_S))}


def is_abandoned(marks: Mapping[str, str], now_s: float) -> bool:
    """Tell whether nobody can want a container any more: its owner is dead, or its lease is over.

    Of processes on other hosts that share the engine we know nothing but the lease.
    """
    if now_s > float(marks.get(EXPIRES, "inf")):
        return True
    host, _, process = marks.get(OWNER, "").rpartition("/")
    host, _, pid = host.rpartition("/")
    if host != owner().host:
        return False
    try:
        state, started = _stat(int(pid))
    except (OSError, ValueError):
        return True
    # A zombie is dead; who has the number now may be somebody else.
    return state in "ZX" or started != process
