"""How large is a method's share of a benchmark, by the clock? Combined from rounds of trials."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, inf
from statistics import fmean, median

from abs_audit.experiment.clock_readings import Reading, Round, read
from abs_audit.experiment.reach import Reach
from abs_audit.experiment.share import Share
from abs_audit.model.measurement import Status, Trial

INTERRUPTED_S = 5e-6
"""Calls below this are timed without their interruptions: probes leave out of them what takes above 50 µs."""
PARALLEL = 1.2
"""A method that takes this many times the benchmark's time is called by several threads at once..."""
CLOCKED_S = 2e-7
"""...unless a call is so short that reading a clock around it makes it longer."""
UNSEEN = 0.1
"""Part of a benchmark's time that may be missing in calls and what lies between them, if that is to count."""
UNEVEN = 1 / 2
"""Reading a clock adds to a call and to what lies between calls alike; so much of it may be the other's."""
UNLIKE = 10.0
"""An invocation that takes so many times the usual is another thing: calls may be a part of the usual one."""
UNSTEADY = 3.0
"""So is one that takes so many times what it takes beside it with a probe more."""
FAR_FEWER = 2.0
"""Times as many calls an invocation as a control makes that are not believed where few were counted."""
MANY = 9
"""Rounds whose second and last but one hold the median of all in 96 of 100 cases, whatever their
distribution (sign test)."""
RANGE_FACTORS = ((7, 0.333), (5, 0.507), (4, 0.717), (3, 1.304), (2, 6.353))
CLOCK_ERROR = 0.03
"""Relative error of a time that is long against the clock."""


def called(trial: Trial, method: str) -> bool:
    """Tell whether the probe itself says that it was there and entered."""
    return trial.tally is not None and method in trial.tally.methods and trial.tally.methods[method].calls > 0


def share_of(method: str, reach: Reach, rounds: Sequence[Round], usual_s: float = inf) -> Share | Trial:
    """Combine the rounds of a cell, or return a trial that says nothing: one without its tally does not.

    Of a timed trial only the mean time of a call is taken. `usual_s`: what an invocation took when iterations
    were chosen.
    """
    concerning = [measured for measured in rounds if method in measured.timed]
    for measured in concerning:
        useless = _useless(method, measured)
        if useless is not None:
            return useless
    calls = _calls(reach.calls[method], method, concerning)
    readings = [read(method, reach.calls, measured) for measured in concerning]
    under_way = median(reading.call_s * calls / reading.control_s for reading in readings)
    # One thread is never inside a method for longer than the very trial took that says so.
    inside = [reading.call_s * calls / reading.timed_s for reading in readings]
    several = min(median(inside), under_way) >= PARALLEL and readings[-1].call_s >= CLOCKED_S
    # As few threads as can have so many calls under way.
    threads = ceil(under_way / PARALLEL) if several else 1
    parts = [_part(reading, calls, threads) for reading in readings]
    ratios = [part.share for part in parts]
    share = min(1.0, median(ratios))
    low, high = _interval(parts)
    cut = fmean(_cut(reading, calls) for reading in readings)
    control_s = median(reading.control_s for reading in readings)
    unsteady = median(reading.whole_s for reading in readings) > UNSTEADY * control_s
    unlike = unsteady or any(reading.whole_s > UNLIKE * usual_s for reading in readings)
    usual_s = min(usual_s, control_s) if unsteady else usual_s
    of_usual = max(reading.call_s for reading in readings) * calls / usual_s if unlike else 0.0
    return Share(
        method=method,
        benchmark=reach.benchmark,
        share=share,
        low=min(share, low),
        high=min(1.0, max(high + cut, of_usual)),
        # Above 1 nothing scatters: the share is 1.
        lowest=min(1.0, *ratios),
        # Where what it is compared with was interrupted, the timed trial itself shows that it is not small;
        # where that was, what others took may be all that makes it look so.
        highest=min(
            1.0,
            max(
                of_usual,
                cut + max(*(part.share + part.unseen for part in parts), *_beside(readings, calls, threads)),
            ),
        ),
        calls=calls,
        control_s=control_s,
        threads=under_way / share if several else 1.0,
        off_s=tuple(reading.off_s for reading in readings),
        companions=_probed(concerning[-1].control) - {method},
        unread=median(part.unread for part in parts),
    )


def at_most(method: str, reach: Reach, together: Trial, plain: Trial, usual_s: float) -> float:
    """Return what a method's share is at most, by a trial that timed it with others and one without probes.

    What the probes of others took inside its calls counts as its own, since how much that was is an estimate.
    Of the trial without probes counts what others left it, or where that is less, what an invocation took
    when iterations were chosen (`usual_s`): processors change their speed from trial to trial.
    """
    assert together.tally is not None
    tally = together.tally.methods[method]
    call_s = (tally.timed_s + tally.inside_s + tally.waited_s + (tally.cut_s or 0.0)) / tally.calls
    undisturbed_s = plain.values[0] * (plain.tally.on_processor if plain.tally else 1.0)
    return call_s * reach.calls[method] / min(undisturbed_s, usual_s)


def _calls(counted: float, method: str, rounds: Sequence[Round]) -> float:
    """Return the calls of a method per invocation.

    They are known from the counts, which set-up cannot falsify. But what comes again after some milliseconds
    does so in few invocations of a busy machine that are counted; far fewer calls of a control show that.
    """
    controls = [measured.control for measured in rounds if measured.control is not None]
    shown = [
        control.tally.methods[method].calls / (control.tally.threads * control.invocations)
        for control in controls
        if control.tally
    ]
    usual = median(shown) if shown else counted
    return usual if FAR_FEWER * usual < counted else counted


def _probed(control: Trial | None) -> frozenset[str]:
    return frozenset(control.tally.methods if control and control.tally else ())


def _beside(readings: Sequence[Reading], calls: float, threads: int) -> list[float]:
    """Return what part each round says is the method's of the very trial that timed it."""
    return [
        _part(replace(reading, whole_s=reading.timed_s, whole_is_apart=False), calls, threads).share
        for reading in readings
    ]


def _cut(reading: Reading, calls: float) -> float:
    """Return what part of the benchmark's time long calls may have taken that were cut.

    All that was cut may be theirs: others interrupt seldom and for long, so that what they took of the few
    calls that are timed may be nothing, however much they took of the benchmark.
    """
    return min(1.0, (reading.cut_s or 0.0) * calls / (reading.whole_s * reading.on_processor))


def _part(reading: Reading, calls: float, threads: int) -> "_Part":
    """Return what part of the benchmark's time a round says is the method's, and how wrong that may be.

    Where a call is short, what reading a clock around it adds is no constant: it depends on what the
    processor could have done at the same time. What lies between calls is read in the same way, and both
    together are known: so what was added is, too, and half of it is taken off either.
    """
    inside_s = reading.call_s * calls / threads
    part = inside_s / reading.whole_s
    error = reading.error_s * calls / reading.whole_s / threads
    undisturbed_s = reading.whole_s * reading.on_processor
    both_s = None if reading.apart_s is None or threads > 1 else inside_s + reading.apart_s * calls
    if both_s is not None:
        least_s = min(reading.whole_s, max(undisturbed_s, both_s))
        added = both_s / least_s - 1.0
        if added >= -UNSEEN:
            share = max(0.0, inside_s / least_s - added / 2)
            return _Part(share=share, error=error + UNEVEN * abs(added))
        if reading.cut_s is None:
            # What is rare and long may be in either: few such calls are timed, none counts for what it took.
            return _Part(share=part, error=error, unseen=-added, unread=-added)
    # Interruptions make the benchmark longer, but few of the calls that are timed: they are cut off short
    # ones, and off longer ones as far as that is known.
    taken = part * (reading.whole_s / undisturbed_s - 1.0)
    cut = taken if reading.call_s < INTERRUPTED_S else (reading.cut_s or 0.0) * calls / reading.whole_s
    added = min(taken, cut) if threads == 1 else 0.0
    # Another trial than the one that timed the calls was interrupted more or less than that.
    share = part + added * (UNEVEN if reading.whole_is_apart else 1.0)
    over = reading.over_s * calls / reading.whole_s
    unshown = reading.unshown_s * calls / reading.whole_s
    return _Part(share=share, error=error + UNEVEN * added, over=over, unseen=taken - added + unshown)


def _interval(parts: Sequence["_Part"]) -> tuple[float, float]:
    """Return what the share may be, by the scatter of the rounds and what reading the clock may add.

    Rounds differ by factors: what disturbs one makes a time some times as long. Two that agree by chance say
    little, so their range counts for much. Of many the first and the last do not count: one that was
    disturbed would make it as wide as if all were.
    """
    shares = sorted(part.share for part in parts)
    middle = median(shares)
    wrong = CLOCK_ERROR * middle + median(part.error for part in parts)
    above = wrong + median(part.unseen for part in parts)
    wrong += median(part.over for part in parts)
    if len(shares) >= MANY:
        return max(0.0, shares[1] - wrong), shares[-2] + above
    if shares[0] <= 0:
        return 0.0, shares[-1] + above
    factor = (shares[-1] / shares[0]) ** range_factor(len(shares))
    return max(0.0, middle / factor - wrong), middle * factor + above


def range_factor(number: int) -> float:
    """Return how many ranges of so many values their mean may be off in 95 of 100 cases.

    Lord (1947), The use of range in place of standard deviation in the t-test, Biometrika 34; two-sided.
    One value has no range: nothing is known of its scatter. Between tabulated numbers the wider one holds.
    """
    return next((factor for least, factor in RANGE_FACTORS if number >= least), 0.0)


def _useless(method: str, measured: Round) -> Trial | None:
    """Return a trial of a round that says nothing of a method, or None."""
    probed = [trial for trial in (measured.timed[method], measured.control) if trial is not None]
    for trial in (*probed, measured.off):
        if trial is not None and trial.status is not Status.OK:
            return trial
    return next((trial for trial in probed if not called(trial, method)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What one round says a method's part of its benchmark's time is."""

    share: float
    error: float
    """How wrong that may be, either way."""
    over: float = 0.0
    """What may be too much."""
    unseen: float = 0.0
    """What may be missing."""
    unread: float = 0.0
    """What of it was read neither in calls nor between them."""
