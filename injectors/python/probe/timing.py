"""Runtime of the probes: what the sites of one method do in mode `time`, which estimates what its calls take.

Lies beside `_abs_audit_probe` as `_abs_audit_timing`; executes in the audited project's own interpreter.
"""
# mypy: ignore-errors

import itertools
import os
import sys
from _thread import _local, allocate_lock
from time import process_time_ns

from _abs_audit_states import Counting, clock, median


class _Thread(_local):
    """What one thread is doing in one method."""

    depth = 0
    start = 0
    left = 0
    """When what is timed between two calls began."""
    mark = 0.0
    suspended = 0
    since = None
    """When all its calls had begun to wait, by the ledger."""
    alone = False
    """Whether no task was beside one of them when it began: until it returns all that passes is its own."""


class Ledger:
    """Own cost of the probes in mode `time`, in nanoseconds."""

    def __init__(self):
        self.spent = 0.0
        self.nested = self.untimed = self.timed = 0.0
        self.ended = float("inf")
        """When the last call that was timed did, of the region that is open."""
        self._begun = self._closed = 0
        self._before = self._worked = 0
        """Of the processor's time, when the region began and in those before it."""

    def open(self):
        """Begin a region."""
        self._before = process_time_ns()
        self.ended, self._begun = float("inf"), clock()

    def close(self):
        """End the region, if there is one."""
        self._closed, self._worked, self._begun = self.now(), self._work(), 0

    def now(self):
        """Return how much time has passed inside regions."""
        return self._closed + (self._begun and clock() - self._begun)

    def _work(self):
        return self._worked + (self._begun and process_time_ns() - self._before)

    def others(self):
        """Return how much of that time this process did not work."""
        return max(0, self.now() - self._work())


class Timing(Counting):
    """Mode `time`: inclusive time of outermost calls, estimated from a sample of them.

    A stratum is a run of calls sampled at one rate; it ends after `_STRATUM` timed calls and weighs as
    many calls as it holds. Inside a stratum one call of each eight is timed, at a random place, so that
    no pattern of the subject stays in step with the sample. Long calls, and the first ones, are all timed;
    so are all others once it shows that few long ones, or long gaps, are much of the time: the sample would
    not tell which of both they are.

    What reading the clock adds is timed beside each call, around an empty body and on to a second one:
    processors change their speed within milliseconds, and a short call takes less than reading the clock
    around it. What passes from a timed call to the next is read in the same way while calls are short.
    """

    _STRATUM = 64
    _EIGHT = 8
    _LONG_NS = 20_000
    _LONG_WAIT_NS = 100_000
    """Of a shorter one much is what the probe does to be left and entered again: some microseconds."""
    _DISTURBED = 3.0
    """An empty body that takes this many times the usual was interrupted..."""
    _SCHEDULER_NS = 50_000
    _UNLIKE = 20.0
    """...and a short call that takes so long and this many times the usual: it would stand for eight."""
    _MUCH = 0.25
    """Part of the time."""

    def __init__(self, ledger, *, blank=True):
        super().__init__(True)
        self.due = self.enter
        self._ledger = ledger
        self._thread = _Thread()
        self._left = self.leave
        self._always = self.drawn = itertools.repeat(True).__next__
        self._seldom = self._gaps = None
        self._total = self._sum = self._cut = self._uncut = 0.0
        self._outer = self._timed = self._closed_outer = self._closed_timed = 0
        self._extraction = allocate_lock()
        self._longest = self._longest_gap = float("inf")
        self._passed_over = self._blanked = self._beside = self._alone = self._inside = 0.0
        self._blanks = []
        self._shown = 0.0
        self._betweens, self._blank_betweens = [], []
        self._reads_between, self._apart, self._times_all = True, 0.0, False
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
        if thread.since is not None:
            self._end_wait(thread)
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

    def begin(self):
        """See if a coroutine that is called has its event loop alone: all is its own until it returns."""
        thread, begun = self._thread, clock()
        if not (thread.depth or thread.suspended):
            thread.alone = _is_only_task()
            self._set_apart(clock() - begun)

    def _set_apart(self, took):
        self._blanked += took
        self._ledger.spent += took
        self._ledger.ended += took

    def wait(self, change):
        """Begin to wait, or go on."""
        self._thread.suspended += change

    def _begin_wait(self, thread):
        thread.mark, thread.since = self._ledger.spent, self._ledger.now()

    def _end_wait(self, thread):
        waited = self._ledger.now() - thread.since - (self._ledger.spent - thread.mark)
        thread.since = None
        if thread.alone and waited >= self._LONG_WAIT_NS:
            self._alone += waited
        else:
            self._beside += waited

    def leave(self):
        """End what `enter` began; without it, do nothing."""
        thread = self._thread
        depth = thread.depth
        if depth > 1:
            thread.depth = depth - 1
            return
        start, ledger = thread.start, self._ledger
        thread.depth = thread.start = 0
        if start:
            now, inside = clock(), ledger.spent - thread.mark
            elapsed = now - start - inside
            self._inside += inside
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
                self._set_apart(self._blank())
            if self._timed >= self._STRATUM:
                self._close_stratum()
            if self._reads_between and not thread.suspended:
                thread.mark = ledger.spent
                thread.left = clock()
        if thread.suspended and thread.since is None:
            self._begin_wait(thread)

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
            self._closed_outer += self._outer
            self._closed_timed += self._timed
            self._sum = self._outer = self._timed = 0
            self._blanks.clear()
            self._betweens.clear()
            self._blank_betweens.clear()
        finally:
            self._extraction.release()
        if not self._times_all and self._is_seldom_long():
            # From now on no gap holds a call.
            self._times_all, self._longest_gap = True, float("inf")
        if mean > self._LONG_NS or self._times_all:
            self.drawn = self._always
            self._longest = float("inf")
            self._blank, self._reads_between = None, False
            return
        self._longest = self._longest_like(mean + self._shown)
        if self._gaps:
            self._longest_gap = self._longest_like(median(self._gaps))
            self._gaps = None
        if self._seldom is None:
            self._gaps = []
            self._seldom = itertools.cycle(_one_of_each(self._EIGHT, os.urandom(2039))).__next__
        self.drawn = self._seldom

    def _is_seldom_long(self):
        """Tell whether few long calls, or gaps, are much of the time that this process worked."""
        cut = self.cut_ns()
        passed = cut and self._ledger.now()
        return passed and cut > self._MUCH * passed + self._ledger.others()

    def _longest_like(self, usual):
        """Return what takes as long as others at most; beyond that something else took the processor."""
        return max(self._SCHEDULER_NS, self._UNLIKE * usual)

    def timed_ns(self):
        """Return the estimated inclusive time of outermost calls, own cost taken off."""
        rest = self._mean() * self._outer if self._timed else 0.0
        return max(0.0, self._total + rest) + self._alone

    def waited_ns(self):
        """Return how long calls waited beside other tasks, or shortly: whose time that is nobody knows."""
        if self._thread.since is not None:
            self._end_wait(self._thread)
            self._begin_wait(self._thread)
        return self._beside

    def inside_ns(self):
        """Return about what the probes of others took inside of calls, which is taken off these."""
        return self._inside / max(1, self._closed_timed + self._timed) * (self._closed_outer + self._outer)

    def uncut_ns(self):
        """Return what of it is the time of calls that nothing was cut off: it holds their interruptions."""
        rest = self.timed_ns() - self._alone - self._total
        return max(0.0, self._uncut + (self._longest == float("inf")) * rest) + self._alone

    def apart_ns(self):
        """Return the estimated time between outermost calls, own cost taken off; 0: they are long or wait."""
        rest = self._between() * self._outer if self._timed else 0.0
        return (self._reads_between and not (self._alone or self._beside)) * max(0.0, self._apart + rest)

    def _between(self):
        """Return the mean time that passed from calls that were timed in this stratum to the next."""
        # Another thread may clear them at any moment.
        betweens, blanks = self._betweens[:], self._blank_betweens[:]
        if not betweens or not blanks:
            return 0.0
        longest, shown = self._longest_like(median(betweens)), median(blanks)
        return sum(min(between, longest) for between in betweens) / len(betweens) - shown

    def cut_ns(self):
        """Return what timed calls took beyond the longest that counts, and gaps far longer than others.

        A sum, no estimate: what one says too much of the warm-up would be missing from all that comes later.
        """
        return self._cut + self._passed_over

    def _mean(self):
        """Return the mean time of the calls that were timed in this stratum."""
        # Another thread may clear them at any moment.
        blanks = self._blanks[:]
        if blanks:
            most = self._DISTURBED * median(blanks)
            undisturbed = [shown for shown in blanks if shown <= most]
            self._shown = sum(undisturbed) / len(undisturbed)
        return self._sum / self._timed - self._shown

    def probe_ns(self):
        """Return about what the probe itself took."""
        ledger, timed = self._ledger, self._closed_timed + self._timed
        outer = self._closed_outer + self._outer
        inner = max(0, self.calls() - outer)
        return timed * ledger.timed + (outer - timed) * ledger.untimed + inner * ledger.nested + self._blanked


def _is_only_task():
    """Tell whether no other task of the event loop could be at work while this one waits."""
    asyncio = sys.modules.get("asyncio")
    try:
        return asyncio.all_tasks() == {asyncio.current_task()}
    except (AttributeError, RuntimeError):  # no loop, or not one of asyncio's
        return False


def _one_of_each(size, noise):
    """Return as many blocks of `size` as there is noise, each with one True at a random place."""
    return [bit == byte % size for byte in noise for bit in range(size)]


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
            ledger.spent, start = 0.0, clock()
            function(*arguments, range(100))
            # What an empty body takes is read each time, and in it what others took meanwhile.
            return (clock() - start - ledger.spent) / 100

        return median([once() for _ in range(15)])

    names["calls"](names["probed"], range(200))
    plain = cost(names["calls"], names["plain"])
    ledger.timed = cost(names["calls"], names["probed"]) - plain
    state.drawn = itertools.repeat(False).__next__
    ledger.untimed = cost(names["calls"], names["probed"]) - plain
    state._thread.depth = 1
    ledger.nested = cost(names["calls"], names["probed"]) - plain
    ledger.spent = 0.0
    return ledger
