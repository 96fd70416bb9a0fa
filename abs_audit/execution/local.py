"""Executes commands as processes of this machine, each under a supervisor, killed whole.

This is the only module that starts processes. Code of the audited repository runs through here or
through a container, never inside abs-audit's own process.
"""

import contextlib
import functools
import marshal
import math
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from abs_audit.errors import UnfitEnvironmentError
from abs_audit.execution.confinement import fetching, own_folder
from abs_audit.execution.leftovers import MARK
from abs_audit.execution.reading import Capture, Follower, log_of
from abs_audit.execution.sandbox import Level, Mount, mounts
from abs_audit.execution.workspace import is_workspace
from abs_audit.model.experiment import Command, Execution, Sandbox, Shared, Workspace

FOLLOW_S = 0.25
ENDING_S = 10.0
"""Within which a supervisor has killed what it started; it may be as slow as the machine is busy."""
SUPERVISOR = (sys.executable, "-I", "-S", str(Path(__file__).with_name("supervisor.py")))
MOST_READY = 4
"""Processes that are kept ready: one to prepare, and one for each run of what is measured in several."""
PIPES = "ABS_AUDIT_PLANS"
"""Names the pipes of a process that executes one command after the other: what comes, and what has ended."""
KEPT = ("PATH", "LANG", "TZ", "LD_LIBRARY_PATH", "JAVA_HOME", "GOROOT")
# What fetching dependencies needs to know of the user's folders.
KEPT_FOR_FETCHING = ("HOME", "USER", "XDG_CACHE_HOME", "GOFLAGS", "GOPATH", "CARGO_HOME", "RUSTUP_HOME")


def _environment(command: Command) -> dict[str, str]:
    """Return the minimal environment of a command: nothing of the user's reaches the suite."""
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment |= fetching(command, KEPT_FOR_FETCHING)
    own = own_folder(command)
    if is_workspace(own):
        environment |= {"TMPDIR": str(Workspace(root=own).temporary), MARK: str(own)}
    elif "TMPDIR" in os.environ:
        environment["TMPDIR"] = os.environ["TMPDIR"]
    return environment | dict(command.env)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """The orders of a supervisor."""

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    cpus: tuple[int, ...]
    level: str
    mounts: list[Mount]
    network: bool


class _Supervised:
    """A command under a supervisor, which ends it and all its descendants once we end or want no more."""

    def __init__(self, job: _Job, inherited: Sequence[int] = ()) -> None:
        self._report, writing = os.pipe()
        libraries = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
        self.process = subprocess.Popen(
            [*SUPERVISOR, str(writing)],
            cwd="/",
            env=libraries,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=(writing, *inherited),
        )
        os.close(writing)
        orders = marshal.dumps(asdict(job))
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(len(orders).to_bytes(8, "big") + orders)
            self.process.stdin.flush()

    def watch(
        self, streams: Sequence[Capture], follower: Follower, command: Command, answers: int | None = None
    ) -> bool:
        """Read until the command ends, or an answer comes; return whether a limit came first."""
        deadline, latest = time.monotonic() + command.limit_s, math.inf
        descriptor = os.pidfd_open(self.process.pid)
        pipes = (self.process.stdout, self.process.stderr)
        captures = {pipe.fileno(): capture for pipe, capture in zip(pipes, streams, strict=True) if pipe}
        waiting = [descriptor, *captures, *([] if answers is None else [answers])]
        try:
            while time.monotonic() < min(deadline, latest):
                ready, _, _ = select.select(waiting, [], [], min(FOLLOW_S, command.limit_s))
                for number in set(ready) & set(captures):
                    chunk = os.read(number, 1 << 16)
                    captures[number].add(chunk)
                    if not chunk:
                        waiting.remove(number)
                if follower.poll():
                    latest = time.monotonic() + command.silence_s
                # All that could write has ended with the supervisor, or before the answer.
                if ready and {descriptor, answers}.issuperset(ready):
                    return False
            return True
        finally:
            os.close(descriptor)

    def end(self) -> str:
        """Kill what is left; return what kept the command from starting, empty where it did start."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(ENDING_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        with os.fdopen(self._report, "rb") as stream:
            return stream.read().decode("utf-8", "replace")


class _Ready:
    """A process that has made ready for commands of one kind, and executes one after the other."""

    def __init__(self, job: _Job, shared: Shared) -> None:
        self._job, self._shared = job, shared
        coming, self._coming = os.pipe()
        self.answers, answering = os.pipe()
        pipes = {PIPES: f"{coming} {answering}"}
        try:
            self.supervised = _Supervised(replace(job, env={**job.env, **pipes}), (coming, answering))
        finally:
            os.close(coming)
            os.close(answering)

    def takes(self, job: _Job, shared: Shared) -> bool:
        """Tell whether a command can be executed here, and begin if so."""
        if not shared.served_by(self._shared) or replace(job, argv=self._job.argv) != self._job:
            return False
        try:
            os.write(self._coming, os.fsencode(job.argv[-1]) + b"\n")
        except BrokenPipeError:
            return False
        return True

    def answer(self) -> int | None:
        """Return the exit code of the command; None: the process itself has ended."""
        ready, _, _ = select.select([self.answers], [], [], 0)
        answer = os.read(self.answers, 64) if ready else b""
        return int(answer) if answer else None

    def end(self) -> str:
        """End it; return what kept it from starting."""
        os.close(self._coming)
        obstacle = self.supervised.end()
        os.close(self.answers)
        return obstacle


@functools.cache
def best_level() -> Level:
    """Return how tightly this system lets a command be confined."""
    for level in (Level.NAMESPACES, Level.LANDLOCK):
        trial = _Supervised(
            _Job(argv=("true",), cwd="/", env={}, cpus=(), level=level.value, mounts=[], network=False)
        )
        trial.process.wait()
        if not trial.end():
            return level
    return Level.NONE


class LocalExecutor:
    """Runs commands on this machine, confined and pinned to CPUs, and leaves no process behind."""

    width = 1
    place = ""

    def __init__(self, cpus: tuple[int, ...] = (), sandbox: Sandbox = Sandbox.OFF) -> None:
        """Pin every command to `cpus`; empty: wherever the system puts it.

        Raise UnfitEnvironmentError where it cannot be confined and has to be.
        """
        self._ready: list[_Ready] = []
        self._cpus = cpus
        self._sandbox = sandbox
        if sandbox is Sandbox.STRICT and best_level() is not Level.NAMESPACES:
            raise UnfitEnvironmentError(
                "--sandbox strict: this system has no user namespaces for everyone, which cut off a suite "
                "from files and network; use --runner container, or --sandbox auto for what can be had"
            )

    def execute(self, command: Command, on_line: Callable[[str], None] | None = None) -> Execution:
        """Execute to the end or the limit; raise UnfitEnvironmentError where it cannot start."""
        started = time.monotonic()
        if command.results is not None:
            command.results.parent.mkdir(parents=True, exist_ok=True)
        follower = Follower(command.results, on_line)
        out, err = Capture(), Capture()
        ready = self._ready_for(command)
        supervised = _Supervised(self._job(command)) if ready is None else ready.supervised
        exit_code, obstacle = None, ""
        try:
            answers = None if ready is None else ready.answers
            timed_out = supervised.watch((out, err), follower, command, answers)
            exit_code = ready.answer() if ready and not timed_out else None
        finally:
            if ready is None:
                obstacle = supervised.end()
            elif exit_code is None:
                self._ready.remove(ready)
                obstacle = ready.end()
        if obstacle:
            raise UnfitEnvironmentError(
                f"cannot start {command.argv[0]!r} ({command.purpose}): {obstacle}; "
                "see what is missing with: abs-audit doctor"
            )
        follower.poll()
        results = command.results
        text = results.read_text("utf-8", "replace") if results and results.exists() else None
        return Execution(
            exit_code=supervised.process.returncode if exit_code is None else exit_code,
            timed_out=timed_out,
            out_of_memory=False,
            output=text if text is not None else out.kept.decode("utf-8", "replace"),
            log=log_of(out, err),
            wall_s=time.monotonic() - started,
            truncated=out.truncated,
        )

    def close(self) -> None:
        """End the processes that are ready for further commands."""
        while self._ready:
            self._ready.pop().end()

    __del__ = close

    def _ready_for(self, command: Command) -> _Ready | None:
        """Return the process that executes a command after others or before; None: it has one of its own."""
        if command.shared is None:
            return None
        job, shared = self._job(command), command.shared
        ready = next((ready for ready in self._ready if ready.takes(job, shared)), None)
        if ready is not None:
            self._ready.remove(ready)
        elif len(self._ready) == MOST_READY:
            self._ready.pop(0).end()
        # The one that was needed last is ended last.
        self._ready.append(ready or _Ready(job, shared))
        return self._ready[-1]

    def _job(self, command: Command) -> _Job:
        level = Level.NONE if self._sandbox is Sandbox.OFF else best_level()
        return _Job(
            argv=command.argv,
            cwd=str(command.cwd.absolute()),
            env=_environment(command),
            cpus=() if command.network else self._cpus,
            level=level.value,
            mounts=[] if level is Level.NONE else mounts(command),
            network=command.network,
        )
