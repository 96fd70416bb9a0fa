"""Executes a block in a fork of the warmed process, under a deadline, and gets a record for each step."""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import sys
import threading
import traceback
from contextlib import suppress
from pathlib import Path
from time import monotonic, perf_counter, sleep

from _abs_audit_driver.ledger import FAILED, OK, SKIPPED, TIMED_OUT, unsuccessful
from _abs_audit_driver.probing import arm
from _abs_audit_driver.workload import SkippedError, measure

PR_SET_PDEATHSIG = 1
POLL_S = 0.2
GRACE_S = 0.5


class Setting:
    """What the forks of one visit have in common."""

    def __init__(self, probe, watch, skips=()):
        self.probe = probe
        self.setup_calls = watch.calls()
        self.set_up_s = watch.elapsed_s()
        self.opened = watch.opened
        self.skips = (SkippedError, *skips)


class OverLimitError(BaseException):
    """The block takes too long; not an Exception, so that no benchmark catches it."""


def execute_block(block, workload, setting):
    """Return the records of the block's steps, one each, whatever happens to the fork.

    Threads do not live on in a fork: where there are any, a benchmark may wait for one (of a pool that a
    fixture made) for ever. Then the steps are executed in this process.
    """

    def steps(write):
        for position, step in enumerate(block["steps"]):
            write(_record(block["id"], position, step, workload, setting))

    if threading.active_count() > 1:
        records, cause = _here(steps, block["limit_s"])
    else:
        records, cause = apart(steps, block["limit_s"])
    for position in range(len(records), len(block["steps"])):
        records.append(unsuccessful(block["id"], position, *(cause or (FAILED, "no record came"))))
    return records


def _here(body, limit_s):
    """Call `body(write)` in this process; return what it wrote, and why it did not end."""
    records = []

    def stop(_signal, _frame):
        raise OverLimitError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        body(records.append)
    except OverLimitError:
        return records, _cause(limit_s, False, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return records, None


def apart(body, limit_s):
    """Call `body(write)` in a fork of its own.

    Return what it wrote, and status and reason where it did not end by itself with success.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _be_the_child(body, writer)
    os.close(writer)
    try:
        lines, in_time = _lines(child, reader, monotonic() + limit_s)
    finally:
        os.close(reader)
        status = _end(child)
    return [json.loads(line) for line in lines], _cause(limit_s, in_time, status)


def _cause(limit_s, in_time, status):
    """Return status and reason of what the fork left undone, None if nothing."""
    if not in_time:
        return TIMED_OUT, f"not done after the limit of {limit_s:g} s"
    if os.WIFSIGNALED(status):
        return FAILED, "the benchmark's process was killed by " + signal.Signals(os.WTERMSIG(status)).name
    if os.WEXITSTATUS(status):
        return FAILED, f"the benchmark ended its process with exit code {os.WEXITSTATUS(status)}"
    return None


def _lines(child, descriptor, deadline):
    """Return the complete lines that the child wrote, and whether it ended before the deadline."""
    text = b""
    while True:
        left = deadline - monotonic()
        if left <= 0:
            return text.split(b"\n")[:-1], False
        # Processes that the child left behind may keep the pipe open: its own end counts as well.
        ended = _has_ended(child)
        if select.select([descriptor], [], [], 0 if ended else min(left, POLL_S))[0]:
            chunk = os.read(descriptor, 1 << 16)
            text += chunk
            ended = not chunk
        if ended:
            return text.split(b"\n")[:-1], True


def _has_ended(child):
    """Tell whether the child is a zombie, and leave it one."""
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _end(child):
    """Kill the fork and what it started; return the fork's wait status."""
    patience = monotonic() + GRACE_S
    # A fork that closed its pipe is about to end by itself: its own status is worth knowing.
    while not _has_ended(child) and monotonic() < patience:
        sleep(POLL_S / 100)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def depend_on_parent():
    """Make this process the first of a group, and end it with its parent, which may be killed alone."""
    os.setpgid(0, 0)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _be_the_child(body, writer):
    """Call the body, let it write lines, and never return."""
    code = 1
    try:
        depend_on_parent()
        body(lambda record: os.write(writer, json.dumps(record).encode("utf-8") + b"\n"))
        code = 0
    except BaseException:
        # Above the body lies a copy of the parent, whose handlers must not run here.
        traceback.print_exc()
    finally:
        os._exit(code)


def _record(block, position, step, workload, setting):
    """Return the record of one executed step; an exception becomes its status."""
    start = perf_counter()
    record = unsuccessful(block, position, OK, "")
    try:
        active = arm(setting.probe, step["arm"], setting.setup_calls, setting.opened)
        # Arming thousands of methods is no set-up of the benchmark's.
        start = perf_counter()
        workload.enter()
        try:
            record.update(measure(workload, step, active))
            if record["tally"]:
                record["tally"]["set_up_s"] = setting.set_up_s
        finally:
            if setting.probe:
                setting.probe.stop()
            workload.leave()
    except setting.skips as problem:
        record = unsuccessful(block, position, SKIPPED, one_line(problem))
    except OverLimitError:
        raise
    # An exit or an interruption raised by a benchmark is its failure like any other.
    except BaseException as problem:
        record = unsuccessful(block, position, FAILED, one_line(problem))
    record["wall_s"] = perf_counter() - start
    return record


def one_line(problem):
    """Return `type: message (file:line)` of an exception; the innermost line outside this driver."""
    if isinstance(problem, SkippedError):
        return str(problem)
    frames = traceback.extract_tb(problem.__traceback__)
    here = Path(__file__).parent
    outside = [frame for frame in frames if Path(frame.filename).parent != here]
    raised_at = f" ({outside[-1].filename}:{outside[-1].lineno})" if outside else ""
    return f"{type(problem).__name__}: {problem}{raised_at}"
