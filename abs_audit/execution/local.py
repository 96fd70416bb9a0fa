"""Executes commands as processes of this machine: confined, pinned, killed whole."""

import os
import time
from collections.abc import Callable

from abs_audit.advising import advised
from abs_audit.errors import UnfitEnvironmentError
from abs_audit.execution.confinement import fetching, own_folder
from abs_audit.execution.leftovers import MARK
from abs_audit.execution.reading import Capture, Follower, log_of
from abs_audit.execution.ready import ReadyProcesses
from abs_audit.execution.sandbox import Level, mounts
from abs_audit.execution.supervised import Job, Supervised, best_level
from abs_audit.execution.workspace import is_workspace
from abs_audit.model.experiment import Command, Execution, Sandbox, Workspace

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


class LocalExecutor:
    """Runs commands on this machine, confined and pinned to CPUs, and leaves no process behind."""

    width = 1
    place: str = ""

    def __init__(self, cpus: tuple[int, ...] = (), sandbox: Sandbox = Sandbox.OFF) -> None:
        """Pin every command to `cpus`; empty: wherever the system puts it.

        Raise UnfitEnvironmentError where it cannot be confined and has to be.
        """
        self._ready = ReadyProcesses()
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
        job = self._job(command)
        ready = self._ready.begun(job, command.shared) if command.shared else None
        supervised = Supervised(job) if ready is None else ready.supervised
        exit_code, obstacle = None, ""
        try:
            answers = None if ready is None else ready.answers
            timed_out = supervised.watch((out, err), follower, command, answers)
            exit_code = ready.answer() if ready and not timed_out else None
        finally:
            if ready is None:
                obstacle = supervised.end()
            elif exit_code is None:
                obstacle = self._ready.end(ready)
        if obstacle:
            raise UnfitEnvironmentError(
                f"cannot start {command.argv[0]!r} ({command.purpose}): {obstacle}; "
                f"see what is missing with: {advised('doctor')}"
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
        self._ready.close()

    __del__ = close

    def _job(self, command: Command) -> Job:
        level = Level.NONE if self._sandbox is Sandbox.OFF else best_level()
        return Job(
            argv=command.argv,
            cwd=str(command.cwd.absolute()),
            env=_environment(command),
            cpus=() if command.network else self._cpus,
            level=level.value,
            mounts=[] if level is Level.NONE else mounts(command),
            network=command.network,
        )
