"""What is an iteration of a benchmark, and how long does it take?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Self

from abs_audit.experiment import protocol
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.protocol import TOGETHER
from abs_audit.languages.language import Language
from abs_audit.model.experiment import Arm, Block, Step
from abs_audit.model.measurement import Trial

LIMIT_FACTOR = 20.0
"""A block may take this many times what it is expected to take, and a floor, before it is killed."""
LIMIT_FLOOR_S = 30.0
SPREAD_S = 0.1
"""No iteration is made longer than this, in seconds, for collections of garbage to meet it anywhere..."""
SPREAD_IN_ALL_S = 1.0
"""...nor longer than this in all, set-ups of its invocations included."""
LONG_S = 5.0
"""An iteration that takes longer warms itself up."""
BESIDE_SHARES = 2
"""Arms of a round of shares beside those of the methods: off and control."""
MANY_METHODS = 10
"""Methods of a benchmark from which on one arm that times all of them is worth its time..."""
SLOWER_TOGETHER = 6.0
"""...which is so many times that without probes: 4.3 and 6.3 in graphql-core, 12 where bodies are empty..."""
LEFT_OF_MANY = 20
"""...and how many it leaves, at most: of deep stacks, where each calls the next."""
USUAL_CELLS = 3
"""Cells of a benchmark of which the first round of shares settles nothing, at most: large shares are few."""
FURTHER_ROUNDS = {1: 2.5, 2: 2.0, 3: 3.0, 5: 4.0, 9: 0.0}
"""Rounds of shares made → how many more the methods usually get that they have not settled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationPlan:
    """What an iteration of one benchmark is."""

    benchmark: str
    invocations: int
    iteration_s: float
    """Expected duration of such an iteration, in seconds."""
    wall_s: float
    """What one trial of one iteration took in all, set-up included, in seconds."""
    outside_s: float = 0.0
    """Part of that which is known to be no invocation's, nor the set-up of one."""
    undivided: bool = False
    """Whether its first invocations are unlike the others: turns of fewer would tell something else."""

    @property
    def once_s(self) -> float:
        """Return what is timed of an invocation, in seconds."""
        return self.iteration_s / self.invocations

    @property
    def inside_s(self) -> float:
        """Return what of a trial may be of the invocations, in seconds."""
        return self.wall_s - self.outside_s

    def of(self, invocations: int, each_s: float = 0.0) -> Self:
        """Return it with other invocations; `each_s`: what a trial takes in all for each, in seconds."""
        iteration_s = self.once_s * invocations
        # What each takes is an estimate: of fewer there may be nothing left of the trial.
        inside_s = max(iteration_s, self.inside_s + each_s * (invocations - self.invocations))
        wall_s = self.outside_s + inside_s
        return replace(self, invocations=invocations, iteration_s=iteration_s, wall_s=wall_s)

    def of_another_build(self, plan: Self) -> Self:
        """Return it with what makes an iteration long enough, and undivided, in another build."""
        invocations = max(self.invocations, plan.invocations)
        return replace(self.of(invocations), undivided=plan.undivided)

    def of_least(self, invocations: int) -> Self:
        """Return it with so many invocations or as many as are bearable, but with none fewer."""
        each_s = self.inside_s / self.invocations
        bearable = min(SPREAD_S / max(self.once_s, 1e-9), SPREAD_IN_ALL_S / max(each_s, 1e-9))
        return self.of(max(self.invocations, min(invocations, int(bearable))), each_s)

    def block(self, harness: Harness, name: str, arms: Sequence[Arm], iterations: int = 1) -> Block:
        """Return a block of the benchmark at this iteration plan, one step an arm, in the given order."""
        steps: Sequence[Step] = [
            Step(
                arm=arm,
                invocations=self.invocations,
                target_s=self.iteration_s,
                iterations=iterations,
                warmup=0,
                undivided=self.undivided,
            )
            for arm in arms
        ]
        if self.iteration_s < LONG_S:
            steps = harness.warmed(steps)
        long_s = sum(self.wall_s * (step.iterations + step.warmup) for step in steps)
        return Block(
            id=name,
            benchmark=self.benchmark,
            steps=tuple(steps),
            limit_s=limit_s(harness, long_s),
            expected_s=self.block_s(harness.language, len(arms), iterations),
        )

    def block_s(self, language: Language, arms: int, iterations: int = 1) -> float:
        """Return about how long a block of so many arms takes, in seconds.

        Where forks differ, one of them executes all arms in turns; where a block is a fork, one warm-up
        serves all.
        """
        if not language.forks_alike:
            arm_s = min(self.wall_s, language.turns * self.iteration_s)
            return self.wall_s + (iterations - 1) * self.iteration_s + (arms - 1) * arm_s
        warm = self.iteration_s < LONG_S and language.forks_a_block
        each_s = self.wall_s / (1 + language.warmup) if warm else self.wall_s
        return self.wall_s + (arms * iterations - 1) * each_s

    def rounds_s(self, language: Language, methods: int, made: int = 0) -> float:
        """Return about how long shares still take that so many rounds have not settled, in seconds."""

        def round_s(asked: int) -> float:
            # Where forks differ, one arm times all methods.
            arms = asked + BESIDE_SHARES if language.forks_alike else 1
            return self.block_s(language, arms) if asked else 0.0

        if made:
            return FURTHER_ROUNDS[made] * round_s(methods)
        together_s = 0.0
        if language.times_together and methods >= MANY_METHODS:
            together_s, methods = SLOWER_TOGETHER * self.block_s(language, 1), min(methods, LEFT_OF_MANY)
        return together_s + round_s(methods) + FURTHER_ROUNDS[1] * round_s(min(methods, USUAL_CELLS))

    def settling_s(self, language: Language, mutants: Sequence[Sequence[float]], made: int = 0) -> float:
        """Return about how long pairs take, in seconds.

        `mutants`: how often each is repeated in every run that it has. Their control is repeated as often as
        the one that is most often; later repetitions of a run share forks.
        `made`: repetitions of the first run that they have already.
        """
        apart = protocol.LOOKS[1 if language.forks_alike else 0]
        arm_s = self.block_s(language, 2) - self.block_s(language, 1)
        fork_s, settling_s = self.block_s(language, 1) - arm_s, 0.0
        for number, repeated in enumerate(zip_longest(*mutants, fillvalue=0.0)):
            most, alone = max(repeated), max(0, apart if number else apart - made)
            forks = min(most, alone) + max(0.0, most - alone) / TOGETHER
            settling_s += forks * fork_s + (most + sum(repeated)) * arm_s
        return settling_s


def limit_s(harness: Harness, expected_s: float) -> float:
    """Return when work that should take so long is given up: generous, but never above what users allow."""
    return min(harness.longest_s, LIMIT_FLOOR_S + LIMIT_FACTOR * expected_s)


def each_further_s(few: IterationPlan | Trial, many: IterationPlan | Trial) -> float:
    """Return the seconds of an invocation in all, with a set-up of its own if it has one.

    Where `many` are none more, nothing tells what else of their trial is the process's: it counts as theirs.
    """
    if many.invocations <= few.invocations:
        return many.inside_s / many.invocations
    return max(0.0, (many.inside_s - few.inside_s) / (many.invocations - few.invocations))
