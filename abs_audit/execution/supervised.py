"""Starts commands, each under a supervisor that ends all that it started. Nothing else starts processes.

Code of the audited repository is executed from here or in a container, never in abs-audit's own process.
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
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from abs_audit.execution.reading import Capture, Follower
from abs_audit.execution.sandbox import Level, Mount
from abs_audit.model.experiment import Command

FOLLOW_S = 0.25
ENDING_S = 10.0
"""Within which a supervisor has killed what it started; it may be as slow as the machine is busy."""
SUPERVISOR = (sys.executable, "-I", "-S", str(Path(__file__).with_name("supervisor.py")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The orders of a supervisor."""

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    cpus: tuple[int, ...]
    level: str
    mounts: list[Mount]
    network: bool


class Supervised:
    """A command under a supervisor, which ends it and all its descendants once we end or want no more."""

    def __init__(self, job: Job, inherited: Sequence[int] = ()) -> None:
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


@functools.cache
def best_level() -> Level:
    """Return how tightly this system lets a command be confined."""
    for level in (Level.NAMESPACES, Level.LANDLOCK):
        trial = Supervised(
            Job(argv=("true",), cwd="/", env={}, cpus=(), level=level.value, mounts=[], network=False)
        )
        trial.process.wait()
        if not trial.end():
            return level
    return Level.NONE
