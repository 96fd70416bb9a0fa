"""Plans that come one after the other to a process which has imported a suite, each executed in a fork."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

from _abs_audit_driver.fork import depend_on_parent

PIPES = "ABS_AUDIT_PLANS"


class Plans:
    """The plan that a process was started with, and those that come after it by a pipe, if any do."""

    def __init__(self, first):
        self._next = first
        self._pipes = [int(number) for number in os.environ.pop(PIPES, "").split()]
        # Neither are what the suite starts.
        for pipe in self._pipes:
            os.set_inheritable(pipe, False)
        self._in_fork = False

    def next_in_fork(self, make_ready):
        """Return each plan in a fork of its own; None where there is but the first.

        `make_ready` is called with a plan before that, in this process. Threads do not live on in a fork:
        where importing started any, this process executes the plan, and is of no further use.
        """
        if not self._pipes:
            return None
        coming, answers = self._pipes
        while self._next:
            plan = json.loads(Path(self._next).read_text(encoding="utf-8"))
            make_ready(plan)
            if threading.active_count() > 1:
                return plan
            child = os.fork()
            if child == 0:
                self._begin()
                return plan
            _, status = os.waitpid(child, 0)
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            os.write(answers, b"%d" % code)
            self._next = os.fsdecode(_line(coming))
        os._exit(0)

    def _begin(self):
        self._in_fork = True
        depend_on_parent()
        for pipe in self._pipes:
            os.close(pipe)

    def leave(self, ledger):
        """End a fork here: what clears up when a process ends would take away what the next one needs."""
        if self._in_fork:
            ledger.finish()
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            os._exit(0)


def _line(descriptor):
    """Return the next line, without its end; empty where none comes any more."""
    text = b""
    while not text.endswith(b"\n"):
        byte = os.read(descriptor, 1)
        if not byte:
            return b""
        text += byte
    return text[:-1]
