"""Learns what is to be known of the cells, in the order in which a budget of time is best spent."""

import contextlib
import copy
import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Self

from abs_audit.experiment.calibration import ELSEWHERE, Calibration, calibrate, look_id
from abs_audit.experiment.cell_profiles import CellProfiles, ProfilePlan
from abs_audit.experiment.counting import Counting, inert, reach
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.order_of_work import awaited
from abs_audit.experiment.share import Share
from abs_audit.experiment.shares import measure_shares
from abs_audit.experiment.watch import BudgetEndedError, Phase
from abs_audit.model.experiment import BlockKind

DEAR_PART = 0.06
"""Part of a budget that counting in a benchmark may take: dearer ones wait until others are counted."""
FIRST_PORTION = 4
"""Benchmarks that are counted at first under a budget, or where a fork is dear..."""
GROWTH = 4
"""...and how many times as many at most come next, as long as they take no more than..."""
PORTION_PART = 0.25
"""...this part of what is left of the time for it."""
LEAST_S = 1e-6
"""Seconds that counting in a benchmark takes at least."""
FEW_PART = 1 / 3
"""Part of the benchmarks that call a method below which looking at them in a process that they share costs
less than a fork for each: of 199 that commons-numbers' class files lead to a method 22 called one."""
COUNTING_KINDS = (BlockKind.FIRST_LOOK, BlockKind.REACH)
COUNTED_PART = 1 / 3
"""Part of what a budget leaves that counting takes before what is counted by then is measured."""
BEGUN_PART = 0.5
"""Part of it that is done of a benchmark of which some looks were taken."""
NEAR_PART = 2 / 3
"""Part of it that counting in all others may take to come first, too, if it answered all methods: as much
less as it answers fewer..."""
NEAR_LIMIT_PART = 0.75
"""...and what it is given for that, as how long it takes is an estimate."""


class Profiler:
    """Learns of the cells what is needed of them, benchmark by benchmark, and nothing twice."""

    def __init__(self, harness: Harness, plan: ProfilePlan, learnt: CellProfiles | None = None) -> None:
        """Count the calls in every benchmark, or in some under a budget; `profiles` is what is learnt.

        `learnt`: what a profiler of the same cells knew, which needs no counting first.
        """
        self.harness, self.plan = harness, plan
        self.profiles = learnt or CellProfiles(
            reach={},
            calibration=Calibration(iteration_plans={}, failed={}),
            shares={},
            unknown={},
            unlisted=plan.unlisted,
        )
        if not learnt and not self._recall():
            self.count_on()

    def _recall(self) -> bool:
        """Under a budget, look up what an earlier command counted; tell whether there was something.

        It is measured first, unless most methods are open until all are counted, and that is near.
        """
        watch, recorded = self.harness.watch, self._begun
        if watch.remaining_s is None or not recorded:
            return False
        with watch.phase(Phase.REACH):
            self._tell_inert()
            # Which looks were taken at a benchmark depends on what was expected of it then.
            for likely in (True, None, False):
                for name in filter(recorded.__contains__, self.uncounted):
                    with contextlib.suppress(BudgetEndedError), watch.allotting(0.0):
                        self._count_together([name], Counting(likely=likely))
            counted = recorded & self.profiles.reach.keys()
            session, context = self.harness.session, self.harness.context
            taken_s = sum(session.spent(context, kind)[1] for kind in COUNTING_KINDS)
            if counted and self._is_near(taken_s, recorded):
                self._count_for(NEAR_LIMIT_PART)
        self._counted_up_to_now()
        return bool(counted)

    def _tell_inert(self) -> None:
        """Know without executing anything which benchmarks call no method."""
        may_call = self.harness.may_call(self.uncounted)
        self.profiles = replace(self.profiles, may_call=may_call)
        if not_executed := inert(may_call, self.plan.methods):
            self._count_together(not_executed, Counting())

    def count_on(self) -> bool:
        """Count the calls in benchmarks in which they are not; return whether there was one.

        Under a budget for a part of what that leaves, so that others can be measured first; where nothing is
        counted in it, for all. For a larger part where that should be enough to say of most methods that no
        benchmark calls them.
        """
        watch, counted = self.harness.watch, len(self.profiles.reach)
        began_s, begun = watch.total_s, self._begun
        with watch.phase(Phase.REACH):
            ended = self._count_for(COUNTED_PART)
            if len(self.profiles.reach) == counted:
                self._count_for(1.0)
            elif ended and self._is_near(watch.total_s - began_s, self._begun - begun):
                self._count_for(NEAR_LIMIT_PART)
        self._counted_up_to_now()
        return len(self.profiles.reach) > counted

    def _counted_up_to_now(self) -> None:
        """Know whether a budget has left something over."""
        self.profiles = replace(self.profiles, ended=bool(self.uncounted) or self.profiles.is_cut)

    def _count_for(self, part: float) -> bool:
        """Count calls for a part of what a budget leaves, or without one all; tell whether that ended it."""
        watch = self.harness.watch
        budget_s = watch.remaining_s
        try:
            with watch.allotting(part * (budget_s or 0.0)):
                self._count(budget_s)
        except BudgetEndedError:
            return True
        return False

    def _is_near(self, taken_s: float, executed: Set[str]) -> bool:
        """Tell whether counting in all other benchmarks is worth its time.

        Most methods must be called by no benchmark that is counted, and may be by others.
        `taken_s`: what it took in some that were `executed`, not all to the end.
        """
        left, cannot_call = self.uncounted, self.profiles.cannot_call
        called = {method for counted in self.profiles.reach.values() for method in counted.calls}
        uncalled = [method for method in self.plan.methods if method not in called]
        still_open = [method for method in uncalled if not all(cannot_call(name, method) for name in left)]
        open_part = len(still_open) / max(1, len(self.plan.methods))
        half_done = BEGUN_PART * len(executed & set(left))
        further_s = taken_s / max(1.0, len(executed) - half_done) * (len(left) - half_done)
        watch = self.harness.watch
        # What is kept for other answers is for this one while methods are open.
        left_s = (watch.remaining_s or 0.0) + watch.kept_s
        return open_part > 0.5 and further_s < open_part * NEAR_PART * left_s

    @property
    def uncounted(self) -> list[str]:
        """Return the benchmarks in which calls are not counted yet, in their order."""
        return [name for name in dict.fromkeys(self.plan.benchmarks) if name not in self.profiles.reach]

    @property
    def _begun(self) -> frozenset[str]:
        """Return the benchmarks of which some counting is recorded."""
        session, context = self.harness.session, self.harness.context
        return frozenset[str]().union(*(session.measured(context, kind) for kind in COUNTING_KINDS))

    def _count(self, budget_s: float | None) -> None:
        """Count the calls in benchmarks in which they are not counted.

        Where a fork is dear, some tell whether most call a method. Under a budget those come first that the
        answer for a method waits for, from all parts of the suite, and more and more at once, as one that
        ends meanwhile leaves nothing to say of them. What is dear comes last, one by one.
        """
        dear_s = math.inf if budget_s is None else DEAR_PART * budget_s
        known_s = self.plan.durations_s
        if budget_s is not None:
            self._tell_inert()
        counted = self.profiles.reach
        dear = {name for name in self.uncounted if known_s.get(name, 0.0) >= dear_s}
        waiting = [name for name in self.uncounted if name not in dear]
        size = len(waiting)
        if budget_s is not None or not self.harness.language.forks_alike:
            waiting, size = awaited(waiting, self.profiles.may_call), FIRST_PORTION
        while waiting:
            names, waiting = waiting[:size], waiting[size:]
            before, before_s = self.harness.session.spent(self.harness.context)
            self._count_together(names, Counting(dear_s=dear_s, likely=self._likely_calling()))
            late = set(names) - self.profiles.reach.keys()
            dear |= late
            after, after_s = self.harness.session.spent(self.harness.context)
            # Starting processes takes as long for a few as for many: only a fork of its own counts for each.
            portion_s = after_s - before_s + len(names) * self.harness.language.fork_s
            # What is recorded tells nothing of the others.
            if budget_s is None:
                size *= GROWTH
            elif after > before:
                time_s = PORTION_PART * (self.harness.watch.remaining_s or 0.0)
                size = max(1, min(GROWTH * size, int(time_s / max(portion_s / len(names), LEAST_S))))
            if len(self.profiles.reach) == len(counted):
                # Where all are dear, none is.
                dear_s, size = math.inf, 1
        if len(self.profiles.reach) > len(counted):
            return
        for name in sorted(dear, key=lambda name: (known_s.get(name, 0.0), name)):
            self._count_together([name], Counting(likely=self._likely_calling()))

    def _count_together(self, names: Sequence[str], counting: Counting) -> None:
        counting = replace(counting, known_s=self.plan.durations_s)
        counted = reach(self.harness, names, self.plan.methods, counting)
        asked = {reached.benchmark: self.plan.in_question(reached) for reached in counted}
        self.profiles = replace(self.profiles, reach={**self.profiles.reach, **asked})

    def _likely_calling(self) -> bool | None:
        """Tell whether most or few benchmarks that were executed called a method, be it in their set-up.

        None: neither, or they are not enough to tell.
        """
        executed = [counted for counted in self.profiles.reach.values() if not counted.inert]
        calling = sum(bool(counted.calls or counted.setup_only) for counted in executed)
        if calling >= FIRST_PORTION and 2 * calling >= len(executed):
            return True
        return False if len(executed) >= FIRST_PORTION and FEW_PART * len(executed) > calling else None

    def learn(self, benchmarks: Iterable[str], tell: Callable[[Self], None] = lambda _: None) -> None:
        """Calibrate benchmarks and measure the shares of all methods that they call in their timed loops.

        `tell` is given now and then a profiler that knows what is known up to then. Raises BudgetEndedError
        where there is no time for it.
        """
        try:
            with self.harness.watch.phase(Phase.SHARES):
                self._learn([*filter(self.is_new, benchmarks)], tell)
        except BudgetEndedError:
            self.profiles = replace(self.profiles, ended=True)
            raise

    def is_new(self, benchmark: str) -> bool:
        """Tell whether nothing was learnt of a benchmark yet."""
        calibration = self.profiles.calibration
        return benchmark not in calibration.iteration_plans and benchmark not in calibration.failed

    @property
    def plans(self) -> dict[str, IterationPlan]:
        """What an iteration is of each benchmark that calls a method, or about what it will be."""
        learnt, profiles = self.profiles.calibration.iteration_plans, self.profiles
        return {
            name: learnt.get(name)
            or profiles.reach[name].expected_plan(self.plan.target_s, self.harness.language.fork_s)
            for name in profiles.calling
        }

    def _iterations_elsewhere(self, benchmarks: Iterable[str]) -> dict[str, IterationPlan]:
        """Return what iterations are without probes, of benchmarks of which none was looked for here before.

        What is recorded was measured in such iterations as an earlier command has found.
        """
        session, context, plans = self.harness.session, self.harness.context, self.plan.iterations
        looked = session.measured(context, BlockKind.CALIBRATION)
        return {
            name: plans[name]
            for name in benchmarks
            if name in plans and (name not in looked or session.trials(context, look_id(ELSEWHERE, name)))
        }

    def learn_all(self) -> CellProfiles:
        """Learn of all benchmarks that call a method, or where it is asked for, of all that run."""
        while self.count_on():
            pass
        working = [reached for reached in self.profiles.reach.values() if not reached.failure]
        with contextlib.suppress(BudgetEndedError):
            self.learn(reached.benchmark for reached in working if self.plan.everything or reached.calls)
        return self.profiles

    def _learn(self, benchmarks: Sequence[str], tell: Callable[[Self], None]) -> None:
        before = self.profiles
        elsewhere = self._iterations_elsewhere(benchmarks)
        calibration = calibrate(self.harness, benchmarks, self.plan.target_s, elsewhere, before.counted)
        planned = [(before.reach[name], plan) for name, plan in calibration.iteration_plans.items()]
        asked = sum(len(reached.calls) for reached, _ in planned)
        calibrated = replace(
            before,
            calibration=Calibration(
                iteration_plans={**before.calibration.iteration_plans, **calibration.iteration_plans},
                failed={**before.calibration.failed, **calibration.failed},
            ),
        )
        provisional = copy.copy(self)

        def rounds_made(shares: Mapping[tuple[str, str], Share]) -> None:
            provisional.profiles = replace(calibrated, shares={**before.shares, **shares})
            tell(provisional)

        shares, unknown = measure_shares(self.harness, planned, self.plan.seed, rounds_made)
        self.profiles = replace(
            calibrated,
            ended=before.ended or len(shares) + len(unknown) < asked,
            shares={**before.shares, **shares},
            unknown={**before.unknown, **unknown},
        )
