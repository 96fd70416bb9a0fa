"""How many invocations make an iteration, and which benchmarks run at all?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abs_audit.experiment.lab import Lab
from abs_audit.model.experiment import UNPROBED, Arm, Block, Step
from abs_audit.model.measurement import Status, Trial

LIMIT_FACTOR = 20.0
"""A block may take this many times what it is expected to take, and a floor, before it is killed."""
LIMIT_FLOOR_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """What an iteration of one benchmark is."""

    benchmark: str
    invocations: int
    iteration_s: float
    """Expected duration of such an iteration, in seconds."""
    wall_s: float
    """What one trial of one iteration took in all, set-up included, in seconds."""

    def step(self, arm: Arm, warmup: int, iterations: int = 1) -> Step:
        """Return a step at this pace."""
        return Step(
            arm=arm,
            invocations=self.invocations,
            target_s=self.iteration_s,
            iterations=iterations,
            warmup=warmup,
        )

    def limit_s(self, steps: Sequence[Step], longest_s: float) -> float:
        """Return when a block of such steps is given up: generous, but never above what the user allows."""
        expected = sum(self.wall_s * (step.iterations + step.warmup) for step in steps)
        return min(longest_s, LIMIT_FLOOR_S + LIMIT_FACTOR * expected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The benchmarks that can be measured, and those that cannot."""

    paces: Mapping[str, Pace]
    failed: Mapping[str, Trial]


def calibrate(lab: Lab, benchmarks: Sequence[str], target_s: float, longest_s: float) -> Calibration:
    """Execute each benchmark once, unslowed, and learn how long it takes."""
    step = Step(arm=UNPROBED, invocations=None, target_s=target_s, iterations=1, warmup=1)
    blocks = [
        Block(id=f"calibration/{name}", benchmark=name, steps=(step,), limit_s=longest_s)
        for name in benchmarks
    ]
    trials = lab.perform(blocks, "calibrating")
    paces: dict[str, Pace] = {}
    failed: dict[str, Trial] = {}
    for block in blocks:
        (trial,) = trials[block.id]
        if trial.status is Status.OK:
            paces[block.benchmark] = Pace(
                benchmark=block.benchmark,
                invocations=trial.invocations,
                iteration_s=trial.values[0] * trial.invocations,
                wall_s=trial.wall_s,
            )
        else:
            failed[block.benchmark] = trial
    return Calibration(paces=paces, failed=failed)
