"""How long the rest of a score takes: told before it is begun, and looked up while it is under way."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from abs_audit.experiment.calibration import IterationPlan
from abs_audit.experiment.cell_profiles import Profiler
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.order_of_work import best_first, promising
from abs_audit.experiment.reach import Reach
from abs_audit.experiment.sampled_shares import FORKS, SHORT_S
from abs_audit.experiment.unslowed_runs import RUNS, iterations
from abs_audit.experiment.watch import Phase

USUAL_ROUNDS = 3
"""Rounds of shares: one where they are small, up to nine where they scatter."""
WORTH_SETTLING = 0.7
"""Part of the benchmarks that call a method in which one has a share worth settling: 7 of 15 in packaging, 15
of 25 in protostuff, 16 of 16 in gin."""
USUAL_CELLS = 3
"""Cells of a benchmark that are worth measuring, at most: the large shares of one benchmark are few."""
USUAL_LOOKS_S = 0.32
"""Time that looks at the stack take in a benchmark with short calls: some need none, others 1.6 s; but most
need some where forks differ."""
BESIDE_SHARES = 2
"""Arms of a round beside those of the methods: off and control."""
USUAL_REPETITIONS = 14
"""Repetitions of a cell in both runs, as a rule: 5 or 10 in each where the answer is clear."""
CONTROLS = 2
"""Arms beside the mutants of a benchmark: its control, and a second one against false alarms."""


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

    @property
    def total_s(self) -> float:
        """Seconds of all phases."""
        return sum(self.phases.values())


def forecast(profiler: Profiler, methods: Sequence[str]) -> Forecast:
    """Return what the counting pass lets expect of the methods that are asked.

    Which cells are worth measuring is known when shares are; until then, a few of each benchmark count.
    """
    profiles, plans = profiler.profiles.reach, profiler.plans
    first = [names[0] for method in methods if (names := promising(method, profiles, plans))]
    return Forecast(
        methods=len(methods),
        benchmarks=len(profiles),
        calling=sum(1 for reached in profiles.values() if reached.calls),
        reached=sum(len(reached.calls) for reached in profiles.values()),
        phases=_phases(profiler, {name: _usual_cells(profiles[name]) for name in plans}, WORTH_SETTLING),
        needed=_phases(profiler, Counter(first), worth=1.0),
    )


def once_learnt(profiler: Profiler, learnt: Iterable[str]) -> Mapping[Phase, float]:
    """Return the seconds that are still to come where all cells are settled, those of `learnt` next.

    Of benchmarks that nothing was learnt of yet a few cells count, as in `forecast`.
    """
    profiles, plans = profiler.profiles, profiler.plans
    worth = Counter(share.benchmark for share in best_first(list(profiles.shares.values())))
    unlearnt = {name: _usual_cells(profiles.reach[name]) for name in plans if profiler.is_new(name)}
    ahead = _phases(profiler, unlearnt, WORTH_SETTLING)
    now = {name: worth[name] for name in learnt if name in worth}
    ahead[Phase.CELLS] += sum(settling_s(profiler, now).values())
    ahead[Phase.UNSLOWED] += sum(_unslowed_s(profiler.harness, plans[name]) for name in worth)
    return ahead


def _phases(profiler: Profiler, cells: Mapping[str, int], worth: float) -> dict[Phase, float]:
    """Return the seconds of what is to come where so many cells of each benchmark are asked.

    `worth`: the part of the benchmarks whose cells are worth settling, 0..1.
    """
    plans = profiler.plans
    return {
        Phase.SHARES: sum(_learning_s(profiler, name, plans[name]) for name in cells),
        Phase.CELLS: worth * sum(settling_s(profiler, cells).values()),
        Phase.UNSLOWED: worth * sum(_unslowed_s(profiler.harness, plans[name]) for name in cells),
    }


def costs_s(profiler: Profiler) -> dict[str, float]:
    """Return about how long it takes to learn of each benchmark and to settle its cells, in seconds."""
    plans, reach = profiler.plans, profiler.profiles.reach
    cells_s = settling_s(profiler, {name: _usual_cells(reach[name]) for name in plans})
    return {name: _learning_s(profiler, name, plan) + cells_s[name] for name, plan in plans.items()}


def settling_s(profiler: Profiler, cells: Mapping[str, int]) -> dict[str, float]:
    """Return about how long it takes to settle so many cells of each benchmark, in seconds."""
    plans = profiler.plans
    return {
        name: USUAL_REPETITIONS * _block_s(profiler, plans[name], mutants + CONTROLS)
        for name, mutants in cells.items()
    }


def _block_s(profiler: Profiler, plan: IterationPlan, arms: int) -> float:
    """Return about how long a block of so many arms takes, in seconds.

    Where forks differ, one of them executes all arms, and most of its time goes into its start; where a block
    is a fork, one warm-up serves all.
    """
    harness = profiler.harness
    if not harness.language.forks_alike:
        return plan.wall_s
    warm_s = plan.wall_s / (1 + harness.language.warmup) if harness.language.forks_a_block else plan.wall_s
    return plan.wall_s + (arms - 1) * warm_s


def _usual_cells(reached: Reach) -> int:
    return min(len(reached.calls), USUAL_CELLS)


def _learning_s(profiler: Profiler, name: str, plan: IterationPlan) -> float:
    """Return about how long it takes to tell the shares of all that a benchmark calls, in seconds."""
    calls, harness = profiler.profiles.reach[name].calls, profiler.harness
    has_short_calls = plan.once_s < SHORT_S * max(calls.values())
    looks_s = _looks_s(harness, plan) if has_short_calls else 0.0
    spread = plan.of_least(harness.language.spread)
    return USUAL_ROUNDS * _block_s(profiler, spread, len(calls) + BESIDE_SHARES) + looks_s


def _looks_s(harness: Harness, plan: IterationPlan) -> float:
    """Return about how long looking at the stack of short calls takes, in seconds."""
    if harness.language.forks_alike:
        return USUAL_LOOKS_S if harness.language.looks_s else 0.0
    return sum(plan.wall_s + look_s for look_s in harness.language.looks_s[:FORKS])


def _unslowed_s(harness: Harness, plan: IterationPlan) -> float:
    """Return about how long the unslowed runs of a benchmark take, in seconds."""
    return RUNS * (plan.wall_s + iterations(harness, plan) * plan.iteration_s)
