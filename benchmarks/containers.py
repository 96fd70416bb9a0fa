"""What does a container cost: to start, and in the timings of CPU-bound code?

    python -m benchmarks.containers IMAGE [--cpu 1] [--rounds 15] [--interpreter /usr/bin/python3]

Local processes and containers take turns on the same CPU; compare with an interpreter of the same build as
the image's. Exits 1 where starting costs more than .3 s (median), or a median time per operation differs by
more than 3 %.
"""

import argparse
import json
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from statistics import median
from time import perf_counter

from abs_audit.execution.confinement import Limits
from abs_audit.execution.container import ContainerExecutor, Engine
from abs_audit.execution.local import LocalExecutor
from abs_audit.interfaces import Executor
from abs_audit.model.experiment import Command

LONGEST_START_S = 0.3
LARGEST_DIFFERENCE = 0.03
# Three operations that need nothing but the processor; prints the median time of each, in seconds.
WORK = """
import json, random, sys, time
numbers = random.Random(1).sample(range(10**6), 2000)
document = json.dumps({str(number): [number] * 3 for number in numbers})
def loop():
    total = 0
    for number in range(20000):
        total += number * number
def median_s(operation):
    times = []
    for _ in range(60):
        start = time.perf_counter()
        operation()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2]
print(json.dumps({"json": median_s(lambda: json.loads(document)), "loop": median_s(loop),
                  "sort": median_s(lambda: sorted(numbers))}))
"""


def command(folder: Path, *argv: str) -> Command:
    return Command(
        argv=argv, cwd=folder, env={}, limit_s=60.0, results=None, network=False, purpose="a benchmark"
    )


def worked(executor: Executor, folder: Path, interpreter: str) -> Mapping[str, float]:
    found: dict[str, float] = json.loads(executor.execute(command(folder, interpreter, "-c", WORK)).output)
    return found


def start_s(executor: Executor, folder: Path) -> float:
    begin = perf_counter()
    assert executor.execute(command(folder, "true")).exit_code == 0
    return perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("image")
    parser.add_argument("--cpu", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--interpreter", default="/usr/bin/python3", help="of this machine")
    options = parser.parse_args()
    local, starts = LocalExecutor((options.cpu,)), []
    pairs = []
    with closing(Engine()) as engine, tempfile.TemporaryDirectory() as name:
        contained = ContainerExecutor(engine, options.image, Limits(cpus=(options.cpu,), memory=2**30))
        for _ in range(options.rounds):
            starts.append(start_s(contained, Path(name)))
            here = worked(local, Path(name), options.interpreter)
            pairs.append((here, worked(contained, Path(name), "python3")))
    print(f"start to removal: median {median(starts):.3f} s, {min(starts):.3f} to {max(starts):.3f} s")
    ratios = {}
    for name in pairs[0][0]:
        local_s, contained_s = (median(pair[side][name] for pair in pairs) for side in (0, 1))
        ratios[name] = contained_s / local_s
        print(
            f"{name}: {local_s * 1e6:.1f} µs here, {contained_s * 1e6:.1f} µs in a container, "
            f"ratio {ratios[name]:.3f}"
        )
    if median(starts) > LONGEST_START_S:
        raise SystemExit("a container takes too long to start")
    if max(abs(ratio - 1) for ratio in ratios.values()) > LARGEST_DIFFERENCE:
        raise SystemExit("a container falsifies timings")


if __name__ == "__main__":
    main()
