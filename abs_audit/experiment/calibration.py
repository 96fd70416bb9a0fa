"""How many invocations make an iteration, and which benchmarks run at all?"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from abs_audit.experiment.harness import Harness
from abs_audit.experiment.iteration_plan import IterationPlan, each_further_s
from abs_audit.model.experiment import UNPROBED, Block, BlockKind, Step
from abs_audit.model.measurement import Status, Trial

ENOUGH = 0.5
"""Part of the wanted duration that an iteration must have, or it gets more invocations."""
LOOKS = 4
"""Times that this is looked at: where a benchmark times its set-up, more of them take no longer at first."""
DEAR_S = 0.5
"""An iteration takes no longer in all, untimed set-ups included, where it has..."""
UNTIMED = 10.0
"""...this many times the wanted duration..."""
SET_UPS_S = 0.1
"""...nor, where most of it is set-ups of its invocations, longer than this..."""
LONGER_SET_UPS_S = 0.25
"""...or than this, where it makes it long enough: calls of too few milliseconds say little of a share."""
LONGER = 1.5
"""Times the wanted duration that set-ups of invocations take from which on there are fewer, as long as..."""
LEAST_TIMED = 0.5
"""...this part of it is timed."""
ELSEWHERE = "look as elsewhere/"
"""Begin of the names of looks at as many invocations as are enough in another build."""
WORTH = 1.5
"""Times as many invocations that are worth another look."""
DEAR_LOOK_S = 2.0
"""An iteration that takes longer in all, to see if the first invocations are like others, shows nothing: what
grows so much with their number leaves something behind, as a goroutine of each cache that is made."""
BATCHED = 0.5
"""Part of what a fork takes to begin that no iteration lasts which was given a time."""
SURE_S = 2.0
"""An invocation that took so long where its calls were counted is an iteration, and nothing is to be looked
for."""
TENFOLD = 10
"""So many times fewer, or more, show what of a trial grows with its invocations."""
FIRST_MORE = 3
"""Times more where nothing is known of that yet..."""
LONG_LOOK_S = 1.0
"""...or where ten times as many may take longer than this."""
DIVIDED = 4
"""Turns that an iteration is usually divided into: each begins anew."""
PROPORTIONATE = 0.75
"""Part of as many times the time that so many times the invocations take where each takes about as long..."""
GROWN = 1.2
"""...and how much more than that they take."""
Counted = Mapping[str, Sequence[IterationPlan]]
"""Benchmark → what few and many invocations took where its calls were counted."""
NONE_COUNTED: Counted = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The benchmarks that can be measured, and those that cannot."""

    iteration_plans: Mapping[str, IterationPlan]
    failed: Mapping[str, Trial]

    @property
    def reasons(self) -> dict[str, str]:
        """Why each of those cannot be measured."""
        return {name: trial.reason for name, trial in self.failed.items()}


def calibrate(
    harness: Harness,
    benchmarks: Sequence[str],
    target_s: float,
    earlier: Mapping[str, IterationPlan] = MappingProxyType({}),
    counted: Counted = NONE_COUNTED,
) -> Calibration:
    """Execute each benchmark unslowed, and learn how long it takes.

    A framework that looks for a number of invocations itself finds too many rather than too few; an
    iteration has no more than `target_s` asks for. It finds far too few where something else had the
    processor meanwhile: so where iterations have a number, not a duration, they are looked at again.
    It is not asked where something tells about how many there will be.

    Args:
        harness: where it is executed.
        benchmarks: which ones.
        target_s: wanted duration of an iteration, in seconds.
        earlier: the plans of iterations in another build. Durations, of the same `target_s`, are not looked
            for again. Numbers of invocations may be too few here; what else makes more necessary is known.
        counted: what few and many invocations took of a benchmark whose calls were counted.
    """
    taken_over = {name: earlier[name] for name in benchmarks if name in earlier}
    # What a process sets up first, counting has shown.
    usual_s = harness.language.fork_s + target_s * (1 + harness.language.warmup)
    expected_s = {name: usual_s + (counted[name][0].wall_s if name in counted else 0) for name in benchmarks}
    if not harness.language.forks_alike:
        trials = _executed(harness, _missing(expected_s, taken_over), target_s, "")
        plans = taken_over | _iteration_plans(trials, target_s, harness.language.fork_s)
        return Calibration(iteration_plans=plans, failed=_without(plans, trials))
    search = _Search(harness, target_s, taken_over)
    told = {name: counted[name] for name in benchmarks if name in counted and name not in taken_over}
    search.plans = {
        name: many.of(1, each_further_s(few, many))
        for name, (few, many) in told.items()
        if many.once_s >= SURE_S
    }
    search.begin({name: pair for name, pair in told.items() if name not in search.plans})
    trials = _executed(harness, _missing(expected_s, search.plans), target_s, "")
    search.go_on(_iteration_plans(trials, target_s))
    plans = search.plans
    failed = _without(plans, trials)
    plans |= _shorter(
        harness, {name: plan for name, plan in plans.items() if name not in taken_over}, target_s
    )
    if not harness.language.warmup:  # nothing is thrown away first
        plans |= _past_first(harness, plans, earlier)
    return Calibration(iteration_plans=plans, failed=failed)


def _missing(expected_s: Mapping[str, float], plans: Mapping[str, IterationPlan]) -> dict[str, float]:
    return {name: seconds for name, seconds in expected_s.items() if name not in plans}


def _without(plans: Mapping[str, IterationPlan], trials: Mapping[str, Trial]) -> dict[str, Trial]:
    return {name: trial for name, trial in trials.items() if name not in plans}


class _Search:
    """Looks for the numbers of invocations that make iterations long enough."""

    def __init__(self, harness: Harness, target_s: float, elsewhere: Mapping[str, IterationPlan]) -> None:
        """`elsewhere`: what is enough in another build, and so here."""
        self.harness, self.target_s, self.elsewhere = harness, target_s, elsewhere
        self.plans: dict[str, IterationPlan] = {}
        self.before: dict[str, IterationPlan] = {}
        """What was looked at with fewer invocations."""
        self.longer: dict[str, IterationPlan] = {}
        """What is to be looked at again."""

    def begin(self, counted: Counted) -> None:
        """Look at as many invocations as what few and many took says, and at those of another build."""
        self.before |= {name: few for name, (few, _) in counted.items()}
        expected = {name: _longer(many, few, self.target_s) for name, (few, many) in counted.items()}
        self.longer = self._look(ELSEWHERE, self.elsewhere) | self._look("look 0/", expected)

    def go_on(self, chosen: Mapping[str, IterationPlan]) -> None:
        """Look again at what a framework has chosen itself, and at what has more invocations now."""
        self.plans |= chosen
        asked = self.longer | {name: plan for name, plan in chosen.items() if plan.invocations > 1}
        for number in range(LOOKS):
            if not asked:
                break
            asked = self._look(f"look {number + 1}/", asked)

    def _look(self, key: str, asked: Mapping[str, IterationPlan]) -> dict[str, IterationPlan]:
        """Execute so many invocations, and return what has many more now, as it was too short.

        One that fails now keeps the plan that it has.
        """
        looked = _iteration_plans(_executed(self.harness, asked, self.target_s, key), self.target_s)
        # What so many invocations take in all, set-ups included, is known only now.
        self.plans |= {
            name: replace(self.plans.get(name, plan), wall_s=plan.wall_s, outside_s=plan.outside_s)
            for name, plan in looked.items()
        }
        short = {name: plan for name, plan in looked.items() if plan.iteration_s < self._least_s(name)}
        # Nor are those enough of which something that takes time itself has told how many.
        few = short | {name: plan for name, plan in looked.items() if name in self.before}
        self.plans |= {
            name: _longer(plan, self.before.get(name), self.target_s) for name, plan in few.items()
        }
        self.before |= short
        return {
            name: self.plans[name]
            for name, plan in short.items()
            if self.plans[name].invocations >= WORTH * plan.invocations
        }

    def _least_s(self, name: str) -> float:
        """Return the seconds that are enough of an iteration."""
        plan = self.elsewhere.get(name)
        return ENOUGH * (min(self.target_s, plan.iteration_s) if plan else self.target_s)


def _longer(plan: IterationPlan, before: IterationPlan | None, target_s: float) -> IterationPlan:
    """Return an iteration of the wanted duration, or of as many invocations as their own set-ups afford.

    Args:
        plan: what was looked at last.
        before: what was looked at before, with fewer invocations.
        target_s: the wanted duration, in seconds.
    """
    wanted = max(1, round(plan.invocations * target_s / plan.iteration_s))
    each_s = each_further_s(before, plan) if before else plan.inside_s / plan.invocations
    if each_s * wanted <= max(DEAR_S, UNTIMED * target_s):
        return plan.of(wanted, each_s)
    if before is None:
        return plan.of(min(wanted, FIRST_MORE * plan.invocations))
    return plan.of(min(wanted, _afforded(plan, each_s, target_s)), each_s)


def _afforded(plan: IterationPlan, each_s: float, target_s: float) -> int:
    """Return the invocations whose own set-ups take no longer than is bearable.

    Where less than half of a trial grows with them, it is the process that is set up: then still more of them
    may tell what theirs take; not many where that may take seconds, as two trials do not tell it well.
    """
    if not _is_set_up_each_time(plan, each_s):
        times = min(TENFOLD, LONG_LOOK_S / max(plan.inside_s, 1e-9))
        return max(FIRST_MORE, int(times)) * plan.invocations
    return max(1, round(bearable(each_s, plan.once_s, target_s)))


def bearable(each_s: float, once_s: float, target_s: float) -> float:
    """Return how many invocations are bearable where each takes so long in all, `once_s` of it timed."""
    enough_s = LEAST_TIMED * target_s / once_s * each_s
    return (LONGER_SET_UPS_S if enough_s <= LONGER_SET_UPS_S else SET_UPS_S) / max(each_s, 1e-9)


def _shorter(
    harness: Harness, plans: Mapping[str, IterationPlan], target_s: float
) -> dict[str, IterationPlan]:
    """Return shorter iterations where each invocation has a set-up of its own, untimed and longer.

    A part of the wanted duration tells as much, for less; where not even that is timed in as much as is
    bearable, there are fewer still.
    """
    fewer = {
        name: plan.of(max(1, plan.invocations // TENFOLD), plan.inside_s / plan.invocations)
        for name, plan in plans.items()
        if plan.inside_s > plan.iteration_s + LONGER * target_s and plan.invocations > 1
    }
    few = _iteration_plans(_executed(harness, fewer, target_s, "look fewer/"), target_s)
    shorter = {}
    for name, looked in few.items():
        plan, each_s = plans[name], each_further_s(looked, plans[name])
        afforded = min(
            long_enough(each_s, looked.once_s, target_s),
            max(fewer[name].invocations, _afforded(plan, each_s, target_s)),
        )
        if _is_set_up_each_time(plan, each_s) and afforded < plan.invocations:
            shorter[name] = plan.of(afforded, each_s)
    return shorter


def long_enough(each_s: float, once_s: float, target_s: float) -> int:
    """Return the invocations that are enough where each takes so long in all, of which `once_s` is timed."""
    return max(1, round(target_s * max(LONGER / max(each_s, 1e-9), LEAST_TIMED / once_s)))


def _is_set_up_each_time(plan: IterationPlan, each_s: float) -> bool:
    """Tell whether most of a trial grows with its invocations; else it is the process that is set up."""
    return each_s * plan.invocations > ENOUGH * plan.inside_s


def _past_first(
    harness: Harness, plans: Mapping[str, IterationPlan], earlier: Mapping[str, IterationPlan]
) -> dict[str, IterationPlan]:
    """Return iterations undivided, and longer, where the first invocations of each are unlike the others.

    A cache is filled once, or a benchmark gives itself more and more to do. A suite goes on to so many
    invocations that the first ones are next to nothing: what the others do is asked about.
    `earlier`: what was found so in another build.
    """
    longer = {name: plans[name].of_another_build(earlier[name]) for name in plans.keys() & earlier.keys()}
    new = {name: plan for name, plan in plans.items() if name not in earlier and plan.iteration_s < DEAR_S}
    turns = {
        name: plan.of(plan.invocations // DIVIDED)
        for name, plan in new.items()
        if plan.invocations >= DIVIDED
    }
    asked = {name: replace(new[name], undivided=True) for name in unlike_first(harness, turns, DIVIDED)}
    longer |= asked
    asked |= {name: plan for name, plan in new.items() if name not in turns}
    unlike = unlike_first(harness, asked, FIRST_MORE)
    while unlike:
        asked = {name: replace(many, undivided=True) for name, (_, many) in unlike.items()}
        longer |= asked
        affordable = {name: asked[name] for name, pair in unlike.items() if _affords_tenfold(*pair)}
        # Of what grows all the time, ten times as many might take a hundred times as long.
        unlike = unlike_first(harness, affordable, TENFOLD, grown=math.inf)
    return longer


def _affords_tenfold(few: IterationPlan, many: IterationPlan) -> bool:
    """Tell whether ten times as many may be an iteration, where further ones are as those past a few."""
    further, past = (TENFOLD - 1) * many.invocations, many.invocations - few.invocations
    further_s = max(0.0, many.iteration_s - few.iteration_s) * further / past
    return (
        many.iteration_s + further_s < DEAR_S
        and many.wall_s + each_further_s(few, many) * further < DEAR_LOOK_S
    )


def unlike_first(
    harness: Harness, plans: Mapping[str, IterationPlan], times: int, grown: float = GROWN
) -> dict[str, tuple[IterationPlan, IterationPlan]]:
    """Return what few and what many invocations take where those take far less than as many times the time.

    Or far more: more than `grown` times it.

    Args:
        harness: where they are executed.
        plans: the few invocations, by benchmark.
        times: how many times as many the many are.
        grown: multiple of `times` from which on they take far more.
    """

    def unlike(names: Iterable[str], look: str) -> dict[str, tuple[IterationPlan, IterationPlan]]:
        asked = {name: plans[name] for name in names}
        few, many = (_settled(harness, asked, number, look) for number in (1, times))
        return {
            name: (few[name], plan)
            for name, plan in many.items()
            if name in few
            and plan.iteration_s < DEAR_S
            and plan.wall_s < DEAR_LOOK_S
            and not PROPORTIONATE <= plan.once_s / few[name].once_s <= grown
        }

    first = unlike(plans, "")
    # The machine, too, may have been slow for a moment, in that look or in the next one.
    again = unlike(first, "again ")
    return again | unlike([name for name in first if name not in again], "once more ")


def _settled(
    harness: Harness, plans: Mapping[str, IterationPlan], times: int, look: str
) -> dict[str, IterationPlan]:
    """Return what so many times the invocations take in a process that has made as many before.

    Much is slow where a process has just begun.
    """
    more = {
        name: plan.of(times * plan.invocations, plan.inside_s / plan.invocations)
        for name, plan in plans.items()
    }
    trials = _executed(harness, more, DEAR_S, f"look past {look}{{}}/", iterations=2)
    return _iteration_plans(trials, harness.longest_s)


def _executed(
    harness: Harness,
    asked: Mapping[str, IterationPlan | float],
    target_s: float,
    key: str,
    *,
    iterations: int = 1,
) -> dict[str, Trial]:
    """Return for each benchmark the trial of as many invocations as its plan has.

    Instead of a plan it may have the seconds that it should take: its framework finds a number itself.
    A place in `key` is for the number of invocations: what else is asked for in a look is nothing to it.
    """
    numbers = {name: it.invocations if isinstance(it, IterationPlan) else None for name, it in asked.items()}
    blocks = [
        Block(
            id=look_id(key.format(number), name),
            benchmark=name,
            steps=harness.warmed(
                [Step(arm=UNPROBED, invocations=number, target_s=target_s, iterations=iterations, warmup=0)]
            ),
            limit_s=harness.longest_s,
            kind=BlockKind.CALIBRATION,
            expected_s=iterations * it.wall_s if isinstance(it := asked[name], IterationPlan) else it,
        )
        for name, number in numbers.items()
    ]
    trials = harness.perform(blocks, "calibrating")
    return {block.benchmark: trials[block.id][0] for block in blocks}


def look_id(key: str, name: str) -> str:
    """Return the id of the block in which a benchmark is looked at."""
    return f"calibration/{key}{name}"


def _iteration_plans(
    trials: Mapping[str, Trial], target_s: float, fork_s: float | None = None
) -> dict[str, IterationPlan]:
    """Return what the good trials say, by benchmark.

    `fork_s`: what a fork takes to begin where most of each trial is that, in seconds. What lasts about as
    long in it is no iteration that was given a time, but a batch of the suite's own, which stays as it is.
    """
    iteration_plans = {}
    for name, trial in trials.items():
        if trial.status is Status.OK:
            once_s, number = trial.values[-1], len(trial.values)
            executed = IterationPlan(
                benchmark=name,
                invocations=trial.invocations,
                iteration_s=once_s * trial.invocations,
                wall_s=trial.wall_s / number,
                outside_s=trial.outside_s / number,
            )
            enough = min(trial.invocations, max(1, round(target_s / once_s)))
            each_s = once_s if fork_s is not None else executed.inside_s / trial.invocations
            if fork_s and executed.iteration_s > BATCHED * fork_s:
                enough = trial.invocations
            iteration_plans[name] = executed.of(enough, each_s)
    return iteration_plans
