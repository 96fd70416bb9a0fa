"""What a framework would time, and how: calls repeated with as little around them as it uses itself."""

from __future__ import annotations

import gc
from itertools import repeat
from time import perf_counter

# Doubling stops where an iteration, fresh set-up for every call included, takes this many targets.
SETUP_BOUND = 5
# A first call above this is not repeated only because it was cold.
CHEAP_S = 1.0
# A call above this is not made again only to find out how long it takes.
DEAR_S = 5.0
# A warm-up that sets up every call anew ends here: that it makes few calls leaves nothing behind.
WARM_S = 0.05


class SkippedError(Exception):
    """The suite itself does not want this benchmark to be measured here."""


class Workload:
    """One function called in a loop; the frameworks' variants override `seconds`."""

    def __init__(self, function, args=(), kwargs=None, collect=True):
        self._function = function
        self._args = args
        self._kwargs = kwargs or {}
        self._collect = collect

    # Where calibration begins: invocations that make sense at all.
    fewest = 1
    # Invocations that the suite itself times at least, and for how long, where the very first is one of them.
    from_first = 0
    from_first_s = 0.0
    # What the suite itself reads around a region.
    clock = staticmethod(perf_counter)
    # Whether every call has a set-up of its own.
    renews = False

    def enter(self):
        """Make ready for a step."""

    def leave(self):
        """Clear up after a step."""

    def seconds(self, invocations, arm):
        """Return the duration of that many calls, timed as one region."""
        function, args, kwargs, clock = self._function, self._args, self._kwargs, self.clock
        arm.open()
        start = clock()
        for _ in repeat(None, invocations):
            function(*args, **kwargs)
        duration = clock() - start
        arm.close()
        return duration

    def iteration(self, invocations, arm):
        """Return seconds per invocation; the garbage collector as the framework has it."""
        enabled = gc.isenabled()
        if not self._collect:
            gc.disable()
        try:
            return self.seconds(invocations, arm) / invocations
        finally:
            if enabled:
                gc.enable()

    def warm_up(self, invocations, arm):
        """Make the calls of an iteration before those that count, of calls set up anew a few."""
        if not self.renews:
            self.iteration(invocations, arm)
            return
        end = perf_counter() + WARM_S
        for _ in repeat(None, invocations):
            self.iteration(1, arm)
            if perf_counter() > end:
                break


class PreparedWorkload(Workload):
    """Set-up gives each call its arguments; every call is a timed region of its own."""

    renews = True

    def __init__(self, function, setup, teardown, collect=True):
        super().__init__(function, collect=collect)
        self._setup = setup
        self._teardown = teardown

    def seconds(self, invocations, arm):
        """Return the summed duration of the calls, set-up and teardown left out."""
        function, total, clock = self._function, 0.0, self.clock
        for _ in repeat(None, invocations):
            args, kwargs = self._setup()
            arm.open()
            start = clock()
            function(*args, **kwargs)
            total += clock() - start
            arm.close()
            self._teardown(*args, **kwargs)
        return total


def calibrated(workload, arm, target_s):
    """Return invocations that make an iteration of at least `target_s`, at least `fewest`, and its time."""
    invocations = workload.fewest
    seconds, wall = _timed(workload, arm, invocations)
    if seconds < CHEAP_S:
        seconds, wall = _timed(workload, arm, invocations)
    while seconds < target_s and 2 * wall <= SETUP_BOUND * target_s:
        invocations *= 2
        seconds, wall = _timed(workload, arm, invocations)
    return invocations, seconds


def _timed(workload, arm, invocations):
    start = perf_counter()
    seconds = workload.iteration(invocations, arm) * invocations
    return seconds, perf_counter() - start


def measure(workload, step, arm):
    """Return invocations, values and tally of one step."""
    invocations = step["invocations"]
    if invocations is None:
        invocations, seconds = calibrated(workload, arm, step["target_s"])
        if seconds >= DEAR_S and step["iterations"] == 1:
            # It has warmed itself up, and the next one would tell no more.
            return {"invocations": invocations, "values": [seconds / invocations], "tally": arm.tally()}
    for _ in range(step["warmup"]):
        workload.warm_up(invocations, arm)
    arm.begin()
    values = [workload.iteration(invocations, arm) for _ in range(step["iterations"])]
    tally = arm.tally()
    if tally and workload.from_first:
        tally["from_first"] = max(workload.from_first, round(workload.from_first_s / min(values)))
    return {"invocations": invocations, "values": values, "tally": tally}
