"""How does a benchmark call methods: inside its timed loop, in its set-up, at first, or not at all?

Calls that grow with the number of invocations are inside the loop; the rest is set-up. An API method that is
met in set-up only is not covered: slowing it down moves no measured value.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from abs_audit.experiment import first_calls
from abs_audit.experiment.calibration import TENFOLD, bearable, long_enough
from abs_audit.experiment.first_calls import MOMENT_S, are_tallied
from abs_audit.experiment.iteration_plan import IterationPlan, each_further_s
from abs_audit.experiment.protocol import NEGLIGIBLE
from abs_audit.model.explanation import Cause
from abs_audit.model.measurement import MethodTally, Tally, Trial

LEAST_S = 1e-10
"""Seconds that an invocation takes at least, where a clock cannot tell them from nothing."""


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
    set_up_s: float = 0.0
    """Seconds that what is not timed of this one took."""
    counted: tuple[IterationPlan, ...] = ()
    """What few and many invocations took where calls were told by them; empty: it was not looked at again."""

    @property
    def met(self) -> frozenset[str]:
        """Methods that it is known to call, be it before anything is timed."""
        return self.setup_only | self.loading_only | self.at_first | self.calls.keys() | self.elsewhere.keys()

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
        shown = many.inside_s - few.inside_s > MOMENT_S
        told = min(plan.invocations, TENFOLD * many.invocations) if shown else 0
        afforded = max(1, int(bearable(each_s, many.once_s, target_s)))
        in_all_s = max(plan.iteration_s, each_s * min(told, afforded))
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


def untouched(name: str, trial: Trial) -> Reach:
    """Return what a first trial says by itself: a failure, or that nothing is called but by set-up."""
    failed = not are_tallied([trial])
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
        set_up_s=trial.inside_s - sum(trial.values) * trial.invocations,
    )


def _loading_only(counted: Mapping[str, MethodTally]) -> frozenset[str]:
    """Return the methods of which loading makes all calls."""
    return frozenset(
        method
        for method, tally in counted.items()
        if tally.loading_calls and tally.loading_calls == tally.calls + tally.setup_calls
    )


def grown(first: Reach, trials: tuple[Trial, ...]) -> Reach:
    """Return what trials of few invocations and of more tell, after what the first one told."""
    failed = next((trial for trial in trials if not are_tallied([trial])), None)
    if failed:
        return replace(first, failure=failed)
    few, many = trials
    few_tally, (many_tally, elsewhere) = first_calls.tallied(few), _own(first_calls.tallied(many))
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


def single(first: Reach, trial: Trial) -> Reach:
    """Return what its only invocation tells of a benchmark: all that it times is measured."""
    tally, elsewhere = _own(first_calls.tallied(trial))
    calls, _ = _growth(replace(tally, methods={}), tally, tally.threads)
    plan = _plan(first.benchmark, trial)
    return replace(
        first,
        calls=calls,
        setup_only=first.setup_only - calls.keys() - elsewhere.keys(),
        loading_only=first.loading_only - calls.keys(),
        at_first=frozenset(),
        elsewhere=elsewhere,
        counted=(plan, plan),
    )


def _own(tally: Tally) -> tuple[Tally, dict[str, str]]:
    """Return a tally without the methods that others enter, too, and who they are.

    How often those do says nothing of the benchmark's own loop.
    """
    elsewhere = {method: counted.elsewhere for method, counted in tally.methods.items() if counted.elsewhere}
    own = {method: counted for method, counted in tally.methods.items() if method not in elsewhere}
    return replace(tally, methods=own), elsewhere


def _plan(benchmark: str, trial: Trial) -> IterationPlan:
    """Return what the invocations of a trial took, the least disturbed of them."""
    return IterationPlan(
        benchmark=benchmark,
        invocations=trial.invocations,
        iteration_s=trial.invocations * max(min(trial.values), LEAST_S),
        wall_s=trial.wall_s,
        outside_s=trial.outside_s,
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
