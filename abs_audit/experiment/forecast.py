"""How long the rest of a score takes: told before it is begun, and looked up while it is under way."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abs_audit.experiment.calibration import Calibration, IterationPlan
from abs_audit.experiment.order_of_work import NEGLIGIBLE, expected_s, settling_s
from abs_audit.experiment.profile import Share
from abs_audit.experiment.reach import Reach
from abs_audit.experiment.sampled_shares import SHORT_S
from abs_audit.experiment.unslowed_runs import RUNS, iterations
from abs_audit.experiment.watch import Phase

USUAL_ROUNDS = 3
"""Rounds of shares: one where they are small, up to nine where they scatter."""
USUAL_CELLS = 3
"""Cells of a benchmark that are worth measuring, at most: the large shares of one benchmark are few."""
USUAL_LOOKS_S = 0.8
"""Time that looks at the stack take in a benchmark with short calls: some need none, others four seconds."""
BESIDE_SHARES = 2
"""Arms of a round beside those of the methods: off and control."""


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
    first_cells_s: float
    """Seconds that the cells take where the best one of each method answers."""

    @property
    def total_s(self) -> float:
        """Seconds of all phases."""
        return sum(self.phases.values())


def forecast(
    profiles: Mapping[str, Reach], calibration: Calibration, methods: int, *, alike: bool, looks: bool
) -> Forecast:
    """Return what the counting pass lets expect.

    Which cells are worth measuring is known when shares are; until then, a few of each benchmark count.
    `alike`: whether arms of different forks are compared; else one fork times all methods of a benchmark.
    `looks`: whether short calls are looked for on the stack.
    """
    calling = [reached for reached in profiles.values() if reached.calls]
    plans = calibration.iteration_plans
    planned = [(reached, plans[reached.benchmark]) for reached in calling if reached.benchmark in plans]
    return Forecast(
        methods=methods,
        benchmarks=len(profiles),
        calling=len(calling),
        reached=sum(len(reached.calls) for reached in calling),
        phases={
            Phase.SHARES: sum(
                USUAL_ROUNDS * (len(reached.calls) + BESIDE_SHARES if alike else 1) * plan.wall_s
                + (USUAL_LOOKS_S if looks and _has_short_calls(reached, plan) else 0.0)
                for reached, plan in planned
            ),
            Phase.CELLS: sum(
                settling_s(plan, min(len(reached.calls), USUAL_CELLS)) for reached, plan in planned
            ),
            Phase.UNSLOWED: sum(unslowed_s(plan) for _, plan in planned),
        },
        first_cells_s=_first_cells_s(planned),
    )


def _has_short_calls(reached: Reach, plan: IterationPlan) -> bool:
    return plan.iteration_s / plan.invocations < SHORT_S * max(reached.calls.values())


def _first_cells_s(planned: Sequence[tuple[Reach, IterationPlan]]) -> float:
    """Return the seconds of a cell of each method, in the cheapest benchmark that calls it."""
    cheapest: dict[str, float] = {}
    for reached, plan in planned:
        for method in reached.calls:
            cheapest[method] = min(settling_s(plan, 1), cheapest.get(method, math.inf))
    return sum(cheapest.values())


def unslowed_s(plan: IterationPlan) -> float:
    """Return about how long the unslowed runs of a benchmark take, in seconds."""
    return RUNS * (plan.wall_s + iterations(plan) * plan.iteration_s)


def after_shares(shares: Sequence[Share], plans: Mapping[str, IterationPlan]) -> dict[Phase, float]:
    """Return the seconds that are still to come now that shares tell which cells are worth measuring."""
    worth = [share for share in shares if share.highest >= NEGLIGIBLE]
    return {
        Phase.SHARES: 0.0,
        Phase.CELLS: expected_s(worth, plans),
        Phase.UNSLOWED: sum(unslowed_s(plans[name]) for name in {share.benchmark for share in worth}),
    }
