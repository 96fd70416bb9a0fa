"""Which benchmarks are learnt of? The most promising one of each method, then twice as many each time."""

from collections.abc import Iterable, Mapping, Sequence

from abs_audit.experiment.forecast import costs_s, learning_s
from abs_audit.experiment.order_of_work import portions, promising, thriftily
from abs_audit.experiment.profiler import Profiler
from abs_audit.experiment.watch import Phase
from abs_audit.model.experiment import BlockKind


class Search:
    """Learns of the benchmarks that call methods, as many as whoever asks for more of them needs."""

    def __init__(self, profiler: Profiler, methods: Iterable[str]) -> None:
        """Rank the benchmarks by the counted calls; none is executed."""
        reach, plans, harness = profiler.profiles.reach, profiler.plans, profiler.harness
        self._recorded = harness.session.measured(harness.context, BlockKind.SHARES)
        self.profiler = profiler
        self.left = {method: promising(method, reach, plans, self._recorded) for method in methods}
        """Method → the benchmarks that call it and are not known yet, the most promising ones first."""
        self._more = 1

    def widen(self, methods: Iterable[str]) -> bool:
        """Learn of further benchmarks that call some of the methods; return whether there were any.

        Raises BudgetEndedError where there is no time for them; what was learnt of by then is known.
        """
        asked = [self.left[method][: self._more] for method in methods]
        self._more *= 2
        profiler, watch, expected_s = self.profiler, self.profiler.harness.watch, costs_s(self.profiler)
        order = self._ordered(asked, expected_s)
        watch.expect({Phase.SHARES: self._learning_s(order)})
        for names in portions(order, expected_s, watch):
            profiler.learn(names)
        watch.expect({Phase.SHARES: 0.0})
        self.left = {method: [*filter(profiler.is_new, names)] for method, names in self.left.items()}
        return any(asked)

    def further_s(self, methods: Iterable[str]) -> float:
        """Return about how long it takes to learn of all that is left of methods, in seconds."""
        return self._learning_s({name for method in methods for name in self.left[method]})

    def in_order(self, cost_s: Mapping[str, float]) -> list[str]:
        """Return all that are left, what was begun and what tells much for little first."""
        return self._ordered(list(self.left.values()), cost_s)

    def _learning_s(self, names: Iterable[str]) -> float:
        cost_s = learning_s(self.profiler)
        return sum(cost_s.get(name, 0.0) for name in names)

    def _ordered(self, ranked: Sequence[Sequence[str]], cost_s: Mapping[str, float]) -> list[str]:
        return thriftily(ranked, {**cost_s, **dict.fromkeys(self._recorded, 0.0)})
