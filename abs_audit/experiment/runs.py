"""Separate runs of the whole suite, unslowed: the data of maxSpread and of the suite's extent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from abs_audit.experiment.calibration import Calibration
from abs_audit.experiment.lab import Lab
from abs_audit.experiment.schedule import shuffled
from abs_audit.model.experiment import UNPROBED
from abs_audit.model.measurement import Status

ITERATIONS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRuns:
    """What repeated runs of the whole suite gave."""

    values: Mapping[str, tuple[tuple[float, ...], ...]]
    """Benchmark → its values in each run, in seconds per invocation; empty where it failed."""
    durations: Mapping[str, float]
    """Benchmark → seconds that one run of it takes, set-up included; measurable ones only."""


def suite_runs(
    lab: Lab, calibration: Calibration, benchmarks: Sequence[str], runs: int, seed: int
) -> SuiteRuns:
    """Execute the suite `runs` times, each in processes of its own and in a random order."""
    values: dict[str, list[tuple[float, ...]]] = {name: [] for name in benchmarks}
    walls: dict[str, list[float]] = {name: [] for name in benchmarks}
    for run in range(runs):
        order = shuffled([name for name in benchmarks if name in calibration.paces], seed, "runs", run)
        blocks = [
            calibration.paces[name].block(lab, f"runs/{seed}/{run + 1}/{name}", [UNPROBED], ITERATIONS)
            for name in order
        ]
        trials = lab.perform(blocks, f"stability: run {run + 1} of {runs}")
        found = {block.benchmark: trials[block.id][0] for block in blocks}
        for name in benchmarks:
            trial = found.get(name)
            good = trial is not None and trial.status is Status.OK
            values[name].append(trial.values if trial and good else ())
            walls[name].extend([trial.wall_s] if trial and good else [])
    return SuiteRuns(
        values={name: tuple(found_values) for name, found_values in values.items()},
        durations={name: median(times) for name, times in walls.items() if times},
    )
