"""Runtime of the probes: what the sites of one method do and remember in each mode.

Lies beside `_abs_audit_probe` as `_abs_audit_states`; executes in the audited project's own interpreter.
"""
# mypy: ignore-errors

import itertools
import mmap
import os
import time
import zlib
from _thread import _local, allocate_lock, get_ident
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

    def forget_carried(self):
        """Carry nothing over: only delays can."""

    def injected_ns(self):
        """Return the time that delays took; 0 where there are none."""
        return 0.0

    def timed_ns(self):
        """Return the estimated inclusive time of outermost calls; 0 but in mode `time`."""
        return 0.0

    def enter(self):
        """Go on after a suspension, uncounted."""

    def leave(self):
        """Be suspended or return."""

    def rejoin(self):
        """Go on after the region has ended, so that a later `leave` finds its entry."""


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
        self._idle = _median(shown) if self._requested else 0.0
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


class _Thread(_local):
    """What one thread is doing in one method."""

    depth = 0
    start = 0
    left = 0
    """When what is timed between two calls began."""
    mark = 0.0


class Ledger:
    """Own cost of the probes in mode `time`, in nanoseconds."""

    def __init__(self):
        self.spent = 0.0
        self.nested = self.untimed = self.timed = 0.0
        self.ended = float("inf")
        """When the last call that was timed did, of the region that is open."""


class Timing(Counting):
    """Mode `time`: inclusive time of outermost calls, estimated from a sample of them.

    A stratum is a run of calls sampled at one rate; it ends after `_STRATUM` timed calls and weighs as
    many calls as it holds. Inside a stratum one call of each eight is timed, at a random place, so that
    no pattern of the subject stays in step with the sample. Long calls, and the first ones, are all timed.

    What reading the clock adds is timed beside each call, around an empty body: processors change their
    speed within milliseconds, and a short call takes less than reading the clock around it.
    """

    _STRATUM = 64
    _EIGHT = 8
    _LONG_NS = 20_000
    _DISTURBED = 3.0
    """An empty body that takes this many times the usual was interrupted..."""
    _SCHEDULER_NS = 50_000
    _UNLIKE = 20.0
    """...and a short call that takes so long and this many times the usual: it would stand for eight."""

    def __init__(self, ledger, *, blank=True):
        super().__init__(True)
        self.due = self.enter
        self._ledger = ledger
        self._thread = _Thread()
        self._left = self.leave
        self._always = self.drawn = itertools.repeat(True).__next__
        self._seldom = self._gaps = None
        self._total = self._sum = self._all_cut = self._cut = self._uncut = 0.0
        self._outer = self._timed = self._closed_outer = self._closed_timed = 0
        self._extraction = allocate_lock()
        self._longest = self._longest_gap = float("inf")
        self._passed_over = self._blanked = 0.0
        self._blanks = []
        self._shown = 0.0
        self._betweens, self._blank_betweens = [], []
        self._reads_between, self._apart = True, 0.0
        self._blank = self._empty_body() if blank else None

    def _empty_body(self):
        """Return what times an empty body, by a site and a state like those of the method."""
        state = Timing(Ledger(), blank=False)
        site, keep = _function("probed", tick=state.tick, due=state.due), self._blanks.append

        def timed():
            start = clock()
            state._thread.left = 0
            site()
            keep(state._sum)
            site()
            self._blank_betweens.append(state._betweens.pop())
            state._sum, state._timed = 0.0, 0
            return clock() - start

        return timed

    def enter(self):
        """Begin a call or go on after a suspension; return what ends it."""
        thread = self._thread
        depth = thread.depth
        thread.depth = depth + 1
        if depth:
            self._ledger.spent += self._ledger.nested
            return self._left
        self._outer += 1
        ledger = self._ledger
        if left := thread.left:
            between = clock() - left - (ledger.spent - thread.mark)
            thread.left = 0
            if ledger.ended != float("inf"):
                self._betweens.append(between)
        if self.drawn():
            thread.mark = ledger.spent = ledger.spent + ledger.timed
            thread.start = clock()
        else:
            ledger.spent += ledger.untimed
        return self._left

    def leave(self):
        """End what `enter` began; without it, do nothing."""
        thread = self._thread
        depth = thread.depth
        if depth > 1:
            thread.depth = depth - 1
            return
        start = thread.start
        thread.depth = thread.start = 0
        if start:
            ledger = self._ledger
            elapsed = (now := clock()) - start - (ledger.spent - thread.mark)
            gap, ledger.ended = start - ledger.ended, now
            # Where it is far longer than others, it may hold calls that are too rare for the sample.
            if gap > self._longest_gap:
                self._passed_over += gap
            elif self._gaps is not None:
                self._gaps.append(gap)
            if elapsed > self._longest:
                self._cut += elapsed - self._longest
                elapsed = self._longest
            self._sum += elapsed
            self._timed += 1
            if self._blank:
                # Not before the call, which would find cold what it needs.
                blanked = self._blank()
                self._blanked += blanked
                ledger.spent += blanked
                ledger.ended += blanked
            if self._timed >= self._STRATUM:
                self._close_stratum()
            if self._reads_between:
                thread.mark = ledger.spent
                thread.left = clock()

    def rejoin(self):
        """Count a body that goes on as entered, but time nothing of it."""
        self._thread.depth += 1

    def _close_stratum(self):
        # Threads may have come here together: one closes the stratum, the others find nothing to close.
        if not self._extraction.acquire(False):
            return
        try:
            if self._timed < self._STRATUM:
                return
            mean = self._mean()
            self._total += mean * self._outer
            self._uncut += mean * self._outer * (self._longest == float("inf"))
            self._apart += self._between() * self._outer
            self._all_cut += self._cut / self._timed * self._outer
            self._closed_outer += self._outer
            self._closed_timed += self._timed
            self._sum = self._cut = self._outer = self._timed = 0
            self._blanks.clear()
            self._betweens.clear()
            self._blank_betweens.clear()
        finally:
            self._extraction.release()
        if mean > self._LONG_NS:
            self.drawn = self._always
            self._longest = float("inf")
            self._blank, self._reads_between = None, False
            return
        self._longest = max(self._SCHEDULER_NS, self._UNLIKE * (mean + self._shown))
        if self._gaps:
            self._longest_gap = max(self._SCHEDULER_NS, self._UNLIKE * _median(self._gaps))
            self._gaps = None
        if self._seldom is None:
            self._gaps = []
            self._seldom = itertools.cycle(_one_of_each(self._EIGHT, os.urandom(2039))).__next__
        self.drawn = self._seldom

    def timed_ns(self):
        """Return the estimated inclusive time of outermost calls, own cost taken off."""
        rest = self._mean() * self._outer if self._timed else 0.0
        return max(0.0, self._total + rest)

    def uncut_ns(self):
        """Return what of it is the time of calls that nothing was cut off: it holds their interruptions."""
        return max(0.0, self._uncut + (self._longest == float("inf")) * (self.timed_ns() - self._total))

    def apart_ns(self):
        """Return the estimated time between outermost calls, own cost taken off; 0: calls are long."""
        rest = self._between() * self._outer if self._timed else 0.0
        return self._reads_between * max(0.0, self._apart + rest)

    def _between(self):
        """Return the mean time that passed from calls that were timed in this stratum to the next."""
        # Another thread may clear them at any moment.
        betweens, blanks = self._betweens[:], self._blank_betweens[:]
        if not betweens or not blanks:
            return 0.0
        longest, shown = max(self._SCHEDULER_NS, self._UNLIKE * _median(betweens)), _median(blanks)
        return sum(min(between, longest) for between in betweens) / len(betweens) - shown

    def cut_ns(self):
        """Return what calls took beyond the longest that counts, or what passed between those timed."""
        return max(self._all_cut + self._cut / max(1, self._timed) * self._outer, self._passed_over)

    def _mean(self):
        """Return the mean time of the calls that were timed in this stratum."""
        # Another thread may clear them at any moment.
        blanks = self._blanks[:]
        if blanks:
            most = self._DISTURBED * _median(blanks)
            undisturbed = [shown for shown in blanks if shown <= most]
            self._shown = sum(undisturbed) / len(undisturbed)
        return self._sum / self._timed - self._shown

    def own_ns(self):
        """Return about what the probe itself took."""
        ledger, timed = self._ledger, self._closed_timed + self._timed
        outer = self._closed_outer + self._outer
        inner = max(0, self.calls() - outer)
        return timed * ledger.timed + (outer - timed) * ledger.untimed + inner * ledger.nested + self._blanked


def _one_of_each(size, noise):
    """Return as many blocks of `size` as there is noise, each with one True at a random place."""
    return [place == byte % size for byte in noise for place in range(size)]


def _median(values):
    return sorted(values)[len(values) // 2]


_BODIES = compile(
    """
def plain():
    pass
def probed():
    _abs_c = (_abs_c := tick) and _abs_c() and due()
    try:
        pass
    finally:
        if _abs_c: _abs_c()
def calls(function, times):
    for _ in times:
        function()
""",
    "<bodies>",
    "exec",
)


def _function(name, **names):
    """Return one of the functions above, among names of its own."""
    exec(_BODIES, names)  # noqa: S102
    return names[name]


def calibrated_ledger():
    """Return a ledger that knows what an empty probed body costs on this machine, now."""
    ledger = Ledger()
    names = {}
    exec(_BODIES, names)  # noqa: S102
    state = Timing(ledger)
    state._seldom = state._always  # every call is timed
    names["tick"], names["due"] = state.tick, state.due

    def cost(function, *arguments):
        def once():
            start = clock()
            function(*arguments, range(100))
            return (clock() - start) / 100

        return _median([once() for _ in range(15)])

    names["calls"](names["probed"], range(200))
    plain = cost(names["calls"], names["plain"])
    timed = cost(names["calls"], names["probed"]) - plain
    ledger.spent = 0.0
    names["calls"](names["probed"], range(100))
    # What an empty body takes is read each time.
    ledger.timed = timed - ledger.spent / 100
    state.drawn = itertools.repeat(False).__next__
    ledger.untimed = cost(names["calls"], names["probed"]) - plain
    state._thread.depth = 1
    ledger.nested = cost(names["calls"], names["probed"]) - plain
    ledger.spent = 0.0
    return ledger
