"""Are the default protocol's verdicts right? Each cell against a long reference and against itself.

    python benchmarks/agreement.py SUBJECT --methods methods.json [--slowdown 0.5] [--cpus 1] [--seeds 3]

Reference: the published rule without any early look, `--long` repetitions in each of two runs, on every cell
that is inside a timed loop. Agreement: the default's verdict is the reference's. False alarms: the
control of every such cell compared with itself, once a seed. Fidelity: realised ÷ (δ · share) of the cells
that the default measured. All in one run, on one build, interleaved by the harness.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from abs_audit import config
from abs_audit.analyses.score.measure import profiler_of
from abs_audit.execution.local import LocalExecutor
from abs_audit.experiment import detection, interleaved
from abs_audit.experiment.cell_profiles import CellProfiles
from abs_audit.experiment.detection import Answer, Decision, Run
from abs_audit.experiment.interleaved import Axes, Injection
from abs_audit.experiment.pairs import Design, Pair, settle
from abs_audit.experiment.preparation import Prepared, Runtime, open_projects, prepare
from abs_audit.experiment.profile import Share
from abs_audit.experiment.session import Session
from abs_audit.model.verdict import CellVerdict, Verdict
from abs_audit.stats.intervals import wilson

LONG = 5 * detection.LOOKS[-1]


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
    looks = (detection.LOOKS[0], asked.long)
    design = Design(name="reference", seed=asked.spec.seed, rule=once, looks=looks)
    decided = settle(asked.prepared.harness, asked.profiles.calibration.iteration_plans, pairs, design)
    return {(one.verdict.method, one.verdict.benchmark): one.verdict for _, one in decided}


def against_itself(asked: Asked, seeds: int) -> list[Decision]:
    """Return what the default says where control is compared with control, so often for each control."""
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
    design = Design(name="same", seed=asked.spec.seed)
    return [
        one
        for _, one in settle(
            asked.prepared.harness, asked.profiles.calibration.iteration_plans, pairs, design
        )
    ]


def _pairs(asked: Asked, shares: Iterable[Share]) -> list[Pair]:
    return interleaved.pairs_of(asked.profiles, list(shares), asked.spec)


def report_agreement(found: Sequence[CellVerdict], truth: dict[tuple[str, str], CellVerdict]) -> None:
    """Print how often the default agrees, and each cell where it does not."""
    compared = [
        (one, truth[one.method, one.benchmark])
        for one in found
        if (one.method, one.benchmark) in truth
        and Verdict.NO_VERDICT not in {one.verdict, truth[one.method, one.benchmark].verdict}
    ]
    same = [one for one, other in compared if one.verdict is other.verdict]
    low, high = wilson(len(same), len(compared))
    print(f"agreement: {len(same)} of {len(compared)} cells in a timed loop ({low:.3f}-{high:.3f})")
    for one, other in compared:
        if one.verdict is not other.verdict:
            print(
                f"  {one.method} in {one.benchmark}: share {one.share:.2f}, {one.verdict} "
                f"({one.difference_mean}) but reference {other.verdict} ({other.difference_mean})"
            )


def report_fidelity(name: str, cells: Sequence[CellVerdict], slowdown: float) -> None:
    """Print the distribution of realised ÷ requested."""
    ratios = np.array([one.realised / slowdown for one in cells if one.realised is not None])
    if ratios.size:
        inside = float(np.mean((ratios >= 0.9) & (ratios <= 1.1)))
        print(f"{name}: {ratios.size} cells, median {np.median(ratios):.3f}, inside .9-1.1: {inside:.2f}")


def report_alarms(decided: Sequence[Decision]) -> None:
    """Print the false alarms."""
    judged = [one for one in decided if one.verdict.verdict is not Verdict.NO_VERDICT]
    means = sum(one.verdict.verdict is Verdict.DETECTED for one in judged)
    high = wilson(means, len(judged))[1]
    print(f"false alarms in {len(judged)} cells: {means} (upper bound {high:.3f})")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("subject", type=Path)
    parser.add_argument("--methods", type=Path, required=True)
    parser.add_argument("--slowdown", type=float, default=0.5)
    parser.add_argument("--cpus", type=int, default=None)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--long", type=int, default=LONG, help="repetitions of the reference in each run; 0: none"
    )
    parser.add_argument("--session", type=Path, default=Path("agreement.db"))
    options = parser.parse_args()
    methods = [one["method"] for one in json.loads(options.methods.read_text())["methods"]]
    settings, _ = config.load(options.subject, None, {})
    session = Session(options.session)
    runtime = Runtime(
        executor=LocalExecutor(() if options.cpus is None else (options.cpus,)),
        session=session,
        progress=lambda what, done, planned: print(f"{what} {done:.0f}/{planned:.0f}", file=sys.stderr),
    )
    for project in open_projects(options.subject, settings):
        spec = Injection(
            slowdown=options.slowdown,
            threshold=options.slowdown / 2,
            delay_batch_ns=project.language.delay_batch_ns,
            floor_ns=project.language.floor_ns,
            seed=1,
            name="switched",
            settle_all=True,
        )
        with prepare(project, runtime, methods) as prepared:
            profiler = profiler_of(prepared)
            profiles = profiler.learn_all()
            asked = Asked(prepared=prepared, profiles=profiles, spec=spec, long=options.long)
            axes = Axes(methods=prepared.patch.instrumented, benchmarks=prepared.benchmarks)
            found = interleaved.verdicts(profiler, axes, spec, lambda *_: None)
            truth = reference(asked) if options.long else {}
            alarms = against_itself(asked, options.seeds)
        print(f"\n{project.subject.name} ({project.framework.suite.name}), slowdown {options.slowdown:g}")
        if truth:
            report_agreement(found.cells, truth)
        report_fidelity("default", found.cells, options.slowdown)
        report_fidelity("reference", list(truth.values()), options.slowdown)
        report_alarms(alarms)
    session.close()


if __name__ == "__main__":
    main()
