"""Runtime of the probes: what the sites of one method do and remember in each mode.

Lies beside `_abs_audit_probe` as `_abs_audit_states`; executes in the audited project's own interpreter.
"""
# mypy: ignore-errors

import itertools
import mmap
import os
import time
import zlib
from _thread import _local, get_ident
from operator import length_hint

_ENDLESS = 1 << 62
# What takes the processor for longer may have let another thread do its work meanwhile. Less than a scheduler
# takes it for must not: delays are sized by a control that was interrupted, too, so interruptions on top of
# them would make them longer than asked for by that proportion once more.
_INTERRUPTION_NS = 2e7

clock = time.perf_counter_ns


def inert():
    """Do nothing: what is due while a site is not armed."""


class Counting:
    """Mode `count`: the tick alone; base of the other modes."""

    batches = 0

    def __init__(self, signal=None):
        self._ticks = itertools.repeat(signal, _ENDLESS)
        self.tick = self._ticks.__next__
        self.due = inert

    def calls(self):
        """Return the exact number of ticks."""
        return _ENDLESS - length_hint(self._ticks)

    def injected_ns(self):
        """Return the time that delays took; 0 where there are none."""
        return 0.0

    def timed_ns(self):
        """Return the estimated inclusive time of outermost calls; 0 but in mode `time`."""
        return 0.0

    def _pass(self, *_):
        """Do nothing where only other modes do something.

        `leave`: be suspended or return; `enter`: go on after that, uncounted; `rejoin`: after the region has
        ended, so that a later `leave` finds its entry; `wait`: begin to wait (1), or go on (-1).
        """

    enter = leave = rejoin = wait = forget_carried = _pass


class Elsewhere:
    """Marks in a file that all processes of a benchmark map: which methods other processes and threads enter.

    A slot a method, by a digest of its name, so that interpreters which know nothing of each other agree.
    The first slot says whether a timed region is open.
    """

    SLOTS = 1 << 20
    PROCESSES, THREADS = 1, 2

    def __init__(self, path, home):
        with open(path, "r+b") as stream:  # noqa: PTH123
            self._marks = mmap.mmap(stream.fileno(), self.SLOTS)
        self._home = home
        """The process whose calls are counted; None where this is another one for certain."""

    def settle(self, methods):
        """Make this process the home, and forget what was marked for `methods`."""
        self._home = os.getpid()
        for method in methods:
            self._marks[self.slot(method)] = 0

    def open(self, is_open):
        """Say whether a timed region is open, in whatever process."""
        self._marks[0] = is_open

    def slot(self, method):
        """Return where the marks of a method are."""
        return 1 + zlib.crc32(method.encode("utf-8", "surrogatepass")) % (self.SLOTS - 1)

    def note(self, slot, thread):
        """Mark an entry by this process, if it is not at home, or by another thread than `thread`."""
        if self._marks[0]:
            if os.getpid() != self._home:
                self._marks[slot] |= self.PROCESSES
            elif thread != get_ident():
                self._marks[slot] |= self.THREADS

    def of(self, method):
        """Return `processes`, `threads` or nothing: who else entered the method."""
        marks = self._marks[self.slot(method)]
        return "processes" if marks & self.PROCESSES else "threads" if marks & self.THREADS else ""


class Watching(Counting):
    """Mode `count` where other processes and threads are watched for: counts, and marks their entries."""

    def __init__(self, method, elsewhere):
        super().__init__(True)
        slot, first = elsewhere.slot(method), []

        def due():
            if not first:
                first.append(get_ident())
            elsewhere.note(slot, first[0])

        self.due = due


class Frames(_local):
    """The probed methods that one thread is inside of, outermost first."""

    def __init__(self):
        self.methods = []


class Calling(Counting):
    """Mode `callers`: counts, and from which probed method each entry came."""

    def __init__(self, method, frames):
        super().__init__(True)
        self.due = self._called
        self._method = method
        self._frames = frames
        self.callers = {}

    def _called(self):
        above = self._frames.methods
        caller = above[-1] if above else ""
        self.callers[caller] = self.callers.get(caller, 0) + 1
        above.append(self._method)
        return self.leave

    def enter(self):
        """Go on after a suspension: inside again, but not called again."""
        self._frames.methods.append(self._method)

    rejoin = enter

    def leave(self):
        """Take back what the last entry added; what lies above it was left behind without a word."""
        methods = self._frames.methods
        if self._method in methods:
            while methods.pop() != self._method:
                pass


class Delaying(Counting):
    """Modes `control` and `delay`: each `batch` calls are delayed at once, by busy-waiting.

    The tick is the `__next__` of an endless C iterator. It executes no Python code and cannot fail or
    run out, so neither threads nor recursion, a recursion limit or a signal can break it.
    """

    def __init__(self, delay_ns, batch):
        self._batch = batch
        self._ring = itertools.cycle((None,) * (batch - 1) + (True,))
        self._requested = delay_ns * batch
        self._most = max(self._requested, _INTERRUPTION_NS)
        self._carried = 0.0
        self._idle = 0.0
        self.batches = 0
        self._injected = 0.0
        self.tick = self._ring.__next__
        self.due = self._delay

    def calibrate(self):
        """Learn what the clock shows in a delay of nothing, which the control has too."""
        trial = Delaying(0.0, 1)
        shown = []
        for _ in range(31):
            before = trial._injected
            trial._delay()
            shown.append(trial._injected - before)
        self._idle = median(shown) if self._requested else 0.0
        return self

    def _delay(self):
        remaining = self._carried + self._requested
        start = clock()
        end = start + remaining + self._idle
        while True:
            now = clock()
            if now >= end:
                break
        elapsed = now - start - self._idle
        remaining -= elapsed
        # Interruptions are a part of the delay, as they are of the time that delays are sized by, so an
        # overshoot is carried on.
        self._carried = remaining if remaining > -self._most else -self._most
        self._injected += elapsed
        self.batches += 1

    def forget_carried(self):
        """Carry nothing over, as before the first call."""
        self._carried = 0.0

    def injected_ns(self):
        """Return the time that delays took, beyond what a delay of nothing takes."""
        return max(0.0, self._injected) if self._requested else 0.0

    def calls(self):
        """Return the exact number of ticks; leaves the position in the batch as it was."""
        # The position inside the ring cannot be asked for: walk to its end and to the same place again.
        left = next(index for index, due in enumerate(self._ring) if due)
        position = self._batch - 1 - left
        next(itertools.islice(self._ring, position, position), None)
        return self.batches * self._batch + position


def median(values):
    """Return the upper median of some numbers."""
    return sorted(values)[len(values) // 2]
