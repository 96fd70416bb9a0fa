"""Does a session with a million measurements open and render? Seconds and megabytes of `report --html`.

    python benchmarks/large_session.py [--benchmarks 2000] [--runs 50]

Writes trials of ten values for every benchmark and run, the stability record and a score of 20 methods on
all benchmarks into a session, then starts the program on it: once on `--version` (what starting costs),
once on `report`. Then it imports as many values into two sessions and compares them. Asked for: under 15 s
and under 1 GB each at 10 million values (--benchmarks 2000 --runs 500 --no-trials).
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from abs_audit import config
from abs_audit.analyses.score import model as scores
from abs_audit.analyses.score import record as scoring
from abs_audit.analyses.score.model import Cost, Evidence, ScoreSettings
from abs_audit.analyses.score.record import Request, ScoreRecord
from abs_audit.analyses.stability import measure as stability
from abs_audit.analyses.stability import model as spread
from abs_audit.analyses.stability.measure import StabilityRecord
from abs_audit.experiment.projects import Project, open_projects
from abs_audit.experiment.session import Session
from abs_audit.experiment.unslowed_runs import ITERATIONS, SuiteRuns
from abs_audit.formats.sample import SECONDS, Sample
from abs_audit.model.cells import Cells
from abs_audit.model.experiment import UNPROBED, Block, BlockKind, Step
from abs_audit.model.explanation import Cause, Explanation
from abs_audit.model.measurement import Status, Trial
from abs_audit.model.subject import Benchmark, Discovery
from abs_audit.model.verdict import CellVerdict, FalseAlarms, Verdict

CAUSES = (Cause.NOTICED, Cause.SHARE_TOO_SMALL, Cause.NOT_CALLED)
METHODS = 20
WATCHED = """
import atexit, re, sys, time
def told():
    peak = re.search("VmHWM:\\\\s+(\\\\d+)", open("/proc/self/status").read())[1]
    print(time.process_time(), peak, file=sys.stderr)
atexit.register(told)
from abs_audit.cli.main import main
main()
"""
"""The program, telling its processor time and peak at the end: that of its parent would count as its own."""


def measured(names: list[str], runs: int) -> SuiteRuns:
    """Return plausible values: log-normal, a few per cent of noise, run to run and within."""
    draw = np.random.default_rng(1)
    levels = draw.lognormal(-12, 2, len(names))
    noise = np.exp(draw.normal(0, 0.02, (len(names), runs, 1)) + draw.normal(0, 0.01, (len(names), runs, 10)))
    values = levels[:, None, None] * noise[..., :ITERATIONS]
    return SuiteRuns(
        values={name: tuple(map(tuple, one.tolist())) for name, one in zip(names, values, strict=True)},
        durations=dict.fromkeys(names, 1.0),
    )


def record_trials(session: Session, context: str, runs: SuiteRuns) -> None:
    """Record every run of every benchmark as the harness would."""
    for name, values in runs.values.items():
        for number, run in enumerate(values):
            step = Step(arm=UNPROBED, invocations=1, target_s=0.02, iterations=ITERATIONS, warmup=0)
            block = Block(
                id=f"runs/1/{number}/{name}",
                benchmark=name,
                steps=(step,),
                limit_s=60.0,
                kind=BlockKind.UNSLOWED,
            )
            session.record(
                context,
                block,
                Trial(
                    block=block.id,
                    position=0,
                    status=Status.OK,
                    reason="",
                    invocations=1,
                    values=run,
                    tally=None,
                    wall_s=0.2,
                ),
            )


def record_results(session: Session, project: Project, runs: SuiteRuns) -> None:
    """Store a stability record and a score of every method on every benchmark."""
    names = list(runs.values)
    stable = spread.stability(runs.values)
    listing = Discovery(benchmarks=tuple(Benchmark(id=name, parameters={}) for name in names), broken=())
    session.store(
        project.digest, stability.KIND, StabilityRecord(discovery=listing, runs=runs, result=stable)
    )
    methods = tuple(f"library.Type.method_{number}" for number in range(METHODS))
    verdicts = (Verdict.DETECTED, Verdict.MISSED, Verdict.UNREACHED)
    cells = Cells.of(
        CellVerdict(
            method=method,
            benchmark=name,
            verdict=verdicts[(row + column) % 3],
            explanation=Explanation(cause=CAUSES[(row + column) % 3]),
            share=0.5,
            requested=0.5,
            realised=0.5,
            difference_mean=0.25,
            difference_median=0.25,
            p_values=(0.001, 0.001),
            repetitions=(20, 20),
        )
        for row, method in enumerate(methods)
        for column, name in enumerate(names)
    )
    evidence = Evidence(
        methods=methods,
        cells=cells,
        skipped=(),
        spreads={benchmark.benchmark: benchmark.max_spread for benchmark in stable.benchmarks},
    )
    score_settings = ScoreSettings(
        protocol="switched",
        slowdown=0.5,
        runs=2,
        false_alarms=FalseAlarms(cells=100, alarms=0),
        cost=Cost(total_s=1.0, benchmark_s=1.0, build_s=1.0, paper_protocol_s=1.0),
    )
    request = Request(methods=methods, source="", slowdown=0.5, protocol="switched", settle_all=True)
    session.store(
        project.digest,
        scoring.KIND,
        ScoreRecord(
            request=request,
            context="",
            trials=0,
            shares={},
            identity=scoring.identity(project),
            evidence=evidence,
            result=scores.score(evidence, score_settings),
        ),
    )


def import_samples(path: Path, runs: SuiteRuns, number: int) -> None:
    """Write a session as `import` does: a fork a run."""
    session = Session(path)
    session.add_samples(
        f"side {number}",
        (
            Sample(
                benchmark=name,
                instance="1",
                trial="1",
                fork=str(fork),
                values=run[:: 1 - 2 * number],
                unit=SECONDS,
            )
            for name, values in runs.values.items()
            for fork, run in enumerate(values)
        ),
    )
    session.close()


def started(*arguments: str) -> str:
    """Return what the program takes on some arguments, a fresh process each time."""
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    cpu_s, peak_kb = map(float, done.stderr.splitlines()[-1].split())
    return f"{time.monotonic() - begun:.1f} s, {cpu_s:.1f} s of processor time, {peak_kb / 1024:.0f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--benchmarks", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--no-trials", dest="trials", action="store_false", help="results only")
    options = parser.parse_args()
    names = [f"bench/test_all.py::test_number[{number}]" for number in range(options.benchmarks)]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "subject"
        root.mkdir()
        (root / "library.py").write_text("def f():\n    return 1\n")
        (root / "test_it.py").write_text("def test_it(benchmark):\n    benchmark(len, 'a')\n")
        (project,) = open_projects(root, config.load(root, None, {})[0])
        path, page = Path(folder) / "session.db", Path(folder) / "page.html"
        session = Session(path)
        runs = measured(names, options.runs)
        begun = time.monotonic()
        if options.trials:
            record_trials(session, project.digest, runs)
        recording_s = time.monotonic() - begun
        record_results(session, project, runs)
        session.close()
        count = options.benchmarks * options.runs
        print(f"{count * ITERATIONS} values in {count} trials, {path.stat().st_size / 2**20:.0f} MB")
        if options.trials:
            print(f"recording: {1e3 * recording_s / count:.2f} ms a trial, each a transaction of its own")
        print(f"start alone: {started('--version')}")
        rendering = started("report", str(root), "--session", str(path), "--html", str(page))
        print(f"report --html: {rendering}")
        sides = [Path(folder) / name for name in ("before.db", "after.db")]
        for number, side in enumerate(sides):
            import_samples(side, runs, number)
        comparing = started("compare", *map(str, sides), "--json")
        print(f"compare: {comparing}")
        print(f"page: {page.stat().st_size / 2**20:.2f} MB")


if __name__ == "__main__":
    main()
