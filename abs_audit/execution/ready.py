"""Processes that stay ready: one that has imported a suite executes its commands one after the other."""

import os
import select
from dataclasses import replace

import psutil

from abs_audit.execution.supervised import Job, Supervised
from abs_audit.model.experiment import Shared

MOST_READY = 6
"""Processes that are kept ready: one to prepare, and one for each run of what is measured in several..."""
MOST_MEMORY = 75.0
"""...while less than so many per cent of this machine's memory are in use."""
PIPES = "ABS_AUDIT_PLANS"
"""Names the pipes of a process that executes one command after the other: what comes, and what has ended."""


class Ready:
    """A process that has made ready for commands of one kind, and executes one after the other."""

    def __init__(self, job: Job, shared: Shared) -> None:
        self._job, self._shared = job, shared
        coming, self._coming = os.pipe()
        self.answers, answering = os.pipe()
        pipes = {PIPES: f"{coming} {answering}"}
        try:
            self.supervised = Supervised(replace(job, env={**job.env, **pipes}), (coming, answering))
        finally:
            os.close(coming)
            os.close(answering)

    def takes(self, job: Job, shared: Shared) -> bool:
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


class ReadyProcesses:
    """Those that are kept, the one that was needed last at the end."""

    def __init__(self) -> None:
        self._kept: list[Ready] = []

    def begun(self, job: Job, shared: Shared) -> Ready:
        """Return the process that executes a command: one that has executed others, or a new one."""
        ready = next((ready for ready in self._kept if ready.takes(job, shared)), None)
        if ready is None:
            while self._kept and (
                len(self._kept) == MOST_READY or psutil.virtual_memory().percent > MOST_MEMORY
            ):
                self.end(self._kept[0])
            ready = Ready(job, shared)
        else:
            self._kept.remove(ready)
        self._kept.append(ready)
        return ready

    def end(self, ready: Ready) -> str:
        """End one of them; return what kept it from starting."""
        self._kept.remove(ready)
        return ready.end()

    def close(self) -> None:
        """End all of them."""
        while self._kept:
            self._kept.pop().end()
