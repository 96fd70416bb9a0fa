"""Is a Python method slowed by what was asked? Realised ÷ requested, against the control arm, in one run.

    python benchmarks/injection_fidelity.py [--cpus 1] [--repetitions 20]

A subject of two kinds of methods (arithmetic in a loop; building and sorting lists) is written to a
temporary folder, each kind in several lengths, each method with a benchmark that calls little else. Every
method is slowed by .2, .5 and 1; control and mutants are interleaved. Medians over repetitions.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from abs_audit import config
from abs_audit.analyses.score.measure import profiler_of
from abs_audit.execution.local import LocalExecutor
from abs_audit.experiment import detection, protocol
from abs_audit.experiment.asking import Injection, pairs_of
from abs_audit.experiment.pairs import Design, settle
from abs_audit.experiment.preparation import prepare
from abs_audit.experiment.projects import open_projects
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.session import Session

SLOWDOWNS = (0.2, 0.5, 1.0)
STEPS = (10, 40, 200, 1000, 10_000)
KINDS = {
    "chain": "def chain_{steps}(x: int) -> int:\n"
    "    for _ in range({steps}):\n        x = (x * 5 + 1) & 0xFFFF\n    return x\n",
    "lists": "def lists_{steps}(x: int) -> list[int]:\n"
    "    return sorted((x * n) % 97 for n in range({steps}))\n",
}


def write_subject(root: Path) -> list[str]:
    """Write the library and its suite; return the ids of its methods."""
    names = [f"{kind}_{steps}" for kind in KINDS for steps in STEPS]
    texts = [text.format(steps=steps) for text in KINDS.values() for steps in STEPS]
    (root / "pyproject.toml").write_text('[project]\nname = "lengths"\nversion = "1"\n')
    (root / "lengths.py").write_text("\n\n".join(texts))
    suite = "import lengths\n\n" + "\n".join(
        f"def test_{name}(benchmark):\n    benchmark(lengths.{name}, 7)\n" for name in names
    )
    (root / "test_lengths.py").write_text(suite)
    return [f"lengths.{name}" for name in names]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cpus", type=int, default=None)
    parser.add_argument("--repetitions", type=int, default=protocol.LOOKS[-1])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "lengths"
        root.mkdir()
        methods = write_subject(root)
        settings, _ = config.load(root, None, {"interpreter": sys.executable})
        session = Session(Path(folder) / "session.db")
        runtime = Runtime(
            executor=LocalExecutor(() if options.cpus is None else (options.cpus,)),
            session=session,
            progress=lambda what, done, planned: print(f"{what} {done:.0f}/{planned:.0f}", file=sys.stderr),
        )
        (project,) = open_projects(root, settings)
        with prepare(project, runtime, methods) as prepared:
            profiles = profiler_of(prepared).learn_all()
            print("| method | µs a call | share | " + " | ".join(f"δ = {one:g}" for one in SLOWDOWNS) + " |")
            print("|---|--:|--:|" + "--:|" * len(SLOWDOWNS))
            ratios: dict[str, list[float]] = {}
            for slowdown in SLOWDOWNS:
                spec = Injection(
                    slowdown=slowdown,
                    threshold=slowdown / 2,
                    delay_batch_ns=project.language.delay_batch_ns,
                    floor_ns=project.language.floor_ns,
                    seed=1,
                    name="fidelity",
                    settle_all=True,
                )
                own = [
                    one
                    for one in profiles.shares.values()
                    if one.benchmark.endswith(f"test_{one.method[8:]}")
                ]
                pairs = pairs_of(profiles, own, spec)
                design = Design(
                    name=f"fidelity/{slowdown:g}", seed=1, rule=detection.full, looks=(options.repetitions,)
                )
                for _, decision in settle(
                    prepared.harness, profiles.calibration.iteration_plans, pairs, design
                ):
                    verdict = decision.verdict
                    realised = float("nan") if verdict.realised is None else verdict.realised
                    ratios.setdefault(verdict.method, []).append(realised / slowdown)
        session.close()
        for share in own:
            once_us = 1e6 * share.control_s * share.share / share.calls
            cells = " | ".join(f"{one:.2f}" for one in ratios[share.method])
            print(f"| {share.method} | {once_us:.2f} | {share.share:.2f} | {cells} |")
        every = [one for each in ratios.values() for one in each]
        inside = sum(0.9 <= one <= 1.1 for one in every)
        print(f"\nmedian {statistics.median(every):.3f}; inside .9-1.1: {inside} of {len(every)}")


if __name__ == "__main__":
    main()
