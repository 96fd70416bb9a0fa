"""Benchmarks of which the shares are known, executed by nobody."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from abs_audit.experiment.asking import Injection
from abs_audit.experiment.watch import Watch
from abs_audit.model.experiment import Arm, Block, Mode
from abs_audit.model.measurement import MethodTally, Status, Tally, Trial
from tests.support.fake_executor import BUILD

CALL_S = 1e-4
"""What a call of any method takes."""
SHORT_S = 5.0
"""A budget of which a benchmark takes more than a tenth."""
Suite = Mapping[str, Mapping[str, float]]
"""Benchmark → method → its share."""


def injection(name: str, *, settle_all: bool) -> Injection:
    """Return how cells are slowed by a half, so that a quarter must show."""
    return Injection(
        slowdown=0.5,
        threshold=0.25,
        delay_batch_ns=20_000.0,
        floor_ns=0.0,
        seed=1,
        name=name,
        settle_all=settle_all,
    )


@dataclass
class World:
    """Benchmarks of a millisecond each that spend known shares of it in known methods."""

    suite: Suite
    felt: Mapping[str, float] = field(default_factory=dict)
    """Benchmark → times what is injected by which it becomes slower, if not once."""
    made: list[Block] = field(default_factory=list)

    def trial(self, block: Block, position: int, arm: Arm) -> Trial:
        self.made.append(block)
        invocations = block.steps[position].invocations or 100
        once_s = 1e-3 * (1 + 1e-8 * int(hashlib.sha256(block.id.encode()).hexdigest()[:4], 16))
        tallies = {}
        for method in arm.methods:
            share = self.suite[block.benchmark].get(method, 0.0)
            calls = round(invocations * 1000 * share / (1e6 * CALL_S))
            slowed = arm.mode is Mode.DELAY and arm.slowed == method
            injected_s = calls * arm.delay_ns / 1e9 if slowed else 0.0
            once_s += self.felt.get(block.benchmark, 1.0) * injected_s / invocations
            tallies[method] = MethodTally(
                calls=calls, injected_s=injected_s, timed_s=calls * CALL_S if arm.mode is Mode.TIME else 0.0
            )
        return Trial(
            block=block.id,
            position=position,
            status=Status.OK,
            reason="",
            invocations=invocations,
            values=tuple(once_s * (1 + 1e-4 * number) for number in range(block.steps[position].iterations)),
            tally=Tally(build_id=BUILD, methods=tallies),
            wall_s=once_s * invocations,
        )

    def made_of(self, kind: str) -> list[str]:
        """Return the benchmarks of the blocks of a kind, in the order in which they were made."""
        return list(dict.fromkeys(block.benchmark for block in self.made if block.id.startswith(kind)))


class EndsAt(Watch):
    """A watch whose budget ends once a block was made whose id begins so."""

    def __init__(self, world: World, begins: str, budget_s: float = SHORT_S) -> None:
        super().__init__(budget_s=budget_s)
        self._world, self._begins, self._budget_s = world, begins, budget_s

    @property
    def remaining_s(self) -> float:
        return 0.0 if self._begins and self._world.made_of(self._begins) else self._budget_s

    @property
    def whole_s(self) -> float:
        return self.remaining_s
