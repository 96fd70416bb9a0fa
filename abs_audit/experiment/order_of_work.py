"""What is measured first? All at once without a budget of time, else what tells most in the least time."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.protocol import NEGLIGIBLE
from abs_audit.experiment.reach import Reach
from abs_audit.experiment.share import Share
from abs_audit.experiment.watch import BudgetEndedError, Phase, Watch
from abs_audit.grouping import grouped

PART_OF_BUDGET = 0.1
"""Part of what a budget leaves that is settled together."""
ALLOTTED = 2.0
"""Multiple of the time planned for a part after which others have their turn."""
LEAST_S = 1e-3
"""Seconds below which nothing is any cheaper."""
GOLDEN = (math.sqrt(5) - 1) / 2
"""Multiples of it, modulo one, fill the interval from 0 to 1 evenly, however many there are."""


def spread(benchmarks: Sequence[str]) -> list[str]:
    """Return the benchmarks so that the first few come from all parts of the suite.

    Those listed side by side are mostly one with different parameters, and call the same methods.
    """
    parts = [number * GOLDEN % 1 for number in range(len(benchmarks))]
    ranks = {part: rank for rank, part in enumerate(sorted(parts))}
    return [benchmarks[ranks[part]] for part in parts]


def awaited(benchmarks: Sequence[str], may_call: Mapping[str, frozenset[str]]) -> list[str]:
    """Return the benchmarks so that as soon as possible nothing is left that may call a method.

    `may_call`: what is known to be all that a benchmark can call. The others may call any method, so they
    come first; then those that may call what the fewest can, but one before others that may call the same:
    they are mostly one with different parameters, and that which is listed first takes least.
    """
    order = spread(benchmarks)
    unknown = (name for name in order if name not in may_call)
    callers = grouped((method, name) for name in order for method in may_call.get(name, ()))
    rarest_first = [name for group in sorted(callers.values(), key=len) for name in group]
    alike = grouped((may_call[name], name) for name in benchmarks if name in may_call)
    first = (alike[may_call[name]][0] for name in rarest_first)
    return list(dict.fromkeys([*unknown, *first, *rarest_first, *order]))


def promising(
    method: str,
    profiles: Mapping[str, Reach],
    plans: Mapping[str, IterationPlan],
    recorded: Collection[str] = (),
) -> list[str]:
    """Return the benchmarks that call a method, those first that its share is likely largest in.

    A call takes about as long everywhere, so its share grows with the calls a second; of what takes longer
    more is expected. Those come before all others whose shares are `recorded`: they may have settled it.
    """

    def promise(name: str) -> tuple[bool, float]:
        plan = plans[name]
        calls_per_s = profiles[name].calls[method] * plan.invocations / plan.iteration_s
        return name in recorded, calls_per_s / math.sqrt(plan.wall_s)

    return sorted((name for name in plans if method in profiles[name].calls), key=promise, reverse=True)


def thriftily(ranked: Sequence[Sequence[str]], cost_s: Mapping[str, float]) -> list[str]:
    """Return what is ranked for several methods: the first of each, then the second of each, each once.

    Of the first ones those that are it for many methods and cost little come before others. What costs about
    as much for a method stays in its order: the methods may be in that of their worth.
    """
    ranks = range(max(map(len, ranked), default=0))
    in_turn = dict.fromkeys(names[rank] for rank in ranks for names in ranked if rank < len(names))
    methods = Counter(names[0] for names in ranked if names)

    def cost_of_a_method(name: str) -> float:
        return round(math.log2(max(cost_s[name], LEAST_S) / methods[name])) if name in methods else math.inf

    return sorted(in_turn, key=cost_of_a_method)


def best_first(shares: Sequence[Share]) -> list[Share]:
    """Return the cells that are worth measuring, those with the largest share first."""
    worth = [share for share in shares if share.highest >= NEGLIGIBLE and not share.is_of_first]
    return sorted(worth, key=lambda share: -share.share)


def done_in_turn(watch: Watch, planned_s: float, work: Callable[[], None]) -> bool:
    """Do a part of the work; False where it takes so much longer than planned that it waits for the others.

    Raises BudgetEndedError where that of the whole budget is over.
    """
    try:
        with watch.allotting(ALLOTTED * watch.pace(Phase.CELLS) * planned_s):
            work()
    except BudgetEndedError:
        if not watch.remaining_s:
            raise
        return False
    return True


def portions(benchmarks: Sequence[str], cost_s: Mapping[str, float], watch: Watch) -> Iterator[list[str]]:
    """Yield benchmarks in portions that are measured to the end one after the other.

    Without a budget that is all of them: the more is interleaved, the less a moment of the machine's favours
    one. With one, portions are small.
    """
    portion: list[str] = []
    for benchmark in benchmarks:
        portion.append(benchmark)
        remaining_s = watch.remaining_s
        if remaining_s is not None and sum(map(cost_s.__getitem__, portion)) >= PART_OF_BUDGET * remaining_s:
            yield portion
            portion = []
    if portion:
        yield portion
