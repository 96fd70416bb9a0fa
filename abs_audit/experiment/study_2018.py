"""The protocol of 2018: separate runs of the whole suite, one a method and one for the control.

Laaber & Leitner 2018, §6.2. The yardstick: nothing is left out, nothing stops early. Control and mutants
have the probes of all methods active, so that one control serves them all and differs by the delay alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from abs_audit.experiment import detection, protocol
from abs_audit.experiment.asking import Axes, Injection, cell_of, pairs_of
from abs_audit.experiment.cell_profiles import CellProfiles
from abs_audit.experiment.detection import Run
from abs_audit.experiment.evidence import unmeasured, why_no_evidence
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.reach import Reach
from abs_audit.experiment.schedule import shuffled
from abs_audit.experiment.telling import without_measuring
from abs_audit.model.cells import Cells
from abs_audit.model.experiment import Arm, Mode
from abs_audit.model.measurement import Trial
from abs_audit.model.verdict import CellVerdict

ITERATIONS = 20
ITERATION_S = 1.0


def verdicts(harness: Harness, profiles: CellProfiles, axes: Axes, spec: Injection) -> Cells:
    """Return a verdict for each cell of `axes` from 2 · (methods + 1) suite runs."""
    suite = _Suite(harness=harness, profiles=profiles, methods=tuple(axes.methods), spec=spec)
    runs = [
        {slowed: suite.executed(slowed, number) for slowed in [None, *axes.methods]}
        for number in range(1, protocol.RUNS + 1)
    ]
    return Cells.of(suite.verdict(method, name, runs) for method in axes.methods for name in axes.benchmarks)


def run_s(reach: Iterable[Reach]) -> float:
    """Return the benchmark-seconds of one run: 20 iterations of 1 s, or of one invocation that is longer."""
    return sum(
        ITERATIONS * max(ITERATION_S, reached.once_s) for reached in reach if reached.once_s is not None
    )


_Executed = tuple[Arm, Trial]
"""One benchmark in one execution of the suite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Suite:
    """What all executions of the suite have in common."""

    harness: Harness
    profiles: CellProfiles
    methods: tuple[str, ...]
    spec: Injection

    def executed(self, slowed: str | None, number: int) -> dict[str, _Executed]:
        """Execute the whole suite once, with one method slowed or none."""
        name, plans = slowed or "control", self.profiles.calibration.iteration_plans
        label = f"{self.spec.name}/{self.spec.slowdown:g}/{self.spec.seed}/run{number}/{name}"
        blocks = {
            benchmark: replace(
                plans[benchmark].block(
                    self.harness, f"{label}/{benchmark}", [self._arm(benchmark, slowed)], ITERATIONS
                ),
                process=label,
            )
            for benchmark in shuffled(list(plans), label)
        }
        trials = self.harness.perform(list(blocks.values()), f"paper protocol: run {number}, {name}")
        return {name: (block.steps[0].arm, trials[block.id][0]) for name, block in blocks.items()}

    def _arm(self, benchmark: str, slowed: str | None) -> Arm:
        pairs = [
            pair
            for share in self.profiles.shares.values()
            if share.benchmark == benchmark
            for pair in pairs_of(self.profiles, [share], self.spec)
        ]
        mutant = next((pair.mutant for pair in pairs if pair.cell.method == slowed), None)
        return Arm(
            mode=Mode.DELAY if mutant else Mode.CONTROL,
            methods=self.methods,
            slowed=mutant.slowed if mutant else None,
            delay_ns=mutant.delay_ns if mutant else 0.0,
            # One batch for all arms of a benchmark: the bookkeeping of the control is that of every mutant.
            batch=min((pair.control.batch for pair in pairs), default=1),
            label=slowed or "control",
        )

    def verdict(
        self, method: str, name: str, runs: Sequence[Mapping[str | None, Mapping[str, _Executed]]]
    ) -> CellVerdict:
        """Return what the runs say of a cell."""
        share = self.profiles.shares.get((method, name))
        if share is None:
            return without_measuring(self.profiles, method, name, self.spec)
        cell = cell_of(share, self.spec)
        pairs = []
        for run in runs:
            sides = run[None][name], run[method][name]
            for arm, trial in sides:
                if broken := why_no_evidence(self.harness, trial, arm, method):
                    return unmeasured(cell, broken)
            control, mutant = (trial.values for _, trial in sides)
            pairs.append(Run(control=control, mutant=mutant))
        return detection.decide(cell, pairs, detection.full).verdict
