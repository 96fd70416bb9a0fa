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

    def block(self, lab: Lab, name: str, arms: Sequence[Arm], iterations: int = 1) -> Block:
        """Return a block of the benchmark at this pace, one step an arm, in the given order."""
        steps = lab.warmed(
            [
                Step(
                    arm=arm,
                    invocations=self.invocations,
                    target_s=self.iteration_s,
                    iterations=iterations,
                    warmup=0,
                )
                for arm in arms
            ]
        )
        return Block(id=name, benchmark=self.benchmark, steps=steps, limit_s=self.limit_s(lab, steps))

    def limit_s(self, lab: Lab, steps: Sequence[Step]) -> float:
        """Return when a block of such steps is given up: generous, but never above what the user allows."""
        expected = sum(self.wall_s * (step.iterations + step.warmup) for step in steps)
        return min(lab.longest_s, LIMIT_FLOOR_S + LIMIT_FACTOR * expected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The benchmarks that can be measured, and those that cannot."""

    paces: Mapping[str, Pace]
    failed: Mapping[str, Trial]


def calibrate(lab: Lab, benchmarks: Sequence[str], target_s: float) -> Calibration:
    """Execute each benchmark once, unslowed, and learn how long it takes.

    A framework that looks for a number of invocations itself finds too many rather than too few; an
    iteration has no more than `target_s` asks for.
    """
    steps = lab.warmed([Step(arm=UNPROBED, invocations=None, target_s=target_s, iterations=1, warmup=0)])
    blocks = [
        Block(id=f"calibration/{name}", benchmark=name, steps=steps, limit_s=lab.longest_s)
        for name in benchmarks
    ]
    trials = lab.perform(blocks, "calibrating")
    paces: dict[str, Pace] = {}
    failed: dict[str, Trial] = {}
    for block in blocks:
        (trial,) = trials[block.id]
        if trial.status is Status.OK:
            once_s = trial.values[0]
            invocations = min(trial.invocations, max(1, round(target_s / once_s)))
            paces[block.benchmark] = Pace(
                benchmark=block.benchmark,
                invocations=invocations,
                iteration_s=once_s * invocations,
                wall_s=trial.wall_s,
            )
        else:
            failed[block.benchmark] = trial
    return Calibration(paces=paces, failed=failed)
