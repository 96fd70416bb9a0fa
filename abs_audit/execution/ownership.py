"""Who owns a container, and for how long: labels by which a later run knows what a dead one left behind."""

import os
import time
from collections.abc import Mapping
from pathlib import Path

OWNER = "abs-audit.owner"
EXPIRES = "abs-audit.expires"
# Creating, starting and removing a container on a busy machine, beside the time its command may take.
GRACE_S = 600.0


def owner(pid: int | None = None) -> str:
    """Return what tells a process, by default this one, from any other that ever had its number.

    Raise OSError where there is none.
    """
    number = os.getpid() if pid is None else pid
    return f"{_host()}/{number}/{_stat(number)[1]}"


def _host() -> str:
    """Return what stands for this start of the system, and for the numbering of processes within it."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"{boot}/{Path('/proc/self/ns/pid').readlink()}"


def _stat(pid: int) -> tuple[str, str]:
    """Return state and start, in ticks, of a process; its name, in parentheses, may hold anything."""
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    fields = stat.rpartition(")")[2].split()
    return fields[0], fields[19]


def labels(limit_s: float) -> dict[str, str]:
    """Return what to mark a container with that may run for `limit_s` seconds."""
    return {OWNER: owner(), EXPIRES: str(int(time.time() + limit_s + GRACE_S))}


def is_abandoned(marks: Mapping[str, str], now_s: float) -> bool:
    """Tell whether nobody can want a container any more: its owner is dead, or its lease is over.

    Of processes on other hosts that share the engine we know nothing but the lease.
    """
    if now_s > float(marks.get(EXPIRES, "inf")):
        return True
    host, _, process = marks.get(OWNER, "").rpartition("/")
    host, _, pid = host.rpartition("/")
    if host != _host():
        return False
    try:
        state, started = _stat(int(pid))
    except (OSError, ValueError):
        return True
    # A zombie is dead; who has the number now may be somebody else.
    return state in "ZX" or started != process
