"""What does one round of trials beside each other say of a cell, read from the clock and what probes add?"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from abs_audit.model.measurement import Trial

MOST_COST = 0.8
"""Share of a benchmark's time that is taken off as the probe's at most: what is left is an estimate."""
CHEAP = 0.25
"""Share of a benchmark's time up to which what the probe took is better known than another trial's time..."""
COST_ERROR = 0.3
"""...to within this part of it."""
UNLEARNT = 3.0
"""What is left may be so many times another trial's time at most: no processor changes its speed so much, but
a probe that was interrupted while it learnt its own cost tells far too little."""
OVERLAP_S = 8e-9
"""Seconds of work that a processor may do before or after a reading of the clock, other than the code says.
Calls whose share was known by removing them, or by executing them twice, were off by up to that."""
COLD_S = 8e-8
"""What a call may be told too long in Python, where another trial than the one that timed it is the measure:
the probe's own work leaves less of it in the caches. Calls of 80 to 350 ns were told 20 to 90 ns too long.
One that is told shorter may take as long: of 55 ns nothing was left in one of ten rounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The trials that were made of a benchmark next to each other."""

    timed: Mapping[str, Trial]
    """Method → the trial whose probe timed its calls."""
    off: Trial | None = None
    """Without probes; None where forks differ."""
    control: Trial | None = None
    """With the probes of all methods that may be slowed in it, and no delay; None where forks differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one round says of a cell, in seconds."""

    call_s: float
    """A call."""
    error_s: float
    """How wrong that may be."""
    over_s: float = 0.0
    """What of it may be too much."""
    unshown_s: float = 0.0
    """What of it a clock may not show: it waited beside others' tasks, or is too short."""
    cut_s: float | None
    """What was cut off long calls, of each call; None: not known."""
    apart_s: float | None
    """What lies between two calls; None: not known."""
    on_processor: float
    """Part of the time that others did not take away."""
    timed_s: float
    """An invocation of the benchmark while calls were timed."""
    whole_s: float
    """An invocation less what probes add: what a call is a part of."""
    whole_is_apart: bool
    """Whether that is the time of another trial than the one that timed the calls."""
    off_s: float
    """An invocation of the benchmark without probes."""
    control_s: float
    """The same with probes that delay nothing."""


def read(method: str, calls: Mapping[str, float], measured: Round) -> Reading:
    """Read a round: from its arms, or where forks differ, from the timed one alone.

    What compilers make of a fork may differ by a third from the next one, but cancels within it. There the
    cost of all probes is taken off; on JMH's benchmarks of 1 to 30 ns what is left is a control's time within
    a few tenths of a nanosecond.
    """
    timed = measured.timed[method]
    assert timed.tally is not None
    tally = timed.tally.methods[method]
    timed_s = timed.values[0]
    cost_s = sum(
        calls.get(other, 0.0) * counted.probe_s / counted.calls
        for other, counted in timed.tally.methods.items()
        if counted.calls
    )
    error_s = tally.error_s / tally.calls
    if measured.off is not None and measured.control is not None:
        off_s, control_s = measured.off.values[0], measured.control.values[0]
        whole_s = off_s
    else:
        whole_s = off_s = control_s = timed_s - min(cost_s, MOST_COST * timed_s)
        error_s += COST_ERROR * tally.probe_s / tally.calls + OVERLAP_S
    reading = Reading(
        # Of the shortest calls a clock may take off more than they took.
        call_s=max(0.0, tally.timed_s / tally.calls),
        error_s=error_s,
        unshown_s=tally.waited_s / tally.calls,
        cut_s=None if tally.cut_s is None else tally.cut_s / tally.calls,
        apart_s=None if tally.apart_s is None else tally.apart_s / tally.calls,
        on_processor=tally.on_processor,
        timed_s=timed_s,
        whole_s=whole_s,
        whole_is_apart=measured.off is not None,
        off_s=off_s,
        control_s=control_s,
    )
    if measured.off is None or tally.uncut_s is None:
        return reading
    # Interruptions are in the calls that nothing was cut off, in proportion to their time.
    interrupted_s = (1.0 - tally.on_processor) * tally.uncut_s / tally.calls
    return _undisturbed(
        replace(reading, call_s=max(0.0, reading.call_s - interrupted_s)),
        calls[method],
        off_s * (measured.off.tally.on_processor if measured.off.tally else 1.0),
        cost_s,
    )


def _undisturbed(reading: Reading, calls: float, off_s: float, cost_s: float) -> Reading:
    """Return a reading, of which the calls are as if others had taken nothing, with the benchmark like them.

    `off_s`: an invocation without probes, less what others took of it.
    """
    timed_s = reading.timed_s * reading.on_processor
    is_cheap = 0 < cost_s <= CHEAP * timed_s and timed_s - cost_s < UNLEARNT * off_s
    taken_s = (reading.timed_s - timed_s) / calls
    return replace(
        reading,
        error_s=COST_ERROR * cost_s / calls if is_cheap else 0.0,
        over_s=0.0 if is_cheap else COLD_S,
        unshown_s=reading.unshown_s + (0.0 if is_cheap else max(0.0, COLD_S - reading.call_s)),
        apart_s=None if is_cheap else reading.apart_s,
        cut_s=max(0.0, (reading.cut_s or 0.0) - taken_s),
        on_processor=1.0,
        timed_s=timed_s,
        # Processors change their speed from trial to trial: the part of this very one is better known.
        whole_s=timed_s - cost_s if is_cheap else off_s,
        whole_is_apart=not is_cheap,
    )
