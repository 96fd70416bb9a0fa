"""What does `compare` find, and what of it is false? Simulated and recorded noise, known changes.

    python -m benchmarks.comparison [TRIALS.npz] [--suites 200]

Suites of 600 benchmarks, five forks a side, each with noise of its own size; none, one or thirty of
them became a tenth slower. Three rules beside each other: benchstat's default (rank-sum test at .05,
each benchmark for itself), the same corrected for 600 benchmarks (Benjamini & Hochberg), and `compare`.
The file of recorded trials holds `names`, `offsets` and `values`; then every suite is a random choice of
its benchmarks and ten neighbouring trials of each, dealt to before and after at random. Exits 1 where
`compare` has a false discovery rate above .075 (.05 and four standard errors of 200 suites).
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from abs_audit.analyses.compare.model import Change
from abs_audit.analyses.compare.model import compare as compare_measured
from abs_audit.stats import rank_sum
from abs_audit.stats.multiplicity import benjamini_hochberg

BENCHMARKS, FORKS, SLOWER, ALPHA, MOST = 600, 5, 1.1, 0.05, 0.075
Draw = np.random.Generator


def lognormal(draw: Draw) -> np.ndarray:
    """Return (benchmarks, 2 · forks): half of the benchmarks vary by more than 1.5 %."""
    scale = np.exp(draw.normal(np.log(0.015), 0.8, (BENCHMARKS, 1)))
    return np.exp(scale * draw.standard_normal((BENCHMARKS, 2 * FORKS)))


def heavy(draw: Draw) -> np.ndarray:
    """Return the same with the tails of Student's t of three degrees of freedom."""
    scale = np.exp(draw.normal(np.log(0.01), 0.8, (BENCHMARKS, 1)))
    return np.exp(np.clip(scale * draw.standard_t(3, (BENCHMARKS, 2 * FORKS)), -2, 2))


def bimodal(draw: Draw) -> np.ndarray:
    """Return the same with a second mode, up to 30 % slower, for every third benchmark."""
    mode = np.where(draw.random((BENCHMARKS, 1)) < 0.3, draw.uniform(0.05, 0.3, (BENCHMARKS, 1)), 0.0)
    return np.asarray(lognormal(draw) ** 0.3 * (1 + mode * (draw.random((BENCHMARKS, 2 * FORKS)) < 0.3)))


def recorded(path: Path) -> Callable[[Draw], np.ndarray]:
    """Return what draws suites from recorded trials of one machine, a value a trial."""
    data = np.load(path)
    values = np.split(data["values"].astype(float), data["offsets"][1:-1])
    usable = [series for series in values if series.size >= 2 * FORKS and series.min() > 0]

    def drawn(draw: Draw) -> np.ndarray:
        chosen = draw.choice(len(usable), BENCHMARKS, replace=False)
        rows = []
        for series in (usable[place] for place in chosen):
            begin = draw.integers(0, series.size - 2 * FORKS + 1)
            # Neither a drift nor two benchmarks that take turns under one name are a change then.
            rows.append(draw.permutation(series[begin : begin + 2 * FORKS]))
        return np.array(rows)

    return drawn


def benchstat(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Tell which benchmarks differ for benchstat's default."""
    return rank_sum.p_values(before, after) < ALPHA


def corrected(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Tell which still do after the correction for their number."""
    return benjamini_hochberg(rank_sum.p_values(before, after)) < ALPHA


def ours(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Tell which benchmarks changed for `compare`."""
    first, second = (
        {str(row): [[v] for v in values] for row, values in enumerate(side.tolist())}
        for side in (before, after)
    )
    rows = compare_measured(first, second).benchmarks
    return np.array([row.change is not Change.UNCHANGED for row in rows])


RULES: Mapping[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "rank-sum test at .05": benchstat,
    "the same, corrected": corrected,
    "`compare`": ours,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trials", type=Path, nargs="?")
    parser.add_argument("--suites", type=int, default=200)
    options = parser.parse_args()
    kinds: dict[str, Callable[[Draw], np.ndarray]] = {
        "lognormal": lognormal,
        "heavy tails": heavy,
        "bimodal": bimodal,
    }
    if options.trials:
        kinds["recorded"] = recorded(options.trials)
    print("| noise | slower | rule | found | false discovery rate | suites with a false alarm |")
    print("|---|--:|---|--:|--:|--:|")
    rates = [
        tell(kind, slower, judged(noise, slower, options.suites))
        for kind, noise in kinds.items()
        for slower in (0, 1, 30)
    ]
    sys.exit(max(rates) > MOST)


def judged(noise: Callable[[Draw], np.ndarray], slower: int, suites: int) -> dict[str, np.ndarray]:
    """Return for each rule the mean power, false discovery rate and share of suites with a false alarm."""
    draw = np.random.default_rng(1)
    tally: dict[str, list[list[float]]] = {rule: [] for rule in RULES}
    for _ in range(suites):
        values = noise(draw)
        before, after = values[:, :FORKS], values[:, FORKS:].copy()
        after[:slower] *= SLOWER
        for rule, decide in RULES.items():
            changed = decide(before, after)
            power = changed[:slower].mean() if slower else np.nan
            false = int(changed[slower:].sum())
            tally[rule].append([power, false / max(1, changed.sum()), false > 0])
    return {rule: np.mean(rows, axis=0) for rule, rows in tally.items()}


def tell(kind: str, slower: int, means: Mapping[str, np.ndarray]) -> float:
    """Print a row a rule and return the false discovery rate of `compare`, the last one."""
    rate = 0.0
    for rule, (power, rate, alarmed) in means.items():
        found = f"{power:.0%}" if slower else "–"
        print(f"| {kind} | {slower} | {rule} | {found} | {rate:.1%} | {alarmed:.0%} |", flush=True)
    return float(rate)


if __name__ == "__main__":
    main()
