"""The values that verdicts rest on: a score keeps what follows from them, the session the values."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose
from statistics import fmean

import numpy as np

from abs_audit.experiment import detection, dose
from abs_audit.experiment.detection import Run
from abs_audit.experiment.session import Session
from abs_audit.model.cells import Cells
from abs_audit.model.experiment import Arm, Mode
from abs_audit.model.measurement import Trial
from abs_audit.model.verdict import CellRuns, CellVerdict, ComparedRun
from abs_audit.stats import effect, intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recorded:
    """The control or the mutant of a pair."""

    series: tuple[str, ...]
    """Context, name of the design, seed: what belongs together."""
    run: str
    arm: Arm
    trial: Trial


def of_cells(session: Session, cells: Cells, design: str) -> CellRuns:
    """Return the runs of the cells that a design measured, as far as the session has them.

    Only what gives the very numbers of a verdict: after a merge, or beside answers of an earlier score, the
    session may hold the values of other measurements.
    """
    measured = [cell for cell in cells.listed if cell.repetitions]
    recorded: dict[str, list[_Recorded]] = {cell.benchmark: [] for cell in measured}
    for context, benchmark, step, trial in session.pairs(design) if measured else ():
        if benchmark in recorded:
            *series, run = trial.block.split("/")[:4]
            of_pair = _Recorded(series=(context, *series), run=run, arm=step.arm, trial=trial)
            recorded[benchmark].append(of_pair)
    runs = {(cell.method, cell.benchmark): _reproducing(cell, recorded[cell.benchmark]) for cell in measured}
    return {key: tuple(map(_compared, made)) for key, made in runs.items() if made}


def _compared(run: Run) -> ComparedRun:
    seen, middle = detection.compare(run), fmean(run.control)
    ends = intervals.shift(np.log(run.control), np.log(run.mutant))
    return ComparedRun(
        control=tuple(value / middle - 1 for value in run.control),
        mutant=tuple(value / middle - 1 for value in run.mutant),
        mean=seen.mean,
        median=seen.median,
        interval=None if ends is None else (float(np.expm1(ends[0])), float(np.expm1(ends[1]))),
    )


def _reproducing(cell: CellVerdict, recorded: Sequence[_Recorded]) -> tuple[Run, ...]:
    """Return the newest runs that the numbers of a verdict follow from; empty where there are none."""
    names = [f"run{number}" for number in range(1, len(cell.repetitions) + 1)]
    for series in reversed({of_pair.series: None for of_pair in recorded}):
        runs = tuple(
            _run(cell, [each for each in recorded if (each.series, each.run) == (series, name)])
            for name in names
        )
        if tuple(run.repetitions for run in runs) == cell.repetitions:
            least = min(effect.mean_difference(run.control, run.mutant) for run in runs)
            if isclose(least, cell.difference_mean or 0.0, rel_tol=1e-6, abs_tol=1e-9):
                return runs
    return ()


def _run(cell: CellVerdict, recorded: Sequence[_Recorded]) -> Run:
    """Return the values of the newest mutant and of its control: before, the delay had another size."""
    mutants = [each for each in recorded if each.arm.slowed == cell.method]
    mutants = [each for each in mutants if each.arm == mutants[-1].arm]
    blocks = {each.trial.block for each in mutants}
    alike = {(Mode.CONTROL, "control", each.arm.methods, each.arm.batch) for each in mutants}
    controls = [
        each
        for each in recorded
        if each.trial.block in blocks
        and (each.arm.mode, each.arm.label, each.arm.methods, each.arm.batch) in alike
    ]
    expected = (cell.share or 0.0) * (cell.requested or 0.0)
    return Run(control=_values(controls, expected), mutant=_values(mutants, expected))


def _values(recorded: Sequence[_Recorded], expected: float) -> list[float]:
    """Return values in what an invocation without probes took in turns beside them, or else in seconds."""
    values = []
    for arm, trial in ((each.arm, each.trial) for each in recorded):
        beside_s = (trial.tally and trial.tally.plain_s) or 1.0
        values += [value / beside_s for value in dose.as_requested(trial, arm, expected)]
    return values
