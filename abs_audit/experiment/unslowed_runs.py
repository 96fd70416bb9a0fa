"""Separate runs of the whole suite, unslowed: the data of maxSpread and of the suite's extent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median

from abs_audit.analyses.stop.rules.rule import StoppingRule
from abs_audit.experiment import packed_runs
from abs_audit.experiment.calibration import Calibration
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.schedule import shuffled
from abs_audit.model.experiment import UNPROBED, Block, BlockKind
from abs_audit.model.measurement import Status

ITERATIONS = 10
"""Values of a run where a fork becomes faster while it is measured."""
ALIKE_ITERATIONS = 5
"""Where it does not, further ones hardly change its mean: what spreads are the runs."""
LONGEST_RUN_S = 20.0
"""Seconds that the values of a benchmark take in a run, unless a single one takes longer."""
SET_UP_MOSTLY = 4.0
"""Most of a trial is set-up where it takes so many times an iteration: it has two, with the warm-up."""
FEWER_ITERATIONS = 2
"""Values of a run where an untimed set-up for each would take longer than..."""
LONGEST_SET_UPS_S = 0.25
"""...so many seconds: of eight benchmarks of packaging a third one changed maxSpread from .13 to .12. Their
set-ups are the longer part of a suite's runs there: half as many left maxSpread as it was."""
RUNS = 5
"""Runs of the suite where no rule says when there are enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRuns:
    """What repeated runs of the whole suite gave."""

    values: packed_runs.Stored
    """Benchmark → its values in each run, in seconds per invocation; empty where it failed."""
    durations: Mapping[str, float]
    """Benchmark → seconds that one run of it takes, set-up included; measurable ones only."""
    wholes: Mapping[str, str] = field(default_factory=dict)
    """Part that breaks down alone → the benchmark that has to be executed with all its parts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """How often the suite is executed, and in which order."""

    runs: int
    """The most; without a rule just as many."""
    seed: int
    rule: StoppingRule | None = None
    """Asked after each run about the means of every benchmark; all must have enough."""


def suite_runs(
    harness: Harness, calibration: Calibration, benchmarks: Sequence[str], plan: RunPlan
) -> tuple[SuiteRuns, str]:
    """Execute the suite several times, each in processes of its own and in a random order.

    Returns:
        The runs, and why they ended; empty where there was no rule to end them.
    """
    seed, runs = plan.seed, plan.runs
    values: dict[str, list[tuple[float, ...]]] = {name: [] for name in benchmarks}
    walls: dict[str, list[float]] = {name: [] for name in benchmarks}
    wholes: dict[str, str] = {}
    why = ""
    if harness.executor.width > 1 and plan.rule is None:
        # Hosts make their runs at the same time; below they are found again as recorded.
        every = [
            block for run in range(runs) for block in _run(harness, calibration, benchmarks, (seed, run))
        ]
        harness.perform(every, f"stability: {runs} runs on {harness.executor.width} hosts")
    for run in range(runs):
        blocks = _run(harness, calibration, benchmarks, (seed, run))
        trials = harness.perform(blocks, f"stability: run {run + 1} of {runs}")
        measured = {block.benchmark: trials[block.id][0] for block in blocks}
        for name in benchmarks:
            trial = measured.get(name)
            good = trial is not None and trial.status is Status.OK
            values[name].append(trial.values if trial and good else ())
            walls[name].extend([trial.wall_s] if trial and good else [])
            wholes |= {name: trial.executed_whole} if trial and trial.executed_whole else {}
        if plan.rule is not None:
            waiting = _waiting(plan.rule, values)
            called = plan.rule.name
            why = f"{run + 1} runs are the most allowed; {called} wants more of {len(waiting)} benchmarks"
            if not waiting:
                why = f"{called} has enough of every benchmark after {run + 1} runs"
                break
    measured_runs = SuiteRuns(
        values={name: tuple(of_runs) for name, of_runs in values.items()},
        durations={name: median(times) for name, times in walls.items() if times},
        wholes=wholes,
    )
    return measured_runs, why


def _run(
    harness: Harness, calibration: Calibration, benchmarks: Sequence[str], which: tuple[int, int]
) -> list[Block]:
    """Return the blocks of one run in their random order: one trial of each benchmark on one instance.

    Runs take turns on the instances, so n runs on n of them are instance-based sampling and k · n runs make
    k trials on each (Laaber et al. 2019, randomised multiple interleaved trials).
    """
    seed, run = which
    order = shuffled([name for name in benchmarks if name in calibration.iteration_plans], seed, "runs", run)
    return [
        replace(
            calibration.iteration_plans[name].block(
                harness,
                f"runs/{seed}/{run + 1}/{name}",
                [UNPROBED],
                iterations(harness, calibration.iteration_plans[name]),
            ),
            instance=run,
            process=f"unslowed {run}",
            kind=BlockKind.UNSLOWED,
        )
        for name in order
    ]


def iterations(harness: Harness, plan: IterationPlan) -> int:
    """Return how many values a run has: of a benchmark that takes a minute one."""
    most = ALIKE_ITERATIONS if harness.language.forks_alike else ITERATIONS
    values = max(1, min(most, round(LONGEST_RUN_S / plan.iteration_s)))
    # A fork that has to be warmed is set up once: more values hardly make it longer.
    if not harness.language.forks_alike or plan.wall_s < SET_UP_MOSTLY * plan.iteration_s:
        return values
    return min(values, max(FEWER_ITERATIONS, round(LONGEST_SET_UPS_S / plan.wall_s)))


def _waiting(rule: StoppingRule, values: Mapping[str, Sequence[Sequence[float]]]) -> list[str]:
    """Return the benchmarks that a rule wants more runs of; one that fails in a run waits for nothing."""
    waiting = []
    for name, runs in values.items():
        means = [fmean(run) for run in runs if run]
        if len(means) == len(runs) and not rule.decide(means).enough:
            waiting.append(name)
    return waiting
