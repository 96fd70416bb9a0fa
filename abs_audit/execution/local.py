"""Executes commands as processes of this machine, each in a session of its own, killed whole.

This is the only module that starts processes. Code of the audited repository runs through here or
through a container, never inside abs-audit's own process.
"""

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import IO

import psutil

from abs_audit.errors import UnfitEnvironmentError
from abs_audit.execution.reading import Capture, Follower, log_of
from abs_audit.model.experiment import Command, Execution

FOLLOW_S = 0.25
DRAIN_S = 1.0
KEPT = ("PATH", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "JAVA_HOME", "GOROOT")
# What fetching dependencies needs to know of the user's set-up, and measuring must not see.
KEPT_FOR_FETCHING = ("HOME", "USER", "XDG_CACHE_HOME", "GOPROXY", "GONOSUMDB", "GOSUMDB", "GOFLAGS", "GOPATH")
PREFIXES_FOR_FETCHING = ("PIP_", "UV_", "SSL_", "REQUESTS_", "MAVEN_", "HTTP", "http", "NO_PROXY", "no_proxy")

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def _environment(command: Command) -> dict[str, str]:
    """Return the minimal environment of a command: nothing of the user's reaches the suite."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    if command.network:
        kept |= {
            name: value
            for name, value in os.environ.items()
            if name in KEPT_FOR_FETCHING or name.startswith(PREFIXES_FOR_FETCHING)
        }
    return kept | dict(command.env)


def _prctl(option: int, value: int) -> None:
    """Ask the kernel; where it cannot (not Linux) the feature is simply absent."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


class LocalExecutor:
    """Runs commands on this machine, pinned to CPUs, and leaves no process behind."""

    width = 1
    place = ""

    def __init__(self, cpus: tuple[int, ...] = ()) -> None:
        """Pin every command to `cpus`; empty: wherever the system puts it."""
        self._cpus = cpus
        # Daemons that a suite forks off become our children, so that we find and kill them.
        _prctl(PR_SET_CHILD_SUBREAPER, 1)

    def execute(self, command: Command, on_line: Callable[[str], None] | None = None) -> Execution:
        """Execute to the end or the limit; raise UnfitEnvironmentError where it cannot start."""
        started = time.monotonic()
        before = set(psutil.Process().children(recursive=True))
        process = self._start(command)
        follower = Follower(command.results, on_line)
        out, err = Capture(), Capture()
        try:
            timed_out = _watch(process, {process.stdout: out, process.stderr: err}, follower, command.limit_s)
        finally:
            _kill_tree(process, before)
        follower.poll()
        results = command.results
        text = results.read_text("utf-8", "replace") if results and results.exists() else None
        return Execution(
            exit_code=process.returncode,
            timed_out=timed_out,
            out_of_memory=False,
            output=text if text is not None else out.kept.decode("utf-8", "replace"),
            log=log_of(out, err),
            wall_s=time.monotonic() - started,
            truncated=out.truncated,
        )

    def _start(self, command: Command) -> "subprocess.Popen[bytes]":
        if command.results is not None:
            command.results.parent.mkdir(parents=True, exist_ok=True)
        cpus = self._cpus

        def in_the_child() -> None:
            _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if cpus and not command.network:
                os.sched_setaffinity(0, cpus)

        try:
            return subprocess.Popen(
                command.argv,
                cwd=command.cwd,
                env=_environment(command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                preexec_fn=in_the_child,  # noqa: PLW1509 - no thread of ours runs here
            )
        except OSError as error:
            raise UnfitEnvironmentError(
                f"cannot start {command.argv[0]!r} ({command.purpose}): {error.strerror}; "
                "see what is missing with: abs-audit doctor"
            ) from error


def _watch(
    process: "subprocess.Popen[bytes]",
    streams: Mapping[IO[bytes] | None, Capture],
    follower: Follower,
    limit_s: float,
) -> bool:
    """Read until the process ends; return whether the limit came first."""
    deadline = time.monotonic() + limit_s
    descriptor = os.pidfd_open(process.pid)
    captures = {stream.fileno(): capture for stream, capture in streams.items() if stream}
    waiting = [descriptor, *captures]
    ended = False
    try:
        while time.monotonic() < deadline:
            ready, _, _ = select.select(waiting, [], [], min(FOLLOW_S, limit_s))
            for number in ready:
                if number == descriptor:
                    continue
                chunk = os.read(number, 1 << 16)
                captures[number].add(chunk)
                if not chunk:
                    waiting.remove(number)
            follower.poll()
            if descriptor in ready and not set(ready) & set(captures):
                return False
            if descriptor in ready and not ended:
                # What a left-behind child goes on saying is not waited for.
                ended, deadline = True, min(deadline, time.monotonic() + DRAIN_S)
        return not ended
    finally:
        os.close(descriptor)


def _kill_tree(process: "subprocess.Popen[bytes]", before: set[psutil.Process]) -> None:
    """Kill what the command started, detached children included, and reap it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    left = [child for child in psutil.Process().children(recursive=True) if child not in before]
    for child in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            child.kill()
    psutil.wait_procs(left, timeout=5)
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
