"""Which noise do cells really have: of the arm in a run, of the fork, of the repetition?

    python -m benchmarks.noise_components SESSION...

Reads what a score recorded. A value is the log of mutant ÷ control of one repetition, so what both arms have
in common has cancelled already. Its variance has three parts, estimated by moments cell by cell and averaged:
arm × run (the same in all repetitions of a run), fork (the same in a block), repetition. In units of δ, which
the rule's threshold is half of. The interval is a bootstrap over cells; where it begins at 0, chance explains
what was seen. A cell tells of runs if it has two, which is after a yes of the first.
"""

import argparse
import re
import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from abs_audit.model.experiment import Arm, BlockKind, Mode, Step
from abs_audit.model.measurement import Status

BLOCK = re.compile(r"(?P<design>.+)/(?P<seed>\d+)/run(?P<run>\d+)/\d+/")
RESAMPLES = 2000
LEAST_FORKS = 3
STEP = TypeAdapter(Step)

Runs = Mapping[int, Sequence[np.ndarray]]
"""Run → its blocks, each the differences of its repetitions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """Variances of one cell, in units of δ²; None: this cell does not tell."""

    run: float | None
    fork: float | None
    repetition: float | None


def cells(session: Path) -> Iterable[tuple[float, Runs]]:
    """Yield δ and the differences of every cell of the scores in a session."""
    rows = sqlite3.connect(f"{session.absolute().as_uri()}?mode=ro", uri=True).execute(
        "SELECT context, block, step, sample FROM trial WHERE kind = ? AND status = ?"
        " ORDER BY block, position",
        (BlockKind.CELLS.value, Status.OK.value),
    )
    blocks: dict[tuple[str, str], dict[Arm, list[float]]] = defaultdict(lambda: defaultdict(list))
    for context, block, step, sample in rows:
        blocks[context, block][STEP.validate_json(step).arm].extend(array("d", sample))
    differing: dict[tuple[Any, ...], dict[int, list[np.ndarray]]] = defaultdict(lambda: defaultdict(list))
    for (context, block), by_arm in blocks.items():
        place = BLOCK.match(block)
        if place is None or place["design"].startswith("self-check"):
            continue
        benchmark = block[place.end() :].rsplit("/", 1)[0]
        for arm, (control, mutant) in _pairs(by_arm).items():
            # A mutant whose delay was sized anew is the same cell.
            cell = (arm.label, context, benchmark, arm.slowed, arm.methods)
            differing[cell][int(place["run"])].append(np.log(np.array(mutant) / np.array(control)))
    for (label, *_), runs in differing.items():
        yield float(label.split()[-1]), runs


def _pairs(by_arm: Mapping[Arm, Sequence[float]]) -> dict[Arm, tuple[Sequence[float], Sequence[float]]]:
    """Return the control and the values of each mutant beside it, in the order of their repetitions."""
    controls = {
        (arm.methods, arm.batch): values
        for arm, values in by_arm.items()
        if arm.mode is Mode.CONTROL and arm.label == "control"
    }
    return {
        arm: (controls[arm.methods, arm.batch], values)
        for arm, values in by_arm.items()
        if arm.mode is Mode.DELAY and len(controls.get((arm.methods, arm.batch), ())) == len(values)
    }


def components(delta: float, runs: Runs) -> Components:
    """Return the moments of one cell."""
    scaled = {run: [block / delta for block in blocks] for run, blocks in runs.items()}
    together = [block for blocks in scaled.values() for block in blocks if len(block) > 1]
    repetition = float(np.mean([block.var(ddof=1) for block in together])) if together else None
    means = {run: np.array([block.mean() for block in blocks]) for run, blocks in scaled.items()}
    usable = {run: values for run, values in means.items() if len(values) >= LEAST_FORKS}
    fork = None
    if usable:
        between = float(np.mean([values.var(ddof=1) for values in usable.values()]))
        sizes = np.concatenate([[len(block) for block in scaled[run]] for run in usable])
        # Of one repetition each, a block's noise is its repetition's as well: told apart by larger blocks.
        fork = between - repetition * float(np.mean(1 / sizes)) if repetition is not None else between
    run = None
    if len(usable) == 2:
        first, second = usable.values()
        within = (first.var(ddof=1) / len(first) + second.var(ddof=1) / len(second)) / 2
        run = float((first.mean() - second.mean()) ** 2 / 2 - within)
    return Components(run=run, fork=fork, repetition=repetition)


def told(name: str, variances: Sequence[float | None], draw: np.random.Generator) -> str:
    """Return the standard deviation of one component with its interval."""
    known = np.array([variance for variance in variances if variance is not None])
    if not len(known):
        return f"  {name:12} not told by any cell"
    resampled = draw.choice(known, (RESAMPLES, len(known))).mean(axis=1)
    low, high = np.quantile(resampled, (0.025, 0.975))
    mean, low, high, typical = (
        np.sqrt(max(0.0, float(variance))) for variance in (known.mean(), low, high, np.median(known))
    )
    return f"  {name:12} {mean:.3f} δ ({low:.3f}-{high:.3f})  typical cell {typical:.3f}  {len(known)} cells"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sessions", nargs="+", type=Path)
    options = parser.parse_args()
    for session in options.sessions:
        every = [components(delta, runs) for delta, runs in cells(session)]
        print(f"{session}: {len(every)} cells")
        for name in ("run", "fork", "repetition"):
            print(told(name, [getattr(cell, name) for cell in every], np.random.default_rng(1)))


if __name__ == "__main__":
    main()
