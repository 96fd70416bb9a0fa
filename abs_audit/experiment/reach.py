"""Which benchmarks call which methods inside their timed loop?

Every benchmark is executed once, briefly, with all probes counting: most benchmarks touch no method that was
asked about, and nothing else is ever made of them. Of the others, calls that grow with the number of
invocations are inside the loop; the rest is set-up. An API method that is met in set-up only is not
covered: slowing it down moves no measured value.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from abs_audit.experiment import first_calls
from abs_audit.experiment.calibration import DEAR_S as DEAR_ITERATION_S
from abs_audit.experiment.calibration import TENFOLD, long_enough
from abs_audit.experiment.first_calls import AFFORDED_S, FEWEST, MOMENT_S
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.iteration_plan import LONG_S, IterationPlan, each_further_s, limit_s
from abs_audit.experiment.protocol import NEGLIGIBLE
from abs_audit.experiment.schedule import content
from abs_audit.model.experiment import Arm, Block, BlockKind, Mode, Step
from abs_audit.model.explanation import Cause
from abs_audit.model.measurement import MethodTally, Status, Tally, Trial

COUNTED_S = 0.05
LOOKS = 6
"""Times that invocations are counted at most, each time up to ten times as many: from ten to a million."""
MOST_INVOCATIONS = 10_000
"""So that what is done once in some thousands of invocations, and may be most of their time, is seen."""
SEVERAL = 3
"""Times as many as were counted at first are counted again."""
FIRST_LOOK_S = 20.0
"""After which one that shares a process is given up, and looked at by itself..."""
BRIEF_S = 5.0
"""...and after which one that has a fork of its own waits until others are counted."""
LEAST_S = 1e-10
"""Seconds that an invocation takes at least, where a clock cannot tell them from nothing."""
SELDOM = 1000
"""Invocations that are looked at where the first of them call nothing and a fork is dear..."""
SHORT_S = 0.001
"""...if each of them takes less than so many seconds..."""
SELDOM_S = 5.0
"""...and all of them, with set-ups of their own, no longer."""
DEAR_S = 0.5
"""Seconds an invocation from which on a benchmark that touches no method at first is not looked at again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How one benchmark calls the methods."""

    benchmark: str
    calls: Mapping[str, float]
    """Method → calls per invocation of the benchmark, of one thread if several make their own, above 0."""
    setup_only: frozenset[str]
    """Methods that it calls, but never inside its timed loop."""
    failure: Trial | None
    """The trial that failed, where nothing is known."""
    loading_only: frozenset[str] = frozenset()
    """Those of them that are called before any benchmark is, as by imports."""
    at_first: frozenset[str] = frozenset()
    """Methods that its first invocation calls, and none that is measured, as where a cache answers later."""
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    """Method → `processes` or `threads` that call it, where its share of the benchmark's time says little,
    `at once` where one call is for all invocations, or `first` where the suite times what is not measured."""
    of_suite: int = 0
    """Invocations that the suite itself times, where the very first is one of them; 0: it warms up before."""
    first_part: float = 0.0
    """Part of what it then times that no invocation takes which is measured here."""
    inert: bool = False
    """Whether that it calls none is told by the files of its classes: it was not executed."""
    once_s: float | None = None
    """Seconds that an invocation took at first, cold and with probes that count; None where it failed."""
    counted: tuple[IterationPlan, ...] = ()
    """What few and many invocations took where calls were told by them; empty: it was not looked at again."""

    def expected_plan(self, target_s: float, fork_s: float) -> IterationPlan:
        """Return about what an iteration will be, before it is calibrated; `fork_s`: as of the language."""
        if not self.counted:
            return IterationPlan(benchmark=self.benchmark, invocations=1, iteration_s=target_s, wall_s=fork_s)
        few, many = self.counted
        each_s = each_further_s(few, many)
        invocations = max(1, round(target_s / many.once_s))
        # Where starting a fork is dear, set-ups of invocations are not what iterations are made shorter for.
        plan = many.of(
            invocations if fork_s else min(invocations, long_enough(each_s, many.once_s, target_s))
        )
        # What a moment of the machine's adds to some invocations is no set-up of thousands.
        told = min(plan.invocations, TENFOLD * many.invocations) if many.wall_s - few.wall_s > MOMENT_S else 0
        in_all_s = max(plan.iteration_s, min(DEAR_ITERATION_S, each_s * told))
        wall_s = max(0.0, few.wall_s - each_s * few.invocations) + fork_s + in_all_s
        return replace(plan, wall_s=wall_s)

    def unreached(self, method: str) -> Cause:
        """Return why no call of a method is inside the timed loop."""
        if self.inert:
            return Cause.CANNOT_CALL
        if method in self.at_first:
            return Cause.AT_FIRST
        if method in self.loading_only:
            return Cause.LOADING_ONLY
        return Cause.SETUP_ONLY if method in self.setup_only else Cause.NOT_CALLED


def reach(
    harness: Harness,
    benchmarks: Iterable[str],
    methods: Sequence[str],
    mode: Mode = Mode.COUNT,
    *,
    dear_s: float = math.inf,
) -> tuple[Reach, ...]:
    """Count the calls of every method in every benchmark, all methods at once.

    Left out are those of which counting takes `dear_s`, if executing them once does not tell all.
    """
    arm = Arm(mode=mode, methods=tuple(methods), label=mode.value)
    names = list(dict.fromkeys(benchmarks))
    may_call = harness.may_call(names) if mode is Mode.COUNT else {}
    inert = [name for name, callable_methods in may_call.items() if callable_methods.isdisjoint(methods)]
    reached = {
        name: Reach(benchmark=name, calls={}, setup_only=frozenset(), failure=None, inert=True)
        for name in inert
    }
    first = {name: _first(harness, name, arm) for name in names if name not in reached}
    trials = harness.perform(list(first.values()), "counting calls")
    late = {
        name
        for name, block in first.items()
        if trials[block.id][0].status is Status.TIMED_OUT and block.limit_s < harness.longest_s
    }
    dear = late if dear_s < math.inf else set()
    first = {name: block for name, block in first.items() if name not in dear}
    alone = {
        name: replace(block, id=f"{block.id}/alone", limit_s=harness.longest_s, kind=BlockKind.REACH)
        for name, block in first.items()
        if name in late or _may_not_stand_others(harness, trials[block.id][0])
    }
    first |= alone
    trials |= harness.perform(list(alone.values()), "counting calls, one by one")
    reached |= {name: _untouched(name, trials[block.id][0]) for name, block in first.items()}
    looked = {name: trials[block.id][0] for name, block in first.items()}
    if not harness.language.forks_alike:
        looked |= _seldom(harness, first, looked)
    asked = [reached[name] for name, trial in looked.items() if _again(harness, reached[name], trial)]
    blocks = _few_and_more(harness, asked, arm, looked)
    dear |= {name for name in blocks if _counting_s(harness, blocks[name], looked[name]) >= dear_s}
    grown = _grown(harness, arm, reached, [blocks[name] for name in blocks if name not in dear])
    return tuple(
        _reach(reached[name], grown[name]) if name in grown else reached[name]
        for name in names
        if name not in dear
    )


def _may_not_stand_others(harness: Harness, trial: Trial) -> bool:
    """Tell whether a trial failed in a process that others share."""
    return not harness.language.forks_alike and not _are_good([trial])


def _seldom(harness: Harness, first: Mapping[str, Block], looked: Mapping[str, Trial]) -> dict[str, Trial]:
    """Return a trial of more invocations of those that called nothing at first, but do so now and then."""
    blocks = {}
    for name, trial in looked.items():
        if _are_good([trial]) and not _calls(trial) and trial.values[-1] < SHORT_S:
            number = min(SELDOM, _enough(trial.values[-1]))
            step = replace(first[name].steps[0], invocations=number, iterations=1)
            blocks[name] = replace(
                first[name], id=f"{first[name].id}/{number}", steps=(step,), limit_s=SELDOM_S
            )
    trials = harness.perform(list(blocks.values()), "counting calls now and then")
    more = {name: trials[block.id][0] for name, block in blocks.items()}
    return {name: trial for name, trial in more.items() if _are_good([trial]) and _calls(trial)}


def _calls(trial: Trial) -> bool:
    """Tell whether a good trial called any method inside its timed region."""
    return trial.tally is not None and any(counted.calls for counted in trial.tally.methods.values())


def _few_and_more(
    harness: Harness, asked: Sequence[Reach], arm: Arm, looked: Mapping[str, Trial]
) -> dict[str, Block]:
    """Return for each benchmark trials of few invocations and of more.

    What an invocation takes in all is not known of a single one, which has the set-up of its process as well:
    where that leaves it open, they are some.
    """
    most = dict.fromkeys(looked, MOST_INVOCATIONS)
    if harness.language.forks_alike:
        most = {name: max(1, int(AFFORDED_S / max(trial.wall_s, 1e-9))) for name, trial in looked.items()}
    blocks = {}
    for reached in asked:
        once_s = reached.once_s or 0.0
        more = FEWEST + min(_enough(once_s), most[reached.benchmark])
        blocks[reached.benchmark] = _block(harness, reached.benchmark, arm, more, once_s)
    return blocks


def _counting_s(harness: Harness, block: Block, first: Trial) -> float:
    """Return about what a block takes, going by a first trial; a start of its own is most of some."""
    made = sum((1 + step.warmup) * (step.invocations or 1) for step in block.steps)
    return first.wall_s * (made if harness.language.forks_alike else 1)


def _grown(
    harness: Harness, arm: Arm, reached: Mapping[str, Reach], blocks: Sequence[Block]
) -> dict[str, tuple[Trial, ...]]:
    """Return for each benchmark a trial of few invocations and one of more.

    After those of `blocks` as many as tell still more, if they do not take long.
    """
    grown: dict[str, tuple[Trial, ...]] = {}
    for _ in range(LOOKS):
        if not blocks:
            break
        trials = harness.perform(blocks, "counting calls that grow with the invocations")
        made = {block.benchmark: _in_all(harness, trials[block.id]) for block in blocks}
        grown |= {name: counted for name, counted in made.items() if name not in grown or _are_good(counted)}
        looked_at = {name: counted for name, counted in made.items() if _are_good(counted)}
        further = [_further(harness, reached[name], arm, counted) for name, counted in looked_at.items()]
        blocks = [block for block in further if block]
    return grown


def _in_all(harness: Harness, trials: tuple[Trial, ...]) -> tuple[Trial, ...]:
    """Return trials of few invocations and of more; a dear fork's second went on with the first."""
    if harness.language.forks_alike or not _are_good(trials):
        return trials
    few, more = trials
    before, after = first_calls.tallied(few), first_calls.tallied(more)
    methods = {
        name: replace(counted, calls=before.of(name).calls + counted.calls)
        for name, counted in after.methods.items()
    }
    invocations = few.invocations + more.invocations
    taken_s = sum(trial.invocations * trial.values[0] for trial in trials)
    many = replace(
        more,
        invocations=invocations,
        values=(taken_s / invocations,),
        tally=replace(after, methods=methods),
        wall_s=few.wall_s + more.wall_s,
    )
    return few, many


def _enough(once_s: float) -> int:
    """Return the invocations that are counted, each of which takes so long."""
    return max(1, min(MOST_INVOCATIONS, int(COUNTED_S / max(once_s, 1e-9))))


def _further(harness: Harness, reached: Reach, arm: Arm, counted: Sequence[Trial]) -> Block | None:
    """Return trials of so many invocations that they tell more; None: none do, or they would take long."""
    few, many = counted
    call_s = first_calls.longest_s(few, many, reached.at_first, reached.once_s or 0.0)
    # Else most of the set-up is the start of a process.
    set_up_s = first_calls.longest_set_up_s(few, many) if harness.language.forks_alike else 0.0
    number = first_calls.until_again(few, many, call_s, set_up_s)
    # The first invocation of a process takes longer than all others.
    warm_s = min(reached.once_s or 0.0, many.values[-1])
    usual = FEWEST + _enough(warm_s) if harness.language.forks_alike else 0
    # What a moment of the machine's adds to few is no set-up of each: as many as are bearable tell that.
    bearable = int(AFFORDED_S / max(each_further_s(few, many), LEAST_S))
    if many.wall_s <= few.wall_s:
        # What a process does at first takes longer than a few set-ups, and hides them.
        bearable = min(bearable, TENFOLD * many.invocations)
    if min(usual, bearable) > SEVERAL * many.invocations:
        number = max(number, min(usual, bearable))
    # Few come again, even in a fork of their own: forks of one call to the suite begin alike, others do not.
    return _block(harness, reached.benchmark, arm, number, warm_s) if number else None


def _are_good(trials: Sequence[Trial]) -> bool:
    return bool(trials) and all(trial.status is Status.OK and trial.tally is not None for trial in trials)


def _first(harness: Harness, name: str, arm: Arm) -> Block:
    """Return one short trial: a single invocation, or where a fork is dear, as many as tell more.

    Those come one by one, since what the first of a process takes says nothing of the others.
    """
    number, limit_s = 1, BRIEF_S
    if not harness.language.forks_alike:
        number, limit_s = FEWEST, FIRST_LOOK_S
    step = Step(arm=arm, invocations=1, target_s=COUNTED_S, iterations=number, warmup=0)
    return Block(
        id=f"reach/first/{name}{_counted(arm)}",
        benchmark=name,
        steps=(step,),
        limit_s=min(limit_s, harness.longest_s),
        kind=BlockKind.FIRST_LOOK,
    )


def _counted(arm: Arm) -> str:
    """Return what tells counts apart that are made in one copy.

    A copy without probes is the same one for all sets of methods; what is counted in it is not.
    """
    return f"/{content(arm.methods)}" if arm.mode is Mode.PROFILE else ""


def _untouched(name: str, trial: Trial) -> Reach:
    """Return what a first trial says by itself: a failure, or that nothing is called but by set-up."""
    failed = not _are_good([trial])
    counted = {} if failed else first_calls.tallied(trial).methods
    return Reach(
        benchmark=name,
        calls={},
        setup_only=frozenset(method for method, tally in counted.items() if tally.setup_calls),
        loading_only=_loading_only(counted),
        at_first=frozenset(method for method, tally in counted.items() if tally.calls),
        failure=trial if failed else None,
        of_suite=0 if failed else first_calls.tallied(trial).from_first,
        once_s=None if failed else min(trial.values, default=None),
    )


def _loading_only(counted: Mapping[str, MethodTally]) -> frozenset[str]:
    """Return the methods of which loading makes all calls."""
    return frozenset(
        method
        for method, tally in counted.items()
        if tally.loading_calls and tally.loading_calls == tally.calls + tally.setup_calls
    )


def _again(harness: Harness, reached: Reach, trial: Trial) -> bool:
    """Tell whether counting more invocations may find a call: one was seen, or it costs next to nothing.

    Where it costs a minute it has to be one inside the timed region.
    """
    if reached.once_s is None:
        return False
    assert trial.tally is not None
    set_up_counts = reached.once_s < LONG_S
    called = any(
        counted.calls or (counted.setup_calls and set_up_counts) or counted.elsewhere
        for counted in trial.tally.methods.values()
    )
    return called or (harness.language.forks_alike and reached.once_s < DEAR_S)


def _block(harness: Harness, benchmark: str, arm: Arm, more: int, once_s: float) -> Block:
    """Return trials of few and of more invocations, of which each takes about `once_s`."""
    # Both counts need the same warm-up, or the first, cold call would hide what grows.
    most = 0 if once_s >= LONG_S else 1 if once_s >= DEAR_S else harness.language.warmup
    warmup = min(harness.language.warmup, most)
    steps = tuple(
        Step(arm=arm, invocations=number, target_s=number * once_s, iterations=1, warmup=warmup)
        for number in (FEWEST, more)
    )
    return Block(
        id=f"reach/{more}/{benchmark}{_counted(arm)}",
        benchmark=benchmark,
        steps=steps,
        limit_s=limit_s(harness, once_s * (1 + warmup) * (FEWEST + more)),
        kind=BlockKind.REACH,
    )


def _reach(first: Reach, trials: tuple[Trial, ...]) -> Reach:
    failed = next((trial for trial in trials if not _are_good([trial])), None)
    if failed:
        return replace(first, failure=failed)
    few, many = trials
    few_tally, many_tally = first_calls.tallied(few), first_calls.tallied(many)
    elsewhere = {
        method: counted.elsewhere for method, counted in many_tally.methods.items() if counted.elsewhere
    }
    # How often others enter a method says nothing of the benchmark's own loop.
    own = {method: counted for method, counted in many_tally.methods.items() if method not in elsewhere}
    many_tally = replace(many_tally, methods=own)
    calls, outside = _growth(few_tally, many_tally, many_tally.threads * (many.invocations - few.invocations))
    elsewhere |= dict.fromkeys(first_calls.at_once(few, many, outside), "at once")
    at_first = frozenset(
        method for method in first.at_first - elsewhere.keys() if not many_tally.of(method).calls
    )
    later_s, first_s = min(many.values), first.once_s or 0.0
    if first_calls.timed_part(first.of_suite, first_s, later_s) >= NEGLIGIBLE:
        elsewhere |= dict.fromkeys(at_first, "first")
    return replace(
        first,
        calls=calls,
        setup_only=(first.setup_only | outside) - calls.keys() - elsewhere.keys(),
        loading_only=first.loading_only & _loading_only(many_tally.methods),
        at_first=at_first,
        first_part=first_calls.timed_part(first.of_suite, first_s - first_calls.COLD_S, later_s),
        elsewhere=elsewhere,
        counted=(_plan(first.benchmark, few), _plan(first.benchmark, many)),
    )


def _plan(benchmark: str, trial: Trial) -> IterationPlan:
    """Return what the invocations of a trial took, the least disturbed of them."""
    return IterationPlan(
        benchmark=benchmark,
        invocations=trial.invocations,
        iteration_s=trial.invocations * max(min(trial.values), LEAST_S),
        wall_s=trial.wall_s,
    )


def _growth(few: Tally, many: Tally, more: int) -> tuple[dict[str, float], frozenset[str]]:
    """Return calls an invocation of what grows with their number, and what is called, but does not grow."""
    calls: dict[str, float] = {}
    outside: set[str] = set()
    for method, counted in many.methods.items():
        growth = counted.calls - few.of(method).calls
        if growth > 0:
            calls[method] = growth / more
        elif counted.calls or counted.setup_calls:
            outside.add(method)
    return calls, frozenset(outside)
