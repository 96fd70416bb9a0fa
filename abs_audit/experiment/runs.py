"""Separate runs of the whole suite, unslowed: the data of maxSpread."""

from collections.abc import Mapping, Sequence

from abs_audit.experiment.calibration import Calibration
from abs_audit.experiment.lab import Lab
from abs_audit.experiment.schedule import shuffled
from abs_audit.model.experiment import UNPROBED
from abs_audit.model.measurement import Status

ITERATIONS = 10


def suite_runs(
    lab: Lab, calibration: Calibration, benchmarks: Sequence[str], runs: int, seed: int
) -> Mapping[str, list[tuple[float, ...]]]:
    """Return the values of each run of each benchmark, in seconds per invocation; empty where it failed.

    Each run is made of processes of its own, in a random order of the benchmarks.
    """
    values: dict[str, list[tuple[float, ...]]] = {name: [] for name in benchmarks}
    for run in range(runs):
        order = shuffled([name for name in benchmarks if name in calibration.paces], seed, "runs", run)
        blocks = [
            calibration.paces[name].block(lab, f"runs/{seed}/{run + 1}/{name}", [UNPROBED], ITERATIONS)
            for name in order
        ]
        trials = lab.perform(blocks, f"run {run + 1} of {runs}")
        found = {block.benchmark: trials[block.id][0] for block in blocks}
        for name in benchmarks:
            trial = found.get(name)
            values[name].append(trial.values if trial and trial.status is Status.OK else ())
    return values
