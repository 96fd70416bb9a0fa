"""False alarms and power of `compare` on recorded trials: real noise, known answer.

    python benchmarks/comparison.py trials.npz [--trials 20] [--limit 500]

The file holds `names`, `offsets` and `values`. Before: the first trials of a benchmark; after: the next
ones, as they are (A/A: every change is false) or slowed by a known factor. "interleaved" takes every other
trial instead, which takes drift out. Trials are the unit; there is one value in each.
"""

import argparse
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from abs_audit.analyses.compare.model import Change, ComparisonSettings, Correction, compare
from abs_audit.stats.intervals import wilson

Trials = Mapping[str, np.ndarray]


def load(path: Path, shortest: int, limit: int, seed: int) -> Trials:
    """Return at most `limit` benchmarks with enough trials, all above 0, drawn at random."""
    data = np.load(path)
    values = np.split(data["values"].astype(float), data["offsets"][1:-1])
    usable = [i for i, one in enumerate(values) if one.size >= shortest and one.min() > 0]
    draw = np.random.default_rng(seed)
    chosen = sorted(draw.choice(usable, size=min(limit, len(usable)), replace=False).tolist())
    return {f"{i} {data['names'][i]}": values[i] for i in chosen}


def sides(trials: Trials, count: int, *, interleaved: bool) -> tuple[Trials, Trials]:
    """Return the trials before and after."""
    if interleaved:
        return (
            {k: v[: 2 * count : 2] for k, v in trials.items()},
            {k: v[1 : 2 * count : 2] for k, v in trials.items()},
        )
    return {k: v[:count] for k, v in trials.items()}, {k: v[count : 2 * count] for k, v in trials.items()}


def forks(trials: Trials, factor: float) -> dict[str, list[list[float]]]:
    """Return each trial as a fork of one value."""
    return {name: [[factor * value] for value in values.tolist()] for name, values in trials.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--limit", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    trials = load(options.data, 2 * options.trials, options.limit, options.seed)
    print(f"{len(trials)} benchmarks, {options.trials} trials a side\n")
    print(
        "| order | slowdown | correction | own noise | slower | faster | seconds |\n"
        "|---|---|---|---|---|---|---|"
    )
    for interleaved in (True, False):
        before, after = sides(trials, options.trials, interleaved=interleaved)
        for factor in (1.0, 1.02, 1.05, 1.1):
            for correction in (Correction.NONE, Correction.BENJAMINI_HOCHBERG, Correction.HOLM):
                for calibrated in (False, True):
                    settings = ComparisonSettings(correction=correction, calibrated=calibrated)
                    started = time.perf_counter()
                    found = compare(forks(before, 1.0), forks(after, factor), settings)
                    took = time.perf_counter() - started
                    shares = []
                    for change in (Change.SLOWER, Change.FASTER):
                        hits = sum(one.change is change for one in found.benchmarks)
                        low, high = wilson(hits, len(trials))
                        shares.append(f"{hits / len(trials):.3f} ({low:.3f}–{high:.3f})")
                    order = "interleaved" if interleaved else "one after the other"
                    print(
                        f"| {order} | {factor - 1:.0%} | {correction} | {'asked' if calibrated else '–'} "
                        f"| {' | '.join(shares)} | {took:.2f} |",
                        flush=True,
                    )
        print(
            f"A/A checks within the sides: {found.alarms} of {found.halves} alarm",
            *found.warnings,
            sep="\n- ",
        )


if __name__ == "__main__":
    main()
