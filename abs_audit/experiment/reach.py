"""Which benchmarks call which methods inside their timed loop?

Calls that grow with the number of invocations are inside the loop; the others are set-up. An API method
that is met in set-up only is not covered: slowing it down moves no measured value.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from abs_audit.experiment.calibration import Calibration, IterationPlan
from abs_audit.experiment.harness import Harness
from abs_audit.model.experiment import Arm, Block, BlockKind, Mode, Step
from abs_audit.model.measurement import Status, Trial

COUNTED_S = 0.05
FEWEST_INVOCATIONS = 2
"""A framework may make a single invocation in another way than many, and set up less often for it: then
the difference would be more than invocations (Go runs a benchmark with one invocation before any other)."""
MOST_INVOCATIONS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How one benchmark calls the methods."""

    benchmark: str
    calls: Mapping[str, float]
    """Method → calls per invocation of the benchmark, above 0."""
    setup_only: frozenset[str]
    """Methods that it calls, but never inside its timed loop."""
    failure: Trial | None
    """The trial that failed, where nothing is known."""
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    """Method → `processes` or `threads` that call it, where its share of the benchmark's time says little."""


def reach(
    harness: Harness, calibration: Calibration, methods: Sequence[str], mode: Mode = Mode.COUNT
) -> tuple[Reach, ...]:
    """Count the calls of every method in every benchmark, all methods at once."""
    arm = Arm(mode=mode, methods=tuple(methods), slowed=None, delay_ns=0.0, batch=1, label=mode.value)
    blocks = [_block(harness, iteration_plan, arm) for iteration_plan in calibration.iteration_plans.values()]
    if mode is Mode.PROFILE:
        # A copy without probes is the same one for all sets of methods; what is counted in it is not.
        key = hashlib.sha256("\0".join(methods).encode()).hexdigest()[:16]
        blocks = [replace(block, id=f"{block.id}/{key}") for block in blocks]
    trials = harness.perform(blocks, "counting calls")
    return tuple(_reach(block, trials[block.id]) for block in blocks)


def _block(harness: Harness, iteration_plan: IterationPlan, arm: Arm) -> Block:
    once_s = iteration_plan.iteration_s / iteration_plan.invocations
    more = FEWEST_INVOCATIONS + max(1, min(MOST_INVOCATIONS, int(COUNTED_S / once_s)))
    steps = [
        Step(arm=arm, invocations=number, target_s=number * once_s, iterations=1, warmup=0)
        for number in (FEWEST_INVOCATIONS, more)
    ]
    # Both counts need the same warm-up, or the first, cold call would hide what grows.
    steps = [replace(step, warmup=harness.warmup) for step in steps]
    return Block(
        id=f"reach/{iteration_plan.benchmark}",
        benchmark=iteration_plan.benchmark,
        steps=tuple(steps),
        limit_s=iteration_plan.limit_s(harness, steps),
        kind=BlockKind.REACH,
    )


def _reach(block: Block, trials: tuple[Trial, ...]) -> Reach:
    failed = [trial for trial in trials if trial.status is not Status.OK or trial.tally is None]
    if failed:
        return Reach(benchmark=block.benchmark, calls={}, setup_only=frozenset(), failure=failed[0])
    few, many = trials
    assert few.tally is not None
    assert many.tally is not None
    grown = many.invocations - few.invocations
    calls: dict[str, float] = {}
    outside: set[str] = set()
    elsewhere = {
        method: counted.elsewhere for method, counted in many.tally.methods.items() if counted.elsewhere
    }
    for method, counted in many.tally.methods.items():
        if method in elsewhere:
            continue
        growth = counted.calls - few.tally.methods[method].calls
        if growth > 0:
            calls[method] = growth / grown
        elif counted.calls or counted.setup_calls:
            outside.add(method)
    return Reach(
        benchmark=block.benchmark,
        calls=calls,
        setup_only=frozenset(outside),
        failure=None,
        elsewhere=elsewhere,
    )
