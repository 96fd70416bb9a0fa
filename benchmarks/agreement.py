"""Are the default protocol's verdicts right? Each cell against a long reference and against itself.

    python -m benchmarks.agreement SUBJECT --methods FILE [--slowdown 0.5] [--seeds 3] [--long 100]
        [--busy] [--seconds 270] [--rounds 1] [--results FILE] [--session FILE]

Reference: the published rule without any early look, `--long` repetitions in each of two runs, on every cell
that is inside a timed loop. Agreement: the default's verdict is the reference's. False alarms: the
control of every such cell compared with itself, once a seed, in each of `--rounds`. Fidelity: realised ÷
requested of the cells that the default measured. All in one run, on one build, interleaved by the harness.
`--busy` does it beside a busy process on each core. Trials are kept in the session, and what comes of them in
RESULTS, which may hold many subjects: the same command goes on where `--seconds` ended it.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from abs_audit import config
from abs_audit.analyses.score.measure import profiler_of
from abs_audit.cli import methods_file
from abs_audit.execution.local import LocalExecutor
from abs_audit.experiment import asking, detection, dose, interleaved, protocol
from abs_audit.experiment.asking import Axes, Injection
from abs_audit.experiment.cell_profiles import CellProfiles
from abs_audit.experiment.detection import Answer, Run
from abs_audit.experiment.interleaved import Verdicts
from abs_audit.experiment.pair_evidence import Pair
from abs_audit.experiment.pairs import Design, settle
from abs_audit.experiment.preparation import Prepared, prepare
from abs_audit.experiment.profiler import Profiler
from abs_audit.experiment.projects import Project, open_projects
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.session import Session
from abs_audit.experiment.share import Share
from abs_audit.experiment.watch import BudgetEndedError, Watch
from abs_audit.model.explanation import Cause
from abs_audit.model.verdict import CellVerdict, FalseAlarms, Verdict
from abs_audit.stats.intervals import wilson

LONG = 5 * protocol.LOOKS[-1]
SPINNING = """
import os, sys
owner = os.getppid()
os.sched_setaffinity(0, {int(sys.argv[1])})
while os.getppid() == owner:
    sum(range(100_000))
"""
Results = dict[str, dict[str, Any]]
"""Subject, condition and slowdown → what was seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is measured, on what."""

    prepared: Prepared
    profiles: CellProfiles
    spec: Injection
    long: int
    """Repetitions of the reference in each run."""


def reference(asked: Asked) -> dict[tuple[str, str], CellVerdict]:
    """Return the long run's verdict on every reached cell."""

    def once(run: Run, threshold: float) -> Answer:
        return detection.full(run, threshold) if run.repetitions >= asked.long else Answer.CONTINUE

    pairs = _pairs(asked, [share for share in asked.profiles.shares.values() if share.share])
    # The first look has forks of its own, the rest may share some.
    looks = (protocol.LOOKS[0], asked.long)
    design = Design(name="reference", seed=asked.spec.seed, rule=once, looks=looks)
    decided = settle(asked.prepared.harness, asked.profiles.calibration.iteration_plans, pairs, design)
    verdicts = [decision.verdict for _, decision in decided]
    return {(verdict.method, verdict.benchmark): verdict for verdict in verdicts}


def against_itself(asked: Asked, seeds: int, number: int) -> FalseAlarms:
    """Return the alarms of a round, where the control of each cell is compared with itself so often."""
    pairs = []
    # Cells may have a control in common: compared once, since it is one measurement.
    every = _pairs(asked, asked.profiles.shares.values())
    for pair in {(pair.cell.benchmark, pair.control): pair for pair in every}.values():
        for seed in range(seeds):
            first, second = f"control, A{seed}", f"control, again {seed}"
            pairs.append(
                replace(
                    pair,
                    control=replace(pair.control, label=first),
                    mutant=replace(pair.control, label=second),
                )
            )
    design = Design(name=f"same {number}/{asked.spec.name}", seed=asked.spec.seed)
    plans = asked.profiles.calibration.iteration_plans
    verdicts = [
        decision.verdict.verdict for _, decision in settle(asked.prepared.harness, plans, pairs, design)
    ]
    return FalseAlarms(
        cells=len(verdicts) - verdicts.count(Verdict.NO_VERDICT), alarms=verdicts.count(Verdict.DETECTED)
    )


def _pairs(asked: Asked, shares: Iterable[Share]) -> list[Pair]:
    return asking.pairs_of(asked.profiles, list(shares), asked.spec)


def report_agreement(cells: Sequence[CellVerdict], truth: Mapping[tuple[str, str], CellVerdict]) -> None:
    """Print how often the default agrees, and each cell where it does not."""
    compared = [
        (cell, truth[cell.method, cell.benchmark])
        for cell in cells
        if (cell.method, cell.benchmark) in truth
        and Verdict.NO_VERDICT not in {cell.verdict, truth[cell.method, cell.benchmark].verdict}
    ]
    same = [cell for cell, true in compared if cell.verdict is true.verdict]
    low, high = wilson(len(same), len(compared))
    print(f"agreement: {len(same)} of {len(compared)} cells in a timed loop ({low:.3f}-{high:.3f})")
    for cell, true in compared:
        if cell.verdict is not true.verdict:
            print(
                f"  {cell.method} in {cell.benchmark}: share {cell.share:.2f}, {cell.verdict} "
                f"({cell.difference_mean}) but reference {true.verdict} ({true.difference_mean})"
            )


def report(name: str, entries: Sequence[Mapping[str, Any]]) -> None:
    """Print the false alarms, and the distribution of realised ÷ requested where a cell has a verdict."""
    rounds = [alarms for entry in entries for alarms in entry["rounds"].values()]
    cells, alarms = (sum(counted[kind] for counted in rounds) for kind in ("cells", "alarms"))
    print(f"{name}: {cells} cells against themselves, {alarms} alarms (below {wilson(alarms, cells)[1]:.4f})")
    seen = [cell for entry in entries for cell in entry["cells"] if cell["realised"] is not None]
    for kind in (Verdict.DETECTED, Verdict.MISSED, Verdict.NO_VERDICT):
        ratios = np.array([cell["realised"] for cell in seen if cell["verdict"] == kind])
        if ratios.size:
            inside = float(np.mean((ratios >= 0.9) & (ratios <= 1.1)))
            print(
                f"  {kind}: realised ÷ requested of {ratios.size} cells: median {np.median(ratios):.3f}, "
                f"inside .9-1.1 {inside:.2f}, at most {ratios.max():.2f}, "
                f"above {dose.MOST}: {np.count_nonzero(ratios > dose.MOST)}"
            )


def report_all(results: Results) -> None:
    """Print what all subjects show together, by condition and language."""
    for condition in ("quiet", "busy"):
        entries = [entry for entry in results.values() if entry["condition"] == condition]
        for language in sorted({entry["language"] for entry in entries}):
            report(f"{condition}, {language}", [entry for entry in entries if entry["language"] == language])
        if entries:
            report(f"{condition}, all of {len(entries)} subjects", entries)


@contextlib.contextmanager
def spinning(cores: Iterable[int]) -> Iterator[None]:
    """Keep cores busy, with a process on each."""
    busy = [subprocess.Popen([sys.executable, "-c", SPINNING, str(core)]) for core in cores]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def measure(project: Project, runtime: Runtime, options: argparse.Namespace, results: Results) -> None:
    """Measure what RESULTS does not hold of a project, as far as the time allows."""
    condition = "busy" if options.busy else "quiet"
    spec = Injection(
        slowdown=options.slowdown,
        threshold=options.slowdown / 2,
        delay_batch_ns=project.language.delay_batch_ns,
        floor_ns=project.language.floor_ns,
        seed=1,
        name=f"{condition} switched",
        settle_all=True,
    )
    entry = results.setdefault(
        f"{project.subject.name} {condition} {options.slowdown:g}",
        {"language": project.subject.language, "condition": condition, "cells": [], "rounds": {}},
    )
    with prepare(project, runtime, methods_file.read(options.methods).ids) as prepared:
        profiler = profiler_of(prepared)
        profiles = profiler.learn_all()
        if profiles.ended:
            raise BudgetEndedError
        asked = Asked(prepared=prepared, profiles=profiles, spec=spec, long=options.long)
        for number in range(1, options.rounds + 1):
            if str(number) not in entry["rounds"]:
                alarms = against_itself(asked, options.seeds, number)
                entry["rounds"][str(number)] = {"cells": alarms.cells, "alarms": alarms.alarms}
        verdicts = _verdicts(profiler, spec)
        _keep(entry, verdicts, options.slowdown)
        truth = reference(asked) if options.long else {}
    print(f"\n{project.subject.name} ({project.framework.suite.name}), slowdown {options.slowdown:g}")
    if truth:
        report_agreement([*verdicts.cells], truth)


def _verdicts(profiler: Profiler, spec: Injection) -> Verdicts:
    """Return the default's verdict on every cell; raise BudgetEndedError where one is left."""
    plan = profiler.plan
    axes = Axes(methods=plan.methods, benchmarks=plan.benchmarks)
    verdicts = interleaved.verdicts(profiler, axes, spec, lambda *_: None)
    if any(cell.cause is Cause.BUDGET for cell in verdicts.cells):
        raise BudgetEndedError
    return verdicts


def _keep(entry: dict[str, Any], verdicts: Verdicts, slowdown: float) -> None:
    entry["rounds"]["score"] = {"cells": verdicts.false_alarms.cells, "alarms": verdicts.false_alarms.alarms}
    entry["cells"] = [
        {
            "method": cell.method,
            "benchmark": cell.benchmark,
            "verdict": cell.verdict.value,
            "cause": cell.cause.value,
            "share": cell.share,
            "realised": None if cell.realised is None else cell.realised / slowdown,
        }
        for cell in verdicts.cells
        if cell.share is not None
    ]


def main() -> None:
    """Measure one subject and tell what all results hold."""
    options = _options()
    results: Results = json.loads(options.results.read_text()) if options.results.exists() else {}
    if options.subject is not None:
        settings, _ = config.load(options.subject, None, {})
        with contextlib.ExitStack() as stack:
            session = Session(options.session)
            stack.callback(session.close)
            stack.enter_context(spinning(sorted(os.sched_getaffinity(0)) if options.busy else []))
            runtime = Runtime(
                executor=LocalExecutor(() if options.cpus is None else (options.cpus,)),
                session=session,
                progress=lambda what, done, planned: print(
                    f"{what} {done:.0f}/{planned:.0f}", file=sys.stderr
                ),
                watch=Watch(options.seconds),
            )
            for project in open_projects(options.subject, settings):
                with contextlib.suppress(BudgetEndedError):
                    measure(project, runtime, options, results)
                options.results.write_text(json.dumps(results, indent=1))
    report_all(results)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("subject", type=Path, nargs="?", help="none: tell what RESULTS holds")
    parser.add_argument("--methods", type=Path)
    parser.add_argument("--slowdown", type=float, default=0.5)
    parser.add_argument("--cpus", type=int, default=None)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--busy", action="store_true", help="beside a busy process on each core")
    parser.add_argument(
        "--long", type=int, default=LONG, help="repetitions of the reference in each run; 0: none"
    )
    parser.add_argument("--session", type=Path, default=Path("agreement.db"))
    parser.add_argument("--results", type=Path, default=Path("agreement.json"))
    return parser.parse_args()


if __name__ == "__main__":
    main()
