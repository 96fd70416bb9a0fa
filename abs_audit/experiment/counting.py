"""How many invocations of a benchmark tell which methods it calls?

Every benchmark is executed once, briefly, with all probes counting: most benchmarks touch no method that was
asked about, and nothing else is ever made of them. Of the others few invocations are counted and more.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from abs_audit.experiment import first_calls
from abs_audit.experiment.calibration import TENFOLD
from abs_audit.experiment.first_calls import AFFORDED_S, FEWEST, are_tallied, tallied
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.iteration_plan import LONG_S, each_further_s, limit_s
from abs_audit.experiment.protocol import NEGLIGIBLE
from abs_audit.experiment.reach import LEAST_S, Reach, grown, single, untouched
from abs_audit.experiment.schedule import content
from abs_audit.model.experiment import Arm, Block, BlockKind, Mode, Step
from abs_audit.model.measurement import Status, Trial

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
SELDOM = 1000
"""Invocations that are looked at where the first of them call nothing and a fork is dear..."""
SHORT_S = 0.001
"""...if each of them takes less than so many seconds..."""
SELDOM_S = 5.0
"""...and all of them, with set-ups of their own, no longer."""
COUNT_S = 2e-8
"""Seconds that counting a call takes at most, what is not inlined for it included."""
DEAR_S = 0.5
"""Seconds an invocation from which on a benchmark that touches no method at first is not looked at again."""
ONE_IS_FEW_S = 1.5
"""Seconds an invocation from which on a single one is the few, if its process makes it as it makes others,
and nothing is warmed up."""
UNWARMED_S = 0.5
"""Seconds of set-up of the first invocation from which on nothing is warmed up: each may have such a one."""
ALONE_S = 0.25
"""Seconds of few invocations, set-ups included, from which on they are not executed beside each more."""
DEAR_START_S = 1.0
"""Seconds of theirs from which on there are many times more at once..."""
AFFORDED_PART = 0.5
"""...and part of them that is afforded for it: what scatters of a long set-up is no set-up of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """How calls are counted."""

    mode: Mode = Mode.COUNT
    dear_s: float = math.inf
    """What counting takes in benchmarks that are left out, if executing them once does not tell all."""
    likely: bool | None = None
    """Whether a benchmark is likely to call something; None: that is not known, and it is where what is
    known without executing it leads to a method."""
    known_s: Mapping[str, float] = field(default_factory=dict)
    """Benchmark → what executing it once takes in a new process, in seconds, as far as it is known."""


USUAL = Counting()


def reach(
    harness: Harness, benchmarks: Iterable[str], methods: Sequence[str], counting: Counting = USUAL
) -> tuple[Reach, ...]:
    """Count the calls of every method in every benchmark, all methods at once."""
    mode, dear_s = counting.mode, counting.dear_s
    arm = Arm(mode=mode, methods=tuple(methods), label=mode.value)
    names = list(dict.fromkeys(benchmarks))
    may_call = harness.may_call(names) if mode is Mode.COUNT else {}
    reached = {
        name: Reach(benchmark=name, calls={}, setup_only=frozenset(), failure=None, inert=True)
        for name in inert(may_call, methods)
    }
    # A look at what calls something would be another process.
    likely = None if harness.language.forks_alike else counting.likely
    calling = {True: names, None: may_call, False: ()}[likely]
    counted = _for_a_time(harness, [name for name in calling if name not in reached], arm)
    reached |= {name: untouched(name, many) for name, (_, many) in counted.items()}
    begun = [_first(harness, name, arm) for name in names if name not in reached]
    first, looked = _looked(harness, begun, counting)
    dear = {block.benchmark for block in begun} - looked.keys()
    reached |= {name: untouched(name, trial) for name, trial in looked.items()}
    if not harness.language.forks_alike:
        looked |= _seldom(harness, first, looked)
    asked = [reached[name] for name, trial in looked.items() if _again(harness, reached[name], trial)]
    if mode is Mode.COUNT:
        once = {name for name, trial in looked.items() if _is_single(harness, trial)}
        reached |= {name: single(reached[name], looked[name]) for name in once}
        asked = [counts for counts in asked if counts.benchmark not in once]
    blocks = _few_and_more(harness, asked, arm, looked)
    dear |= {name for name in blocks if _counting_s(harness, blocks[name], looked[name]) >= dear_s}
    blocks = {name: block for name, block in blocks.items() if name not in dear}
    # Where only more is counted, the first trial is the few.
    few = {name: (looked[name],) for name, block in blocks.items() if not block.steps[1:]}
    counted = _grown(harness, arm, reached, list(blocks.values()), counted | few)
    return tuple(
        grown(reached[name], counted[name]) if name in counted else reached[name]
        for name in names
        if name not in dear
    )


def inert(may_call: Mapping[str, frozenset[str]], methods: Iterable[str]) -> list[str]:
    """Return the benchmarks that may call none of the methods: they are not executed."""
    return [name for name, callable_methods in may_call.items() if callable_methods.isdisjoint(methods)]


def _for_a_time(harness: Harness, names: Sequence[str], arm: Arm) -> dict[str, tuple[Trial, ...]]:
    """Return trials of few invocations and of more, as many as some time holds, where that is enough."""
    step = Step(arm=arm, invocations=None, target_s=COUNTED_S / 2, iterations=1, warmup=0)
    blocks = [
        Block(
            id=f"reach/time/{name}",
            benchmark=name,
            steps=(step, step),
            limit_s=min(BRIEF_S, harness.longest_s),
            kind=BlockKind.REACH,
        )
        for name in names
    ]
    trials = harness.perform(blocks, "counting calls")
    counted = {block.benchmark: _in_all(harness, trials[block.id]) for block in blocks}
    return {
        name: pair
        for name, pair in counted.items()
        if are_tallied(pair) and SEVERAL * pair[1].invocations >= _enough(pair[1].values[0])
    }


def _looked(
    harness: Harness, blocks: Sequence[Block], counting: Counting
) -> tuple[dict[str, Block], dict[str, Trial]]:
    """Return the first trial of each benchmark that does not take too long, and its block."""
    first = {block.benchmark: block for block in blocks}
    late = {name for name, block in first.items() if counting.known_s.get(name, 0.0) >= block.limit_s}
    trials = harness.perform([block for name, block in first.items() if name not in late], "counting calls")
    late |= {
        name
        for name, block in first.items()
        if name not in late
        and trials[block.id][0].status is Status.TIMED_OUT
        and block.limit_s < harness.longest_s
    }
    if counting.dear_s < math.inf:
        first = {name: block for name, block in first.items() if name not in late}
    alone = {
        name: replace(block, id=f"{block.id}/alone", limit_s=harness.longest_s, kind=BlockKind.REACH)
        for name, block in first.items()
        if name in late or _may_not_stand_others(harness, trials[block.id][0])
    }
    trials |= harness.perform(list(alone.values()), "counting calls, one by one")
    first |= alone
    return first, {name: trials[block.id][0] for name, block in first.items()}


def _may_not_stand_others(harness: Harness, trial: Trial) -> bool:
    """Tell whether a trial failed in a process that others share."""
    return not harness.language.forks_alike and not are_tallied([trial])


def _seldom(harness: Harness, first: Mapping[str, Block], looked: Mapping[str, Trial]) -> dict[str, Trial]:
    """Return a trial of more invocations of those that called nothing at first, but do so now and then."""
    blocks = {}
    for name, trial in looked.items():
        if are_tallied([trial]) and not _calls(trial) and trial.values[-1] < SHORT_S:
            number = min(SELDOM, _enough(trial.values[-1]))
            step = replace(first[name].steps[0], invocations=number, iterations=1)
            blocks[name] = replace(
                first[name], id=f"{first[name].id}/{number}", steps=(step,), limit_s=SELDOM_S
            )
    trials = harness.perform(list(blocks.values()), "counting calls now and then")
    more = {name: trials[block.id][0] for name, block in blocks.items()}
    return {name: trial for name, trial in more.items() if are_tallied([trial]) and _calls(trial)}


def _is_single(harness: Harness, trial: Trial) -> bool:
    """Tell whether an invocation is the only one that a suite times, also without the probes that count."""
    if not are_tallied([trial]):
        return False
    calls = sum(counted.calls for counted in tallied(trial).methods.values())
    return min(trial.values) - COUNT_S * calls >= harness.language.single_s


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
    language = harness.language
    # A tool that makes a first run itself counts one invocation unlike more of them.
    is_first_few = language.forks_alike and language.warmup > 0
    most = dict.fromkeys(looked, MOST_INVOCATIONS)
    if language.forks_alike:
        most = {name: max(1, int(AFFORDED_S / max(trial.inside_s, 1e-9))) for name, trial in looked.items()}
    blocks = {}
    for reached in asked:
        once_s = reached.once_s or 0.0
        more = FEWEST + min(_enough(once_s), most[reached.benchmark])
        numbers = (FEWEST,) if is_first_few and once_s >= ONE_IS_FEW_S else (FEWEST, more)
        blocks[reached.benchmark] = _block(harness, reached, arm, numbers, looked[reached.benchmark])
    return blocks


def _counting_s(harness: Harness, block: Block, first: Trial) -> float:
    """Return about what a block takes, going by a first trial; a start of its own is most of some."""
    if not harness.language.forks_alike:
        return first.wall_s
    made = sum((1 + step.warmup) * (step.invocations or 1) for step in block.steps)
    return len(block.steps) * first.outside_s + made * first.inside_s


def _grown(
    harness: Harness,
    arm: Arm,
    reached: Mapping[str, Reach],
    blocks: Sequence[Block],
    counted: Mapping[str, tuple[Trial, ...]],
) -> dict[str, tuple[Trial, ...]]:
    """Return for each benchmark a trial of few invocations and one of more.

    After those of `blocks`, and what is `counted` (few alone where a block has only more), as many as tell
    still more, if they do not take long.
    """
    most = dict(counted)
    shortest_s = dict[tuple[str, str], float]()
    timed = set[str]()

    def further(looked_at: Mapping[str, tuple[Trial, ...]]) -> Iterator[Block]:
        for name, (few, many) in looked_at.items():
            first = reached[name]
            call_s = first_calls.longest_s(few, many, first.at_first, first.once_s or 0.0)
            if not harness.language.forks_alike:
                # The few become many in a dear fork; a call took no longer than the fewest that made it.
                once = [(name, method) for method in first_calls.called_once(few, many, first.at_first)]
                shortest_s.update({call: min(call_s, shortest_s.get(call, call_s)) for call in once})
                call_s = max((shortest_s[call] for call in once), default=0.0)
            block = _further(harness, first, arm, (few, many), call_s)
            if block and not harness.language.forks_alike:
                block = None if name in timed else _until_again(harness, block, call_s)
                timed.add(name)
            if block:
                yield block

    blocks = [*blocks, *further({name: pair for name, pair in counted.items() if pair[1:]})]
    for _ in range(LOOKS):
        if not blocks:
            break
        trials = harness.perform(blocks, "counting calls that grow with the invocations")
        made = {block.benchmark: _in_all(harness, trials[block.id]) for block in blocks}
        # More alone goes with the few of before.
        made = {name: pair if pair[1:] else (most[name][0], *pair) for name, pair in made.items()}
        most |= {name: pair for name, pair in made.items() if _tells_more(pair, most.get(name, ()))}
        blocks = [*further({name: pair for name, pair in made.items() if are_tallied(pair)})]
    return most


def _tells_more(pair: tuple[Trial, ...], before: tuple[Trial, ...]) -> bool:
    """Tell whether trials of few invocations and of more stand for what was looked at before."""
    if not before[1:]:
        return True
    # A framework that times single shots makes one, however long it may take.
    return are_tallied(pair) and pair[1].invocations >= before[1].invocations


def _in_all(harness: Harness, trials: tuple[Trial, ...]) -> tuple[Trial, ...]:
    """Return trials of few invocations and of more; a dear fork's second went on with the first."""
    if harness.language.forks_alike or not are_tallied(trials):
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


def _further(
    harness: Harness, reached: Reach, arm: Arm, counted: Sequence[Trial], call_s: float
) -> Block | None:
    """Return trials of so many invocations that they tell more; None: none do, or they would take long.

    `call_s`: how long a call took at most that further invocations do not make; 0: there was none.
    """
    few, many = counted
    # Else most of the set-up is the start of a process.
    set_up_s = first_calls.longest_set_up_s(few, many) if harness.language.forks_alike else 0.0
    dear = harness.language.forks_alike and few.wall_s >= DEAR_START_S
    # Where it is known what of a trial is its invocations', no more of them bring a surprise.
    times = TENFOLD**2 if dear or few.outside_s else TENFOLD
    number = first_calls.until_again(few, many, call_s, set_up_s, times)
    # The first invocation of a process takes longer than all others.
    warm_s = min(reached.once_s or 0.0, many.values[-1])
    usual = FEWEST + _enough(warm_s) if harness.language.forks_alike else 0
    # What a moment of the machine's adds to few is no set-up of each: as many as are bearable tell that.
    afforded_s = AFFORDED_PART * few.wall_s if dear else AFFORDED_S
    bearable = int(afforded_s / max(each_further_s(few, many), LEAST_S))
    if many.inside_s <= few.inside_s:
        # What a process does at first takes longer than a few set-ups, and hides them.
        bearable = min(bearable, times * many.invocations)
    if min(usual, bearable) > SEVERAL * many.invocations:
        number = max(number, min(usual, bearable))
    # Few come again, even in a fork of their own: forks of one call to the suite begin alike, others do not.
    alone = harness.language.forks_alike and few.wall_s >= ALONE_S
    numbers = (number,) if alone else (FEWEST, number)
    return _block(harness, replace(reached, once_s=warm_s), arm, numbers, few) if number else None


def _until_again(harness: Harness, block: Block, call_s: float) -> Block:
    """Return trials in a dear fork that last until a call which takes so long would come again if it matters.

    How many invocations that is, is not known before: they become faster while the fork is compiled.
    `block`: of as many as had to be counted otherwise; it has the time for its set-up.
    """
    until_s = max(COUNTED_S / 2, min(first_calls.LONGEST_S, call_s / NEGLIGIBLE))
    step = replace(block.steps[0], invocations=None, target_s=until_s)
    most_s = max(block.limit_s, limit_s(harness, 2 * until_s))
    return replace(block, id=f"{block.id}/until again", steps=(step, step), limit_s=most_s)


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


def _block(harness: Harness, reached: Reach, arm: Arm, numbers: tuple[int, ...], before: Trial) -> Block:
    """Return trials of so many invocations; each may take what one took `before`, which is set-up mostly."""
    benchmark, once_s = reached.benchmark, reached.once_s or 0.0
    # Both counts need the same warm-up, or the first, cold call would hide what grows.
    dear_s = ONE_IS_FEW_S if harness.language.forks_alike else LONG_S
    is_dear = once_s >= dear_s or (harness.language.forks_alike and reached.set_up_s >= UNWARMED_S)
    most = 0 if is_dear else 1 if once_s >= DEAR_S else harness.language.warmup
    warmup = min(harness.language.warmup, most)
    steps = tuple(
        Step(arm=arm, invocations=number, target_s=number * once_s, iterations=1, warmup=warmup)
        for number in numbers
    )
    return Block(
        id=f"reach/{'' if numbers[1:] else 'only '}{numbers[-1]}/{benchmark}{_counted(arm)}",
        benchmark=benchmark,
        steps=steps,
        limit_s=limit_s(harness, once_s * (1 + warmup) * sum(numbers) + len(steps) * before.wall_s),
        kind=BlockKind.REACH,
    )
