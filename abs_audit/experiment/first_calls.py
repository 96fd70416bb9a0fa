"""What the first invocation of a benchmark does and later ones do not: does it matter to what is measured?

A cache answers the others; but where its entry expires, one of thousands fills it again, and some suites time
the very first invocation.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import ceil

from abs_audit.experiment.calibration import PROPORTIONATE, TENFOLD
from abs_audit.experiment.iteration_plan import each_further_s
from abs_audit.experiment.protocol import NEGLIGIBLE
from abs_audit.model.measurement import Status, Tally, Trial

FEWEST = 2
"""A framework may make a single invocation in another way than many, and set up less often for it: then
the difference would be more than invocations (Go runs a benchmark with one invocation before any other)."""
AT_ONCE = 0.15
"""Part of what further invocations take from which on a call that is made once does their work..."""
MOST = 0.5
"""...and from which on still more invocations tell nothing new of it..."""
PLAINLY = 3.0
"""...if it takes longer in proportion, or so many times as long: what comes before a loop does not."""
LONGEST_S = 1.0
"""Seconds that frameworks measure: what comes again later than that is in none of their values."""
AFFORDED_S = 0.1
"""Seconds that what is counted may take for set-ups of invocations, which are not timed."""
LONG_SET_UP_S = 0.05
"""What takes less and is half of a benchmark comes again so soon that it is counted anyway."""
MOMENT_S = 0.02
"""Seconds that two trials may differ by without a reason of their own."""
WARMED = 3
"""Times its invocations that a trial takes at most, warmed up."""
COLD_S = 1e-4
"""So much longer the first invocation of any process may take."""


def timed_part(of_suite: int, first_s: float, later_s: float) -> float:
    """Return the part of what a suite times that its first invocation takes longer than another one.

    Args:
        of_suite: the invocations that it times, where the first is one of them; 0: it warms up before.
        first_s: what the first takes, in seconds.
        later_s: what the others take each.
    """
    longer_s = max(0.0, first_s - later_s)
    return longer_s / (longer_s + of_suite * later_s) if of_suite and longer_s else 0.0


def called_once(few: Trial, many: Trial, at_first: frozenset[str]) -> frozenset[str]:
    """Return what further invocations do not call: a single one did, or the set-up.

    A call that is plainly made for all of them at once takes longer the more they are, and is not looked for.
    But of hardly more than a few, a busy machine makes any call take longer.
    """
    before, after = tallied(few), tallied(many)
    once = frozenset(
        name
        for name in after.methods.keys() | at_first
        if not after.of(name).elsewhere
        and after.of(name).calls <= before.of(name).calls
        and (after.of(name).calls or name in at_first)
    )
    is_plain = _times(few, many) >= PLAINLY
    return once - frozenset(at_once(few, many, once, MOST) if is_plain else ())


def longest_s(few: Trial, many: Trial, at_first: frozenset[str], first_s: float) -> float:
    """Return how long a call took that further invocations do not make; 0: there was none.

    Where probes that count do not time it, it may be all that few invocations took, or the first one.
    """
    once = called_once(few, many, at_first)
    counted = [tallied(many).of(name) for name in once]
    timed_s = max((method.timed_s / max(1, method.calls) for method in counted), default=0.0)
    return (timed_s or max(first_s, few.values[0] * few.invocations)) if once else 0.0


def longest_set_up_s(few: Trial, many: Trial) -> float:
    """Return how long a call of set-up alone took at most; 0: there was none, or no long one.

    Where probes do not time it, it may be all of the set-up. What every invocation is set up with anew does
    not come again while others are timed.
    """
    before = tallied(few)
    set_up_s = before.set_up_s + few.wall_s - WARMED * few.invocations * few.values[0]
    longest_s = max(
        (
            set_up_s if counted.longest_s is None else counted.longest_s
            for name, counted in tallied(many).methods.items()
            if 0 < counted.setup_calls <= before.of(name).setup_calls
            and not counted.calls
            and not counted.elsewhere
        ),
        default=0.0,
    )
    return longest_s if longest_s >= LONG_SET_UP_S else 0.0


def until_again(few: Trial, many: Trial, call_s: float, set_up_s: float = 0.0, times: int = TENFOLD) -> int:
    """Return how many invocations make a call again if that matters; 0: that many were counted.

    A call that takes so long, in an invocation or in set-up, is a quarter of the time only if it comes again
    after four times as long. They are so many `times` as many at most.
    """
    further, taken_s = many.invocations - few.invocations, max(call_s, set_up_s)
    if not taken_s or further <= 0:
        return 0
    further_s = many.values[0] * many.invocations - few.values[0] * few.invocations
    again_s = min(LONGEST_S, taken_s / NEGLIGIBLE)
    # Either count holds the call, and on a busy machine one of them takes several times as long.
    scatter_s = min(again_s, PLAINLY * call_s)
    # What few invocations take may be all the first one's.
    each_s = max((further_s - scatter_s) / further, many.values[0] / TENFOLD**2)
    wall_s = max(each_s, each_further_s(few, many) - (scatter_s + MOMENT_S) / further)
    # Where scatter may be all that is seen, a look takes no longer than what it is to tell.
    bearable = ceil((again_s + AFFORDED_S) * further / max(further_s, 1e-9))
    number = min(
        ceil(again_s / each_s),
        int((again_s + AFFORDED_S) / wall_s),
        max(2 * many.invocations, bearable),
        times * many.invocations,
    )
    return number if PROPORTIONATE * number > many.invocations else 0


def at_once(few: Trial, many: Trial, outside: Iterable[str], least: float = AT_ONCE) -> Iterator[str]:
    """Yield what is called no oftener for more invocations, but takes longer: it knows their number.

    `least`: part of what they take longer that is such a call's.
    """
    more_s = many.values[0] * many.invocations - few.values[0] * few.invocations
    longer = min(PLAINLY, 1.0 + PROPORTIONATE * (_times(few, many) - 1.0))
    for method in outside:
        before_s, after_s = (tallied(trial).of(method).timed_s for trial in (few, many))
        if after_s >= longer * before_s and after_s - before_s >= least * more_s > 0:
            yield method


def _times(few: Trial, many: Trial) -> float:
    """Return how many times as many invocations there are; Go makes a single one before either."""
    return (many.invocations + 1) / (few.invocations + 1)


def are_tallied(trials: Sequence[Trial]) -> bool:
    """Tell whether trials were made to their end, and their probes tell what was called."""
    return bool(trials) and all(trial.status is Status.OK and trial.tally is not None for trial in trials)


def tallied(trial: Trial) -> Tally:
    """Return what the probes of a good trial tell."""
    assert trial.tally is not None
    return trial.tally
