"""Switches the probes of the patched copy around timed regions and reads their tallies.

An arm is `open`ed right before a timed region and `close`d right after it.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from contextlib import suppress
from math import isnan, nan
from operator import add, sub
from time import perf_counter, perf_counter_ns, thread_time_ns

try:
    from resource import RUSAGE_THREAD, getrusage
except ImportError:  # this system does not say what a thread had of the processor
    getrusage = None

COUNT, OFF, PROFILE, TIME = "count", "off", "profile", "time"
FIELDS = ("calls", "batches", "injected_ns", "timed_ns")
FIELDS += ("probe_ns", "cut_ns", "uncut_ns", "apart_ns", "waited_ns", "inside_ns")


def mode_of(arm):
    """Return what the probes of an arm are told to do."""
    return arm["ABS_PROBE_MODE"]


def methods_of(arm):
    """Return the methods whose probes an arm switches on."""
    return [name for name in arm.get("ABS_PROBE_METHODS", "").split("\n") if name]


class NoProbeError(Exception):
    """The process did not import the probed copy."""


def find_probe():
    """Return the probe's module where the patched copy is on the path, else None."""
    try:
        import _abs_audit_probe  # noqa: PLC0415 - there is none in an unpatched copy
    except ModuleNotFoundError:
        return None
    return _abs_audit_probe


class SetupWatch:
    """Counts entries outside the timed regions of the parent: imports, fixtures, set-up."""

    def __init__(self, probe, arms):
        methods = sorted({name for arm in arms if mode_of(arm) == COUNT for name in methods_of(arm)})
        self._probe = probe if methods else None
        self._imports = self._visit = {}
        self._visited = perf_counter()
        self.opened = _ignored
        if self._probe:
            # Workers that are forked from here on, and interpreters started, share it.
            self._marks = tempfile.NamedTemporaryFile()  # noqa: SIM115 - it lives as long as the process
            self.opened = probe.watch(self._marks.name)
            probe.arm(COUNT, methods)
            probe.start()

    def _calls(self):
        return calls_by_method(self._probe.tally()) if self._probe else {}

    def imported(self):
        """Mark the end of what all benchmarks share."""
        self._imports = self._calls()

    def visit(self):
        """Mark the beginning of one benchmark's own set-up."""
        self._visit = self._calls()
        self._visited = perf_counter()

    def elapsed_s(self):
        """Return the time since then."""
        return perf_counter() - self._visited

    def calls(self):
        """Return entries so far for the benchmark being visited: by imports, and by its own set-up."""
        return {
            name: (self._imports.get(name, 0), calls - self._visit.get(name, 0))
            for name, calls in self._calls().items()
        }


def _ignored(is_open):
    """Tell nobody that a timed region is open."""


def calls_by_method(tally):
    """Return method id → entries."""
    return {name: entry["calls"] for name, entry in tally["methods"].items()}


class Regions:
    """How long the timed regions of this thread were, and what of it others did not take away."""

    QUEUE = "/proc/thread-self/schedstat"

    def __init__(self):
        self.forget()
        self._begun = self._queue = None
        with suppress(OSError, IndexError):
            queue = open(self.QUEUE, "rb", buffering=0)  # noqa: PTH123, SIM115 - it lives as long as the arm
            # How often this thread had a processor is 0 where the kernel does not count.
            self._queue = queue if int(queue.read(99).split()[2]) else None

    def forget(self):
        """Forget what warm-up took."""
        self.wall_ns = self.cpu_ns = 0

    def _queued_ns(self):
        """Return how long this thread has waited for a processor; not a number where that is not known."""
        if self._queue is None:
            return nan
        self._queue.seek(0)
        return int(self._queue.read(99).split()[1])

    def open(self):
        """Begin a region."""
        self._begun = getrusage and self._now()

    def close(self):
        """End a region."""
        if self._begun:
            wall_ns, *others = map(sub, self._now(), self._begun)
            self.wall_ns += wall_ns
            self.cpu_ns += own_ns(wall_ns, *others)

    def _now(self):
        usage = getrusage(RUSAGE_THREAD)
        # The kernel brings the time of `usage` up to date at its ticks only.
        return perf_counter_ns(), thread_time_ns(), self._queued_ns(), usage.ru_nvcsw, usage.ru_nivcsw

    def told(self):
        """Return what a tally says of it."""
        return {"cpu_ns": self.cpu_ns, "wall_ns": self.wall_ns}


def own_ns(wall_ns, spent_ns, queued_ns, waits, interruptions):
    """Return what others left of a region, in nanoseconds.

    What waits of its own accord is not interrupted. Where it does, the kernel's queue says how long it waited
    for a processor (`queued_ns`, nan: not known); where it does not, all time without one was taken.
    """
    if waits and not isnan(queued_ns):
        return max(0, wall_ns - queued_ns)
    # Both clocks are read one after the other, at either end.
    return wall_ns if waits > interruptions else min(spent_ns, wall_ns)


class Unprobed:
    """An arm without any probe."""

    def __init__(self):
        self._regions = Regions()
        self.open, self.close, self.begin = self._regions.open, self._regions.close, self._regions.forget

    def tally(self):
        """Return what others left of its time; there is nothing to prove."""
        return {"build_id": "", "methods": {}, **self._regions.told()}


class Probed:
    """An arm whose probes are active inside the timed regions only."""

    def __init__(self, probe, wanted):
        probe.arm(*probe.told(wanted))
        self._probe = probe
        self._before = probe.tally()["methods"]
        self.open = probe.start
        self.close = probe.stop
        self._regions = None
        if mode_of(wanted) == TIME:
            self._regions = Regions()
            self.open, self.close = self._start, self._stop

    def _start(self):
        self._probe.start()
        self._regions.open()

    def _stop(self):
        self._regions.close()
        self._probe.stop()

    def begin(self):
        """Forget what warm-up did; the position in a batch of delays carries on.

        An interruption of the warm-up may be longer than all delays of what is measured: made up for
        there, it would leave a mutant that nothing slows.
        """
        self._probe.forget_carried()
        self._before = self._probe.tally()["methods"]
        if self._regions:
            self._regions.forget()

    def tally(self):
        """Return what the probes did since `begin`."""
        now = self._probe.tally()
        methods = {}
        for name, entry in now["methods"].items():
            before = self._before.get(name, {})
            methods[name] = {field: entry.get(field, 0) - before.get(field, 0) for field in FIELDS}
            methods[name]["setup_calls"] = 0
            methods[name].update(self._regions.told() if self._regions else {})
            if "callers" in entry:
                methods[name]["callers"] = _grown(entry["callers"], before.get("callers", {}))
        return {"build_id": now["build_id"], "methods": methods}


def _grown(now, before):
    """Return what was added to each counter since, without those that stand still."""
    added = {name: count - before.get(name, 0) for name, count in now.items()}
    return {name: count for name, count in added.items() if count}


class Counted:
    """An arm that counts all the time and tells timed regions from everything else."""

    def __init__(self, probe, wanted, setup_calls, opened):
        probe.arm(COUNT, methods_of(wanted))
        probe.start()
        self._probe = probe
        self._tell = opened
        self._earlier = setup_calls
        self._methods, self._now = probe.counter()
        self._opened = self._inside = self._warmup = [0] * len(self._methods)

    def open(self):
        """Remember where the counters stand."""
        self._opened = self._now()
        self._tell(True)

    def close(self):
        """Add what was counted since `open`."""
        self._tell(False)
        self._inside = list(map(add, self._inside, map(sub, self._now(), self._opened)))

    def begin(self):
        """Set warm-up apart: it is neither measured nor set-up."""
        self._warmup, self._inside = self._inside, [0] * len(self._methods)

    def tally(self):
        """Return entries inside the measured regions, and outside of any, of what was entered at all."""
        now = self._probe.tally()
        methods = {}
        for index, name in enumerate(self._methods):
            entry, inside = now["methods"][name], self._inside[index]
            elsewhere = entry.get("elsewhere", "")
            loading, earlier = self._earlier.get(name, (0, 0))
            if not (entry["calls"] or loading or earlier or elsewhere):
                continue
            outside = entry["calls"] - inside - self._warmup[index]
            methods[name] = dict.fromkeys(FIELDS, 0)
            methods[name].update(calls=inside, setup_calls=loading + earlier + outside, loading_calls=loading)
            methods[name]["elsewhere"] = elsewhere
        return {"build_id": now["build_id"], "methods": methods}


class Profiled:
    """An arm that counts in a copy without probes: what, by name, could be one of the methods."""

    def __init__(self, wanted):
        self._methods = methods_of(wanted)
        self._named = {}
        self._calls = dict.fromkeys(self._methods, 0)

    def open(self):
        """Have the interpreter tell every call."""
        threading.setprofile(self._hook)
        sys.setprofile(self._hook)

    def close(self):
        """Have it tell nothing."""
        sys.setprofile(None)
        threading.setprofile(None)

    def begin(self):
        """Forget what warm-up did."""
        self._calls = dict.fromkeys(self._methods, 0)

    def tally(self):
        """Return the entries inside the measured regions; those outside are not known."""
        silent = dict.fromkeys((*FIELDS, "setup_calls"), 0)
        return {"build_id": "", "methods": {n: {**silent, "calls": c} for n, c in self._calls.items()}}

    def _hook(self, frame, event, _argument):
        if event == "call":
            code = frame.f_code
            if code not in self._named:
                self._named[code] = self._could_be(code.co_name, frame.f_globals.get("__name__"))
            for name in self._named[code]:
                self._calls[name] += 1

    def _could_be(self, function, module):
        """Return the methods of that name and module; text that is executed by itself has no module."""
        return [
            name
            for name in self._methods
            if function in name.split(".")[-2:] and (not module or name.startswith(module + "."))
        ]


def arm(probe, wanted, setup_calls, opened=_ignored):
    """Return the arm that the plan describes, its probes set up and silent."""
    if probe:
        probe.stop()
    if mode_of(wanted) == OFF:
        return Unprobed()
    if mode_of(wanted) == PROFILE:
        return Profiled(wanted)
    if probe is None:
        raise NoProbeError(
            "no probe in this process: the probed copy is not what was imported; is the tree instrumented?"
        )
    if mode_of(wanted) == COUNT:
        return Counted(probe, wanted, setup_calls, opened)
    return Probed(probe, wanted)
