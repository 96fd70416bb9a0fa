"""The protocol of 2018: separate runs of the whole suite, one a method and one for the control.

Laaber & Leitner 2018, §6.2. The yardstick: nothing is left out, nothing stops early. Control and mutants
have the probes of all methods active, so that one control serves them all and differs by the delay alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abs_audit.experiment import detection
from abs_audit.experiment.cell_profiles import CellProfiles
from abs_audit.experiment.detection import Run
from abs_audit.experiment.evidence import unmeasured, why_no_evidence
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.interleaved import Axes, Injection, cell_of, without_measuring
from abs_audit.experiment.profile import pair_of_arms
from abs_audit.experiment.schedule import shuffled
from abs_audit.model.experiment import Arm, Block, Mode
from abs_audit.model.explanation import Explanation
from abs_audit.model.measurement import Trial
from abs_audit.model.verdict import CellVerdict, Verdict

ITERATIONS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _Suite:
    """One execution of the whole suite for one arm."""

    blocks: Mapping[str, Block]
    trials: Mapping[str, tuple[Trial, ...]]

    def trial(self, benchmark: str) -> Trial:
        return self.trials[self.blocks[benchmark].id][0]

    def arm(self, benchmark: str) -> Arm:
        return self.blocks[benchmark].steps[0].arm


@dataclass(frozen=True, slots=True, kw_only=True)
class _SuiteRun:
    """What one execution of the whole suite is for."""

    methods: Sequence[str]
    """Whose probes are active."""
    slowed: str | None
    number: int


def verdicts(
    harness: Harness, profiles: CellProfiles, axes: Axes, spec: Injection
) -> tuple[CellVerdict, ...]:
    """Return a verdict for each cell of `axes` from 2 · (methods + 1) suite runs."""
    methods, benchmarks = axes.methods, axes.benchmarks
    runs = [
        {
            slowed: _suite(harness, profiles, _SuiteRun(methods=methods, slowed=slowed, number=number), spec)
            for slowed in [None, *methods]
        }
        for number in range(1, detection.RUNS + 1)
    ]
    return tuple(
        _verdict(harness, profiles, (method, name), runs, spec) for method in methods for name in benchmarks
    )


def _suite(harness: Harness, profiles: CellProfiles, run: _SuiteRun, spec: Injection) -> _Suite:
    """Execute the whole suite once, with one method slowed or none."""
    arm_name = run.slowed or "control"
    label = f"{spec.name}/{spec.slowdown:g}/{spec.seed}/run{run.number}/{arm_name}"
    blocks = {
        name: profiles.calibration.iteration_plans[name].block(
            harness, f"{label}/{name}", [_arm(profiles, name, run, spec)], ITERATIONS
        )
        for name in shuffled(list(profiles.calibration.iteration_plans), label)
    }
    purpose = f"paper protocol: run {run.number}, {arm_name}"
    return _Suite(blocks=blocks, trials=harness.perform(list(blocks.values()), purpose))


def _arm(profiles: CellProfiles, benchmark: str, run: _SuiteRun, spec: Injection) -> Arm:
    iteration_plan = profiles.calibration.iteration_plans[benchmark]
    pairs = {
        share.method: pair_of_arms(share, spec.slowdown, iteration_plan.invocations, spec.delay_batch_ns)
        for share in profiles.shares.values()
        if share.benchmark == benchmark
    }
    mutant = pairs[run.slowed][1] if run.slowed in pairs else None
    return Arm(
        mode=Mode.DELAY if mutant else Mode.CONTROL,
        methods=tuple(run.methods),
        slowed=mutant.slowed if mutant else None,
        delay_ns=mutant.delay_ns if mutant else 0.0,
        # One batch for all arms of a benchmark: the bookkeeping of the control is that of every mutant.
        batch=min((arm.batch for arm, _ in pairs.values()), default=1),
        label=run.slowed or "control",
    )


def _verdict(
    harness: Harness,
    profiles: CellProfiles,
    place: tuple[str, str],
    runs: Sequence[Mapping[str | None, _Suite]],
    spec: Injection,
) -> CellVerdict:
    method, name = place
    share = profiles.shares.get(place)
    if share is None:
        return without_measuring(profiles, method, name, spec)
    cell = cell_of(share, spec)
    pairs = []
    for run in runs:
        control, mutant = run[None], run[method]
        broken = _broken(harness, control, name, method) or _broken(harness, mutant, name, method)
        if broken:
            return unmeasured(cell, Verdict.NO_VERDICT, broken)
        pairs.append(Run(control=control.trial(name).values, mutant=mutant.trial(name).values))
    return detection.decide(cell, pairs, detection.full).verdict


def _broken(harness: Harness, suite: _Suite, benchmark: str, method: str) -> Explanation | None:
    return why_no_evidence(harness, suite.trial(benchmark), suite.arm(benchmark), method)
