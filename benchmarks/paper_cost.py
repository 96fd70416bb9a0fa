"""What does the 2018 protocol cost beside the default one? Its trials measured on a sample, then scaled.

    python benchmarks/paper_cost.py SUBJECT --methods methods.json [--sample 6] [--slowdown 0.5] [--cpus 1]

The whole default protocol is executed, and `sample` trials of the paper's (20 iterations of 1 s of one
benchmark under one arm, benchmarks and arms drawn at random), all in one run on one build. The paper's
whole cost, 2 · (methods + 1) suite runs, is the mean of the sample times the number of its trials.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from abs_audit import config
from abs_audit.analyses.score import measure as scoring
from abs_audit.analyses.score.record import Request
from abs_audit.execution.local import LocalExecutor
from abs_audit.experiment import study_2018
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.preparation import prepare
from abs_audit.experiment.projects import open_projects
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.session import Session
from abs_audit.model.experiment import UNPROBED, Command, Execution
from abs_audit.model.measurement import Status

LIMIT_S = 90.0


class Watched(LocalExecutor):
    """Adds up how long commands of the subject are under way: the rest of the wall time is ours."""

    under_way_s = 0.0

    def execute(self, command: Command, on_line: Callable[[str], None] | None = None) -> Execution:
        """Execute as always."""
        begun = time.monotonic()
        try:
            return super().execute(command, on_line)
        finally:
            self.under_way_s += time.monotonic() - begun


def as_in_the_paper(iteration_plan: IterationPlan) -> IterationPlan:
    """Return the iteration plan of iterations of a second, or of one invocation where that is longer."""
    once_s = iteration_plan.iteration_s / iteration_plan.invocations
    count = max(1, round(study_2018.ITERATION_S / once_s))
    overhead_s = max(0.0, iteration_plan.wall_s - iteration_plan.iteration_s)
    return replace(
        iteration_plan, invocations=count, iteration_s=count * once_s, wall_s=count * once_s + overhead_s
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("subject", type=Path)
    parser.add_argument("--methods", type=Path, required=True)
    parser.add_argument("--slowdown", type=float, default=0.5)
    parser.add_argument("--sample", type=int, default=6)
    parser.add_argument("--cpus", type=int, default=None)
    options = parser.parse_args()
    methods = tuple(one["method"] for one in json.loads(options.methods.read_text())["methods"])
    executor = Watched(() if options.cpus is None else (options.cpus,))
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Path(folder) / "session.db")
        runtime = Runtime(
            executor=executor,
            session=session,
            progress=lambda what, done, planned: print(f"{what} {done:.0f}/{planned:.0f}", file=sys.stderr),
        )
        (project,) = open_projects(
            options.subject, config.load(options.subject, None, {"timeout_s": LIMIT_S})[0]
        )
        request = Request(
            methods=methods,
            source=str(options.methods),
            slowdown=options.slowdown,
            protocol="switched",
            settle_all=True,
        )
        begun = time.monotonic()
        record = scoring.measure(project, runtime, request)
        harness = 1 - executor.under_way_s / (time.monotonic() - begun)
        cost = record.result.cost
        with prepare(project, runtime, methods) as prepared:
            profiles = scoring.profiler_of(prepared).learn_all()
            iteration_plans = {
                name: as_in_the_paper(one) for name, one in profiles.calibration.iteration_plans.items()
            }
            drawn = random.Random(1).choices(sorted(iteration_plans), k=options.sample)
            blocks = [
                iteration_plans[name].block(
                    prepared.harness, f"paper/{number}/{name}", [UNPROBED], study_2018.ITERATIONS
                )
                for number, name in enumerate(drawn)
            ]
            begun = time.monotonic()
            trials = [
                trial
                for each in prepared.harness.perform(blocks, "sample of the paper").values()
                for trial in each
            ]
            sampled_s = time.monotonic() - begun
        session.close()
    # A trial that its set-up keeps from ending counts as what it should measure: that flatters the paper.
    nominal_s = study_2018.ITERATIONS * study_2018.ITERATION_S
    ended = [trial for trial in trials if trial.status is Status.OK]
    busy_s = statistics.mean(
        [sum(trial.values) * trial.invocations for trial in ended] + [nominal_s] * (len(trials) - len(ended))
    )
    wall_s = sampled_s / len(trials)
    number = 2 * (len(methods) + 1) * len(iteration_plans)
    print(
        f"default: {cost.total_s:.0f} s wall, {cost.benchmark_s:.0f} benchmark-seconds, "
        f"{record.trials} trials"
    )
    print(f"harness: {harness:.3f} of the wall time of stability and score, with no command of the subject")
    print(
        f"paper: a trial takes {busy_s:.1f} benchmark-seconds, {wall_s:.1f} s wall (mean of {len(trials)}, "
        f"{len(trials) - len(ended)} of them cut off at {LIMIT_S:g} s)"
    )
    print(
        f"paper, scaled to {number} trials: {number * busy_s:.0f} benchmark-seconds, "
        f"{number * wall_s / 3600:.1f} h wall"
    )
    print(f"ratio of benchmark-seconds 1/{number * busy_s / cost.benchmark_s:.0f}, ", end="")
    print(f"of wall time 1/{number * wall_s / cost.total_s:.0f}")


if __name__ == "__main__":
    main()
