"""How long the rest of a score takes: told before it is begun, and looked up while it is under way."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from abs_audit.experiment import protocol
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.order_of_work import best_first, promising
from abs_audit.experiment.profiler import Profiler
from abs_audit.experiment.reach import Reach
from abs_audit.experiment.sampled_shares import FORKS, SHORT_S, looking
from abs_audit.experiment.share import Share
from abs_audit.experiment.unslowed_runs import RUNS, iterations
from abs_audit.experiment.watch import Phase
from abs_audit.grouping import grouped

WORTH_SETTLING = 0.7
"""Part of the benchmarks that call a method in which one has a share worth settling: 7 of 15 in packaging, 15
of 25 in protostuff, 16 of 16 in gin."""
SETTLED_CELLS = 2
"""Cells of such a benchmark: 1.0 to 2.2 in the 17 subjects of the study."""
USUAL_RUNS = (7.0, 7.0)
"""Repetitions of such a cell in its runs: 5 or 10 in each where the answer is clear."""
PROPOSED = 0.3
"""Part of the methods that benchmarks call which none notices, so that another benchmark is proposed."""
SURELY = 0.5
"""Part of a budget into which what is planned fits surely, though plans are about right only."""
PROOF = ((25.0,), (5.0,))
"""Repetitions of the self-check, as many as a mutant takes that is slowed fivefold."""
CALIBRATIONS = 2
"""Looks at how long an iteration takes, where iterations have a number of invocations; else it is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What is going to be done, and about how long it takes."""

    methods: int
    benchmarks: int
    calling: int
    """Benchmarks that call a method in their timed region: nothing is made of the others."""
    reached: int
    """Cells that are inside a timed region."""
    phases: Mapping[Phase, float]
    """Seconds that are still to come."""
    needed: Mapping[Phase, float]
    """The same where the most promising benchmark of each method answers."""
    uncounted: int = 0
    """Benchmarks in which calls are not counted yet."""

    def asked(self, settle_all: bool) -> Mapping[Phase, float]:
        """Return the seconds of settling every cell, or of what methods are noticed by."""
        return self.phases if settle_all else self.needed

    @property
    def total_s(self) -> float:
        """Seconds of all phases."""
        return sum(self.phases.values())


def forecast(profiler: Profiler, methods: Sequence[str], *, whole_suite: bool = False) -> Forecast:
    """Return what the counting pass lets expect of the methods that are asked.

    Which cells are worth measuring is known when shares are; until then, a few of each benchmark count.
    `whole_suite`: all benchmarks are executed unslowed, and not only those that verdicts rest on.
    """
    profiles, plans = profiler.profiles.reach, profiler.plans
    first = [names[0] for method in methods if (names := promising(method, profiles, plans))]
    unslowed = {Phase.UNSLOWED: sum(_suite_s(profiler).values())} if whole_suite else {}
    return Forecast(
        methods=len(methods),
        benchmarks=len(profiles),
        calling=sum(1 for reached in profiles.values() if reached.calls),
        reached=sum(len(reached.calls) for reached in profiles.values()),
        phases=_phases(profiler, {name: _usual_cells(profiles[name]) for name in plans}, WORTH_SETTLING)
        | unslowed,
        needed=_phases(profiler, Counter(first), worth=1.0) | unslowed,
        uncounted=len(profiler.uncounted),
    )


def once_learnt(profiler: Profiler, learnt: Iterable[str]) -> Mapping[Phase, float]:
    """Return the seconds that are still to come where all cells are settled, those of `learnt` next.

    Of benchmarks that nothing was learnt of yet a few cells count, as in `forecast`.
    """
    profiles, plans = profiler.profiles, profiler.plans
    unlearnt = {name: _usual_cells(profiles.reach[name]) for name in plans if profiler.is_new(name)}
    ahead = _phases(profiler, unlearnt, WORTH_SETTLING)
    worth_s = settling_s(profiler, best_first(list(profiles.shares.values())))
    ahead[Phase.CELLS] += sum(worth_s.get(name, 0.0) for name in learnt)
    ahead[Phase.UNSLOWED] += unslowed_left_s(profiler, worth_s)
    return ahead


def while_learning(profiler: Profiler, names: Sequence[str]) -> Mapping[Phase, float]:
    """Return the same while shares of `names` are measured, by what is known; measuring them is left out."""
    ahead = once_learnt(profiler, names)
    return {phase: ahead[phase] for phase in (Phase.CELLS, Phase.UNSLOWED)}


def after_score_s(
    profiler: Profiler, methods: Sequence[str], *, whole_suite: bool = False
) -> dict[str, float]:
    """Return about how long the other answers of an audit take, in planned seconds, by their names.

    `whole_suite`: as in `forecast`; nothing is left of its unslowed runs then.
    """
    reach, plans, harness = profiler.profiles.reach, profiler.plans, profiler.harness
    first = [names[0] for method in methods if (names := promising(method, reach, plans))]
    unslowed_s = _suite_s(profiler)
    in_score_s = WORTH_SETTLING * sum(unslowed_s.get(name, 0.0) for name in plans)
    proposed = len(methods) - (1 - PROPOSED) * len(first)
    return {
        "stubs": proposed * sum(costs_s(profiler).values()) / max(1, len(plans)),
        "sensitivity": sum(confirming_s(harness, plans[name]) for name in first),
        "stability": 0.0 if whole_suite else sum(unslowed_s.values()) - in_score_s,
    }


def _suite_s(profiler: Profiler) -> dict[str, float]:
    """Return about how long the unslowed runs take of each benchmark that has none, in planned seconds."""
    harness, target_s = profiler.harness, profiler.plan.target_s
    return {
        name: unslowed_runs_s(harness, counted.expected_plan(target_s, harness.language.fork_s))
        for name, counted in profiler.profiles.reach.items()
        if not counted.failure and name not in profiler.plan.plain
    }


def confirming_s(harness: Harness, plan: IterationPlan) -> float:
    """Return about how long it takes to inject what should be noticed and less, in planned seconds."""
    return sum(plan.settling_s(harness.language, [harness.looking.runs(multiple)]) for multiple in (1.2, 0.6))


def _phases(profiler: Profiler, cells: Mapping[str, int], worth: float) -> dict[Phase, float]:
    """Return the seconds of what is to come where so many cells of each benchmark are asked.

    `worth`: the part of the benchmarks whose cells are worth settling, 0..1.
    """
    plans, harness = profiler.plans, profiler.harness
    start_s = harness.watch.start_s
    proof_s = min((plans[name].settling_s(harness.language, PROOF) for name in cells), default=0.0)
    settled_s = sum(
        plans[name].settling_s(harness.language, _usual_runs(number)) for name, number in cells.items()
    )
    return {
        Phase.SHARES: sum(_learning_s(profiler, name, plans[name]) for name in cells),
        Phase.CELLS: worth * settled_s + proof_s + protocol.RUNS * start_s,
        Phase.UNSLOWED: worth * unslowed_left_s(profiler, cells)
        + (RUNS * start_s if plans.keys() - profiler.plan.plain else 0.0),
    }


def learning_s(profiler: Profiler) -> dict[str, float]:
    """Return about how long it takes to learn of each benchmark of which nothing was, in seconds."""
    plans = profiler.plans.items()
    return {name: _learning_s(profiler, name, plan) for name, plan in plans if profiler.is_new(name)}


def costs_s(profiler: Profiler) -> dict[str, float]:
    """Return about how long it takes to learn of each benchmark and to settle its cells, in seconds."""
    reach, harness = profiler.profiles.reach, profiler.harness
    return {
        name: _learning_s(profiler, name, plan)
        + plan.settling_s(harness.language, _usual_runs(_usual_cells(reach[name])))
        for name, plan in profiler.plans.items()
    }


def shares_s(profiler: Profiler, shares: Iterable[Share]) -> float:
    """Return about how long it takes to settle the cells with such shares, in seconds."""
    return sum(settling_s(profiler, shares).values())


def settling_s(profiler: Profiler, shares: Iterable[Share]) -> dict[str, float]:
    """Return the same for each benchmark that has some of the cells."""
    harness, plans = profiler.harness, profiler.plans
    runs = harness.looking.runs
    repeated = grouped(
        (share.benchmark, runs(share.share / protocol.NEEDED, settles=_settles(share))) for share in shares
    )
    return {
        name: plans[name].settling_s(harness.language, [*of_cells, runs(0.0)])
        for name, of_cells in repeated.items()
    }


def _settles(share: Share) -> bool:
    low, high = share.interval
    return not low < protocol.NEEDED <= high


def _usual_runs(cells: int) -> list[tuple[float, ...]]:
    """Return how often so many cells of a benchmark are repeated, and its control beside itself."""
    return [*[USUAL_RUNS] * cells, USUAL_RUNS[:1]]


def _usual_cells(reached: Reach) -> int:
    return min(len(reached.calls), SETTLED_CELLS)


def _learning_s(profiler: Profiler, name: str, plan: IterationPlan) -> float:
    """Return about how long it takes to tell the shares of all that a benchmark calls, in seconds."""
    calls, language = profiler.profiles.reach[name].calls, profiler.harness.language
    calibrations = CALIBRATIONS if language.forks_alike else 1
    learning_s = calibrations * plan.wall_s + plan.of_least(language.spread).rounds_s(language, len(calls))
    if plan.once_s < SHORT_S * max(calls.values()):
        # Some short calls need no looks at the stack, others many; but most need some where forks differ.
        looks_s = language.looks_s[: 1 if language.forks_alike else FORKS]
        learning_s += sum(looking(plan, look_s, language).wall_s for look_s in looks_s)
    return learning_s


def unslowed_left_s(profiler: Profiler, names: Iterable[str]) -> float:
    """Return about how long the unslowed runs take that are still to be made, in planned seconds."""
    return sum(_unslowed_left(profiler, names).values())


def _unslowed_left(profiler: Profiler, names: Iterable[str]) -> dict[str, float]:
    plans, made = profiler.plans, profiler.plan.plain
    return {name: 0.0 if name in made else unslowed_runs_s(profiler.harness, plans[name]) for name in names}


def fitting_first(profiler: Profiler, names: Iterable[str]) -> list[list[str]]:
    """Return the benchmarks whose unslowed runs surely fit into what is left of a budget, and the others.

    The cheapest come first. Of runs that a budget cuts off none counts.
    """
    watch = profiler.harness.watch
    remaining_s = math.inf if watch.remaining_s is None else watch.remaining_s
    room_s = SURELY * remaining_s / watch.pace(Phase.UNSLOWED)
    costs = _unslowed_left(profiler, names)
    cheapest = sorted(costs, key=costs.__getitem__)
    fitting = sum(until_s <= room_s for until_s in accumulate(map(costs.__getitem__, cheapest)))
    return [cheapest[:fitting], cheapest[fitting:]]


def unslowed_runs_s(harness: Harness, plan: IterationPlan) -> float:
    """Return about how long the unslowed runs of a benchmark take, in planned seconds."""
    return plan.wall_s + RUNS * plan.block_s(harness.language, 1, iterations(harness, plan))
