"""How long the rest of a score takes: told before it is begun, and looked up while it is under way."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abs_audit.experiment.calibration import IterationPlan
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.order_of_work import promising, settling_s
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
    needed: Mapping[Phase, float]
    """The same where the most promising benchmark of each method answers."""

    @property
    def total_s(self) -> float:
        """Seconds of all phases."""
        return sum(self.phases.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Pricing:
    """What a benchmark costs in a suite of one kind, before anything of it is measured."""

    alike: bool
    """Whether arms of different forks are compared; else one fork times all methods of a benchmark."""
    looks: bool
    """Whether short calls are looked for on the stack."""

    @classmethod
    def of(cls, harness: Harness) -> "Pricing":
        """Return what benchmarks cost here."""
        return cls(alike=harness.forks_alike, looks=harness.samples_stacks)

    def learning_s(self, reached: Reach, plan: IterationPlan) -> float:
        """Return about how long it takes to tell the shares of all that it calls, in seconds."""
        arms = len(reached.calls) + BESIDE_SHARES if self.alike else 1
        short = plan.iteration_s / plan.invocations < SHORT_S * max(reached.calls.values(), default=0.0)
        return USUAL_ROUNDS * arms * plan.wall_s + (USUAL_LOOKS_S if self.looks and short else 0.0)

    def whole_s(self, reached: Reach, plan: IterationPlan) -> float:
        """Return that, and how long it takes to settle as many of its cells as usual, in seconds."""
        return self.learning_s(reached, plan) + settling_s(plan, min(len(reached.calls), USUAL_CELLS))


def forecast(
    profiles: Mapping[str, Reach],
    plans: Mapping[str, IterationPlan],
    methods: Sequence[str],
    pricing: Pricing,
) -> Forecast:
    """Return what the counting pass lets expect.

    Which cells are worth measuring is known when shares are; until then, a few of each benchmark count.
    `plans`: of the benchmarks that are worth anything.
    """
    calling = [reached for reached in profiles.values() if reached.calls]
    first = [names[0] for method in methods if (names := promising(method, profiles, plans))]
    return Forecast(
        methods=len(methods),
        benchmarks=len(profiles),
        calling=len(calling),
        reached=sum(len(reached.calls) for reached in calling),
        phases=_phases(
            {name: min(len(profiles[name].calls), USUAL_CELLS) for name in plans}, profiles, plans, pricing
        ),
        needed=_phases(Counter(first), profiles, plans, pricing),
    )


def _phases(
    cells: Mapping[str, int],
    profiles: Mapping[str, Reach],
    plans: Mapping[str, IterationPlan],
    pricing: Pricing,
) -> dict[Phase, float]:
    """Return the seconds of what is to come where so many cells of each benchmark are settled."""
    return {
        Phase.SHARES: sum(pricing.learning_s(profiles[name], plans[name]) for name in cells),
        Phase.CELLS: sum(settling_s(plans[name], count) for name, count in cells.items()),
        Phase.UNSLOWED: sum(unslowed_s(plans[name]) for name in cells),
    }


def unslowed_s(plan: IterationPlan) -> float:
    """Return about how long the unslowed runs of a benchmark take, in seconds."""
    return RUNS * (plan.wall_s + iterations(plan) * plan.iteration_s)
