"""Speed of the bootstrap, as ratios within one run: resampling against short cuts, and against `pa`.

    python benchmarks/bootstrap.py [--pa PATH/TO/pa] [--series 586] [--values 100] [--json out.json]

`pa` (github.com/chrstphlbr/pa) is built by hand with `go build`. Its time includes starting and reading its
CSV, as a user sees it; ours starts from arrays. It computes one median a benchmark, we four percentiles.
"""

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from abs_audit.stats.bootstrap import Resampling, percentile_intervals

PERCENTILES = (0.25, 0.5, 0.75, 0.9)
LITERAL_SERIES = 6  # the literal loop is timed on these and extrapolated


def literal(series: np.ndarray, resamples: int) -> np.ndarray:
    """Return the intervals from a loop that draws each resample and takes its percentiles."""
    draw = np.random.default_rng(1)
    result = []
    for values in series:
        found = [np.quantile(draw.choice(values, values.size), PERCENTILES) for _ in range(resamples)]
        result.append(np.quantile(found, (0.025, 0.975), axis=0).T)
    return np.array(result)


def resampled(series: np.ndarray, resamples: int) -> np.ndarray:
    """Return the intervals from resamples drawn as one table a series."""
    draw = np.random.default_rng(1)
    result = []
    for values in series:
        table = values[draw.integers(0, values.size, (resamples, values.size))]
        result.append(np.quantile(np.quantile(table, PERCENTILES, axis=1), (0.025, 0.975), axis=1).T)
    return np.array(result)


def csv(series: np.ndarray, path: Path) -> Path:
    """Write the input of pa: ten forks a benchmark, one value an iteration, sorted by benchmark."""
    lines = []
    for i, values in enumerate(series):
        for k, value in enumerate(values):
            fork, iteration = divmod(k, values.size // 10)
            lines.append(f"p;c;b{i:05d};;i;1;{fork};{iteration};avgt;ns/op;1;{value:.6f}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def timed(work: Callable[[], object], times: int = 3) -> float:
    """Return the fastest of some repetitions, in seconds."""
    best = float("inf")
    for _ in range(times):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best


def pa_times(program: Path, series: np.ndarray, other: np.ndarray, resamples: int) -> dict[str, float]:
    """Return the times of pa for one and for two versions."""
    with tempfile.TemporaryDirectory() as folder:
        one, two = csv(series, Path(folder, "one.csv")), csv(other, Path(folder, "two.csv"))
        base = [str(program), "-bs", str(resamples), "-st", "median", "-sl", "0.05"]

        def run(*files: Path) -> None:
            subprocess.run([*base, *map(str, files)], check=True, stdout=subprocess.DEVNULL)

        return {
            "pa, one version, median": timed(lambda: run(one), 1),
            "pa, two versions, median": timed(lambda: run(one, two), 1),
        }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pa", type=Path, help="the program to compare with")
    parser.add_argument("--series", type=int, default=586)
    parser.add_argument("--values", type=int, default=100)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    draw = np.random.default_rng(7)
    series, other = 100 + draw.gamma(3.0, size=(2, options.series, options.values))
    plan = Resampling(resamples=options.resamples)
    scale = options.series / LITERAL_SERIES
    times = {
        "literal loop (extrapolated)": scale
        * timed(lambda: literal(series[:LITERAL_SERIES], plan.resamples), 1),
        "one table a series": timed(lambda: resampled(series, plan.resamples), 1),
        "Beta draws": timed(lambda: percentile_intervals(series, PERCENTILES, plan, draw)),
    }
    if options.pa:
        times |= pa_times(options.pa, series, other, plan.resamples)
    drawn = percentile_intervals(series, PERCENTILES, plan, draw)
    differences = np.abs(drawn / resampled(series, plan.resamples) - 1)
    print(f"{options.series} series × {options.values} values × {plan.resamples} resamples, 4 percentiles\n")
    print("| work | seconds | × Beta draws |\n|---|---|---|")
    for name, seconds in times.items():
        print(f"| {name} | {seconds:.4f} | {seconds / times['Beta draws']:.1f} |")
    print(
        f"\ninterval ends, draws against resampling: median {np.median(differences):.1e}, "
        f"largest {differences.max():.1e}"
    )
    if options.json:
        options.json.write_text(json.dumps(times, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
