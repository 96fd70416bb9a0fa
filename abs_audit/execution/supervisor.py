"""Executes one command, confined, and ends with it; whatever becomes of abs-audit, all that it started ends.

A program of its own, for `abs_audit.execution.supervised`: it reads its orders from standard input as
marshalled values. Once that input ends, however abs-audit did, the command's whole tree is killed.
Descendants that lost their parents become children of this process, so that none escapes. It ends
as its command did.
"""

from __future__ import annotations

import ctypes
import fcntl
import marshal
import os
import resource
import select
import signal
import struct
import sys
import time

# Starts before every command: what is only for people and type checkers is not imported.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn

PR_SET_PDEATHSIG = 1
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x20000, 0x10000000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
MOUNT_SETATTR = 442
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
"""System calls that the C library does not know; these numbers are the same on every architecture."""
AT_FDCWD, AT_RECURSIVE, READ_ONLY = -100, 0x8000, 1
CHANGES = sum(1 << bit for bit in (1, *range(4, 15)))
"""Landlock's accesses that change a file system: write, remove, make, refer, truncate."""
REFERRING = 3
"""The first version of Landlock in which files may be renamed across folders and truncation is known."""
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
CAPABILITIES = 64
PAUSE_S = 0.001

LIBC = ctypes.CDLL(None, use_errno=True)


def _write(path: str, text: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    os.write(descriptor, text)
    os.close(descriptor)


def _checked(result: int, doing: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{doing}: {os.strerror(code)}")
    return result


def _namespaces(job: dict[str, Any]) -> None:
    """Make every file read-only but those to be written, and leave no network but this machine's own."""
    user, group = os.getuid(), os.getgid()
    kinds = CLONE_NEWUSER | CLONE_NEWNS | (0 if job["network"] else CLONE_NEWNET)
    _checked(LIBC.unshare(kinds), "making namespaces")
    _write("/proc/self/setgroups", b"deny")
    _write("/proc/self/uid_map", b"%d %d 1" % (user, user))
    _write("/proc/self/gid_map", b"%d %d 1" % (group, group))
    _mount(None, "/", MS_REC | MS_PRIVATE)
    for source, target, _ in job["mounts"]:
        _mount(source, target, MS_BIND | MS_REC if source else 0)
    _set_read_only("/", True)
    for _, target, writable in job["mounts"]:
        _set_read_only(target, not writable)
    if not job["network"]:
        _bring_loopback_up()
    # Whoever is root would undo all of this by what root may do.
    for capability in range(CAPABILITIES):
        LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def _mount(source: str | None, target: str, flags: int) -> None:
    """Let a path be seen at another, an empty folder where there is no source; or change what is there."""
    given = b"none" if source is None else os.fsencode(source)
    kind = None if flags else b"tmpfs"
    _checked(LIBC.mount(given, os.fsencode(target), kind, ctypes.c_ulong(flags), None), f"mounting {target}")


def _set_read_only(path: str, wanted: bool) -> None:
    """Change what lies mounted at a path and below it."""
    attributes = struct.pack("QQQQ", READ_ONLY * wanted, READ_ONLY * (not wanted), 0, 0)
    _checked(
        LIBC.syscall(MOUNT_SETATTR, AT_FDCWD, os.fsencode(path), AT_RECURSIVE, attributes, len(attributes)),
        f"changing the mounts at {path}",
    )


def _bring_loopback_up() -> None:
    import socket  # noqa: PLC0415 - takes long, and only what has its own network needs it

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as opened:
        request = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(opened, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(opened, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | IFF_UP))


def _landlock(job: dict[str, Any]) -> None:
    """Refuse changes to every file but those to be written; the network stays."""
    version = _checked(LIBC.syscall(LANDLOCK_CREATE_RULESET, None, 0, 1), "asking for Landlock")
    if version < REFERRING:
        raise OSError(0, f"Landlock is of version {version}, which keeps files from being renamed")
    rules = _checked(LIBC.syscall(LANDLOCK_CREATE_RULESET, struct.pack("Q", CHANGES), 8, 0), "Landlock")
    writable = [target for _, target, writable in job["mounts"] if writable]
    for path in (*writable, "/tmp", "/dev"):  # noqa: S108 - programs that know no other place
        descriptor = os.open(path, os.O_PATH)
        rule = struct.pack("=Qi", CHANGES, descriptor)
        _checked(LIBC.syscall(LANDLOCK_ADD_RULE, rules, 1, rule, 0), f"allowing {path}")
        os.close(descriptor)
    _checked(LIBC.syscall(LANDLOCK_RESTRICT_SELF, rules, 0), "Landlock")
    os.close(rules)


CONFINING = {"namespaces": _namespaces, "landlock": _landlock}


def _become(job: dict[str, Any], supervisor: int, report: int) -> NoReturn:
    """Turn this process into the command; what kept it from that goes into the report."""
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # ignored by Python, which a child would inherit
            signal.signal(number, signal.SIG_DFL)
        if job["cpus"]:
            os.sched_setaffinity(0, job["cpus"])
        if job["level"] in CONFINING:
            LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
            CONFINING[job["level"]](job)
        os.chdir(job["cwd"])
        # Last: a change of powers takes it back.
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() == supervisor:
            os.execvpe(job["argv"][0], job["argv"], job["env"])  # noqa: S606 - no shell is the point
    except OSError as error:
        os.write(report, str(error.strerror).encode("utf-8", "replace"))
    os._exit(127)


def _ended(child: int, changes: int) -> int | None:
    """Wait for the command and return its status; None: abs-audit ended or wants no more of it."""
    while True:
        ready, _, _ = select.select([0, changes], [], [])
        if 0 in ready:
            return None
        os.read(changes, 4096)
        for number, status in _reaped():
            if number == child:
                return status


def _reaped() -> Iterator[tuple[int, int]]:
    """Yield number and status of every child that has ended."""
    try:
        while (reaped := os.waitpid(-1, os.WNOHANG))[0]:
            yield reaped
    except ChildProcessError:
        return


def _end_descendants() -> None:
    while numbers := list(_descendants()):
        for number in numbers:
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(PAUSE_S)
        for _ in _reaped():
            pass


def _descendants() -> Iterator[int]:
    """Yield the numbers of all processes below this one."""
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 - pathlib takes long to import
        try:
            with open(f"/proc/{name}/stat", "rb", buffering=0) as stream:  # noqa: PTH123
                parent = int(stream.read().rpartition(b")")[2].split()[1])
        except OSError:  # it has ended, maybe since the file was opened
            continue
        children.setdefault(parent, []).append(int(name))
    waiting = children.get(os.getpid(), [])
    while waiting:
        number = waiting.pop()
        yield number
        waiting += children.get(number, [])


def _orders() -> dict[str, Any]:
    """Read the orders: their length in eight bytes, then as many bytes."""
    text = b""
    while len(text) < 8 or len(text) < 8 + int.from_bytes(text[:8], "big"):
        piece = os.read(0, 1 << 16)
        if not piece:
            sys.exit(1)
        text += piece
    orders: dict[str, Any] = marshal.loads(text[8:])  # noqa: S302 - written by us, for this process alone
    return orders


def main() -> NoReturn:
    """Follow the orders; the number of the pipe for a report is the one argument."""
    report = int(sys.argv[1])
    job = _orders()
    os.set_inheritable(report, False)
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    changes, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    supervisor = os.getpid()
    child = os.fork()
    if child == 0:
        _become(job, supervisor, report)
    status = _ended(child, changes)
    _end_descendants()
    code = -signal.SIGKILL if status is None else os.waitstatus_to_exitcode(status)
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
