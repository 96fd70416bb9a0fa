"""Runtime of the probes: lies beside the instrumented packages of a copy as `_abs_audit_probe`.

Executes in the audited project's own interpreter (Python 3.8 or newer), so it imports the standard
library only and little of that. Every instrumented body starts with

    _abs_c = (_abs_c := _abs_p3) and _abs_c() and _abs_q3()

where `_abs_p3` is None while the probe is inactive, else the *tick*: a C function that returns None, or
True where something is *due*; `_abs_q3`, never None, then does it. Only mode `time` returns something
truthy from there: what the body calls when it is left.
"""

import atexit
import os

from _abs_audit_states import Calling, Counting, Delaying, Elsewhere, Frames, Watching, inert
from _abs_audit_suspensions import END, NOTHING, RESUMES, Waiting, driven, is_coroutine
from _abs_audit_timing import Timing, calibrated_ledger

BUILD_ID = "@BUILD_ID@"
MODES = ("off", "count", "callers", "time", "control", "delay")
EVERYTHING = "*"
WAYS = ("__await__", END), ("__await__", NOTHING), ("__aiter__", NOTHING), ("__aexit__", NOTHING)
TIMES = ("probe_ns", "cut_ns", "uncut_ns", "apart_ns", "waited_ns", "inside_ns")


class Site:
    """All the places in the sources that belong to one method."""

    def __init__(self, method):
        self.state = None
        self.active = None
        self.is_awaited = method.endswith("__await__")
        self._places = []

    def add(self, namespace, tick, due):
        """Take in a place: the module's globals and the names that its bodies look up there."""
        if not any(binding[0] is namespace and binding[1] == tick for binding in self._places):
            self._places.append((namespace, tick, due))

    def switch(self, on):
        """Make the site tick, or be inert."""
        state = self.active = self.state if on else None
        for namespace, tick, due in self._places:
            namespace[due] = self.state.due if self.state is not None else inert
            namespace[tick] = state.tick if state is not None else None

    def begin(self):
        """Prepare what is due where a coroutine is called; return True."""
        if isinstance(self.state, Timing):
            self.state.begin()
        return True

    def leave(self):
        """End a body that must not gain a local name, because it looks at its own."""
        if self.active is not None:
            self.active.leave()

    def drive(self, iterable, leaving):
        """Return what `yield from` is to delegate to, so that every resume ticks."""
        if self.active is None or is_coroutine(iterable):
            return iterable
        return driven(self, iterable, leaving and leaving.__self__, RESUMES)

    def wait(self, thing, leaving, way):
        """Return what waits for a thing by its special method, so that suspended time is told from work."""
        special, ticks = WAYS[way]
        if leaving and (hasattr(type(thing), special) or (special == "__await__" and is_coroutine(thing))):
            return Waiting(self, thing, leaving.__self__, ticks)
        return thing

    def resume(self, held, counted, waited):
        """Go on after a suspension; `held` is the state that was left for it, if any."""
        state = self.active
        if held is not None:
            held.wait(-waited)
        if held is not None and held is not state:
            held.rejoin()
        elif held is not None and not counted:
            held.enter()
        elif counted and state is not None and state.tick():
            state.due()
            if held is None:
                state.leave()


class _Arming:
    """What the process was last told to do."""

    def __init__(self):
        self.sites = {}
        self.states = {}
        self.running = False
        self.arguments = ("off", frozenset(), None, 0.0, 1)
        self.ledger = None
        self.frames = None
        self.elsewhere = None

    def state(self, method):
        """Return the state of an armed method, None for others; states outlive late imports."""
        mode, methods, slowed, delay_ns, batch = self.arguments
        if mode == "off" or not (method in methods or EVERYTHING in methods):
            return None
        if method not in self.states:
            if mode == "count" and self.elsewhere is not None:
                self.states[method] = Watching(method, self.elsewhere)
            elif mode == "count":
                self.states[method] = Counting()
            elif mode == "callers":
                self.states[method] = Calling(method, self.frames)
            elif mode == "time":
                self.states[method] = Timing(self.ledger)
            else:
                requested = delay_ns if mode == "delay" and method == slowed else 0.0
                self.states[method] = Delaying(requested, batch).calibrate()
        return self.states[method]


_arming = _Arming()


def site(method, namespace, tick, due):
    """Register a place in the sources; it joins what the process is doing."""
    own = _arming.sites.get(method)
    if own is None:
        own = _arming.sites[method] = Site(method)
        own.state = _arming.state(method)
    own.add(namespace, tick, due)
    own.switch(_arming.running)
    return own


def arm(mode, methods, slowed=None, delay_ns=0.0, batch=1):
    """Prepare a mode for some methods (`*`: all) and forget all tallies; `start` activates it."""
    if mode not in MODES:
        raise ValueError(f"ABS_PROBE_MODE: expected one of {', '.join(MODES)}, found {mode!r}")
    if batch < 1:
        raise ValueError(f"ABS_PROBE_BATCH: expected at least one call, found {batch!r}")
    if not 0 <= delay_ns < 1e18:
        raise ValueError(f"ABS_PROBE_DELAY_NS: expected nanoseconds, found {delay_ns!r}")
    stop()
    _arming.arguments = mode, frozenset(methods), slowed, float(delay_ns), int(batch)
    _arming.states = {}
    _arming.ledger = calibrated_ledger() if mode == "time" else None
    _arming.frames = Frames()
    if mode == "count" and _arming.elsewhere is not None:
        _arming.elsewhere.settle(_arming.arguments[1] - {EVERYTHING})
    for method in _arming.arguments[1] - {EVERYTHING}:
        _arming.state(method)
    for method, armed in _arming.sites.items():
        armed.state = _arming.state(method)
        armed.switch(False)


def start():
    """Make the armed sites tick."""
    _arming.running = True
    for armed in _arming.sites.values():
        armed.switch(True)
    if _arming.arguments[0] == "time":
        _arming.ledger.open()


def stop():
    """Make all sites inert; their positions in a batch stay for the next `start`."""
    _arming.running = False
    for armed in _arming.sites.values():
        armed.switch(False)
    if _arming.ledger:
        _arming.ledger.close()


def forget_carried():
    """Have what is measured from now on make up for nothing that was before: it was not measured."""
    for state in _arming.states.values():
        state.forget_carried()


def tally():
    """Return what the armed methods did since `arm`."""
    return {
        "build_id": BUILD_ID,
        "methods": {
            method: {
                "calls": state.calls(),
                "batches": state.batches,
                "injected_ns": state.injected_ns(),
                "timed_ns": state.timed_ns(),
                **({"elsewhere": _arming.elsewhere.of(method)} if isinstance(state, Watching) else {}),
                **{name: getattr(state, name)() for name in TIMES if isinstance(state, Timing)},
                **({"callers": dict(state.callers)} if isinstance(state, Calling) else {}),
            }
            for method, state in sorted(_arming.states.items())
        },
    }


def counter():
    """Return the armed methods, and what tells the entries of each so far: of thousands in no time.

    Not of methods that are armed by their import, as where all are.
    """
    states = sorted(_arming.states.items())
    counts = [state.calls for _, state in states]
    return [method for method, _ in states], lambda: [calls() for calls in counts]


def watch(path):
    """Have mode `count` mark what processes and threads beside this one enter, in a file for all of them.

    Return what takes whether a timed region is open; interpreters that are started from here join in.
    """
    with open(path, "r+b") as stream:  # noqa: PTH123
        stream.truncate(Elsewhere.SLOTS)
    _arming.elsewhere = Elsewhere(path, os.getpid())
    os.environ["ABS_PROBE_WATCH"] = path
    return _arming.elsewhere.open


def _join(path):
    """Mark whatever this interpreter enters: another one of the same benchmark started it."""
    try:
        _arming.elsewhere = Elsewhere(path, None)
    except (OSError, ValueError):  # the benchmark is over
        return
    _arming.arguments = "count", frozenset({EVERYTHING}), None, 0.0, 1
    start()


def known():
    """Return the methods whose modules have been imported so far."""
    return sorted(_arming.sites)


def _write_tally(path):
    import json  # noqa: PLC0415 - the subject's import is not to wait for it

    finished = f"{path}.{os.getpid()}"
    with open(f"{finished}.unfinished", "w", encoding="utf-8") as stream:  # noqa: PTH123
        json.dump(tally(), stream)
    os.replace(f"{finished}.unfinished", finished)  # noqa: PTH105


def told(settings):
    """Return the arguments of `arm` that settings say, by the names of docs/probe-protocol.md."""
    mode = settings["ABS_PROBE_MODE"]
    return (
        mode,
        [name for name in settings.get("ABS_PROBE_METHODS", "").split("\n") if name],
        settings.get("ABS_PROBE_SLOWED"),
        _number(settings, "ABS_PROBE_DELAY_NS", float) if mode == "delay" else 0.0,
        _number(settings, "ABS_PROBE_BATCH", int) if mode in ("control", "delay") else 1,
    )


def _number(settings, name, kind):
    try:
        return kind(settings[name])
    except (KeyError, ValueError):
        raise ValueError(f"{name}: expected a number, found {settings.get(name)!r}") from None


def _obey(settings):
    """Carry out what the environment says, for processes that no driver is in."""
    order = told(settings)

    def begin():
        arm(*order)
        start()

    begin()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=begin)
    if settings.get("ABS_PROBE_TALLY"):
        atexit.register(_write_tally, settings["ABS_PROBE_TALLY"])


if os.environ.get("ABS_PROBE_WATCH"):
    _join(os.environ["ABS_PROBE_WATCH"])
elif os.environ.get("ABS_PROBE_MODE"):
    _obey(os.environ)
