"""Are our rank-sum decisions benchstat's, and how fast are they? Both from the text of `go test -bench`.

    go install golang.org/x/perf/cmd/benchstat@latest
    python -m benchmarks.benchstat FILE.npz [--benchstat benchstat] [--pairs 500] [--repeat 5]

The file holds names, offsets and values (trials of one benchmark after the other, ns/op); the first half of a
benchmark's trials is compared with the last. benchstat is a process, so its start counts for it, and ours
is timed inside one: reading both files and testing all pairs. Exits 1 where a decision at .05 differs, or
where ours is not at least 5 times as fast.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

from abs_audit.formats import go_results
from abs_audit.stats import rank_sum
from benchmarks.go_trials import first_trials

ALPHA = 0.05
LEAST_RATIO = 5.0


def best_s(work: Callable[[], object], repeat: int) -> float:
    """Return the shortest duration: what the machine can do when nothing else disturbs it."""
    durations = []
    for _ in range(repeat):
        begin = perf_counter()
        work()
        durations.append(perf_counter() - begin)
    return min(durations)


def write(path: Path, values: np.ndarray) -> None:
    """Write (benchmarks, trials) as the Go tool prints them."""
    lines = ["goos: linux", "goarch: amd64", "pkg: example.com/trials"]
    lines += [
        f"BenchmarkNumber{number}\t1000\t{value!r} ns/op"
        for number, row in enumerate(values.tolist())
        for value in row
    ]
    path.write_text("\n".join([*lines, "PASS", ""]))


def ours(before: Path, after: Path) -> dict[str, float]:
    """Return benchmark → p."""
    sides: list[dict[str, list[float]]] = []
    for path in (before, after):
        found: dict[str, list[float]] = {}
        for sample in go_results.read(path):
            found.setdefault(sample.benchmark, []).extend(sample.values)
        sides.append(found)
    names = list(sides[0])
    p = rank_sum.p_values([sides[0][name] for name in names], [sides[1][name] for name in names])
    return dict(zip((name.rpartition("Benchmark")[2] for name in names), p.tolist(), strict=True))


def theirs(program: str, before: Path, after: Path) -> dict[str, bool]:
    """Return benchmark → whether benchstat sees a difference: it prints a percentage, else `~`."""
    done = subprocess.run(
        [program, "-format", "csv", "-alpha", str(ALPHA), str(before), str(after)],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [row for row in csv.reader(done.stdout.splitlines()) if row and row[0].startswith("Number")]
    return {row[0]: row[5] != "~" for row in rows}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trials", type=Path)
    parser.add_argument("--benchstat", default="benchstat")
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    trials = first_trials(options.trials)[: options.pairs]
    half = trials.shape[1] // 2
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "before.txt", Path(folder) / "after.txt"
        write(before, trials[:, :half])
        write(after, trials[:, half:])
        known = theirs(options.benchstat, before, after)
        found = {name: p < ALPHA for name, p in ours(before, after).items()}
        their_s = best_s(lambda: theirs(options.benchstat, before, after), options.repeat)
        our_s = best_s(lambda: ours(before, after), options.repeat)
    differing = sorted(name for name in known | found if known.get(name) != found.get(name))
    print(f"{len(known)} pairs, {sum(known.values())} different at {ALPHA}; other decisions: {differing}")
    print(f"benchstat ÷ ours, reading included: {their_s / our_s:.1f}")
    if differing or their_s / our_s < LEAST_RATIO:
        sys.exit(1)


if __name__ == "__main__":
    main()
