"""Which benchmarks are learnt of? The most promising one of each method, then twice as many each time."""

from collections.abc import Iterable

from abs_audit.experiment.cell_profiles import Profiler
from abs_audit.experiment.forecast import costs_s
from abs_audit.experiment.order_of_work import by_rank, portions, promising
from abs_audit.experiment.watch import Phase
from abs_audit.model.experiment import BlockKind


class Search:
    """Learns of the benchmarks that call methods, as many as whoever asks for more of them needs."""

    def __init__(self, profiler: Profiler, methods: Iterable[str]) -> None:
        """Rank the benchmarks by the counted calls; none is executed."""
        reach, plans, harness = profiler.profiles.reach, profiler.plans, profiler.harness
        recorded = harness.session.measured(harness.context, BlockKind.SHARES)
        self.profiler = profiler
        self.left = {method: promising(method, reach, plans, recorded) for method in methods}
        """Method → the benchmarks that call it and are not known yet, the most promising ones first."""
        self._more = 1

    def widen(self, methods: Iterable[str]) -> bool:
        """Learn of further benchmarks that call some of the methods; return whether there were any.

        Raises BudgetEndedError where there is no time for them; what was learnt of by then is known.
        """
        asked = [self.left[method][: self._more] for method in methods]
        self._more *= 2
        profiler, expected_s, order = self.profiler, costs_s(self.profiler), by_rank(asked)
        watch = profiler.harness.watch
        watch.expect({Phase.SHARES: sum(map(expected_s.__getitem__, order))})
        for names in portions(order, expected_s, watch):
            profiler.learn(names)
        self.left = {method: [*filter(profiler.is_new, names)] for method, names in self.left.items()}
        return any(asked)
