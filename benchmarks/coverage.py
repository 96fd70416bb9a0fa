"""Do the printed 95 % intervals hold what they say? Shares of simulated cases that they cover.

    python -m benchmarks.coverage [--cases 2000]

`compare`: noise between forks of three kinds, ten iterations a fork, 1 to 20 forks a side; nothing changed,
so an interval should hold the ratio 1. Beside it the hierarchical bootstrap of Kalibera & Jones 2013, §9.
Proportions (false alarms of `score`, precision and recall of `chart`): any true share.
`redundancy`, `detectable` and `stability` print none. Exits 1 where a share is outside 93 to 97.5 %.
"""

import argparse
import sys

import numpy as np
from scipy.stats import binom

from abs_audit.analyses.compare.model import compare
from abs_audit.stats.intervals import wilson

LEAST, MOST = 0.93, 0.975
FORKS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20)
ITERATIONS, WITHIN, BETWEEN, RESAMPLES = 10, 0.01, 0.05, 400
Draw = np.random.Generator


def between(kind: str, shape: tuple[int, ...], draw: Draw) -> np.ndarray:
    """Return the levels of forks: about 1, in one of two modes where bimodal."""
    if kind == "Gaussian":
        return 1 + BETWEEN * draw.standard_normal(shape)
    if kind == "lognormal":
        return np.exp(3 * BETWEEN * draw.standard_normal(shape))
    return np.where(draw.random(shape) < 0.3, 1.15, 1.0) * (1 + BETWEEN / 10 * draw.standard_normal(shape))


def side(kind: str, cases: int, forks: int, draw: Draw) -> np.ndarray:
    """Return (cases, forks, iterations)."""
    levels = between(kind, (cases, forks, 1), draw)
    return levels * (1 + WITHIN * draw.standard_normal((cases, forks, ITERATIONS)))


def printed(before: np.ndarray, after: np.ndarray) -> np.ndarray | None:
    """Return what `compare` prints: (cases, 2), None where it prints none."""
    names = [str(case) for case in range(len(before))]
    result = compare(
        dict(zip(names, before.tolist(), strict=True)), dict(zip(names, after.tolist(), strict=True))
    )
    ends = [benchmark.interval for benchmark in result.benchmarks if benchmark.interval]
    return np.array(ends) if ends else None


def bootstrapped(before: np.ndarray, after: np.ndarray, draw: Draw) -> np.ndarray:
    """Return the hierarchical bootstrap interval of the ratio of medians of fork medians: (cases, 2)."""
    medians = []
    for values in (before, after):
        forks, iterations = values.shape[1:]
        drawn = draw.integers(0, forks, (RESAMPLES, forks))
        within = draw.integers(0, iterations, (RESAMPLES, forks, iterations))
        resampled = values[:, drawn[:, :, np.newaxis], within]
        medians.append(np.median(np.median(resampled, axis=-1), axis=-1))
    return np.asarray(np.quantile(medians[1] / medians[0], (0.025, 0.975), axis=1).T)


def covers(ends: np.ndarray) -> float:
    """Return the share of intervals that hold the truth."""
    return float(((ends[:, 0] <= 1) & (ends[:, 1] >= 1)).mean())


def proportion(trials: int) -> float:
    """Return how often Wilson's interval holds the true share, in the mean over all true shares."""
    ends = np.array([wilson(successes, trials) for successes in range(trials + 1)])
    shares = np.linspace(0.001, 0.999, 999)
    held = (ends[:, :1] <= shares) & (shares <= ends[:, 1:])
    weights = binom.pmf(np.arange(trials + 1)[:, np.newaxis], trials, shares)
    return float((held * weights).sum(axis=0).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=2000)
    options = parser.parse_args()
    draw = np.random.default_rng(1)
    wrong = 0
    print("| noise between forks | forks a side | bootstrap | printed |\n|---|--:|--:|--:|")
    for kind in ("Gaussian", "lognormal", "bimodal"):
        for forks in FORKS:
            sides = [side(kind, options.cases, forks, draw) for _ in range(2)]
            before, after = (values[: options.cases // 4] for values in sides)
            ends = printed(*sides)
            share = None if ends is None else covers(ends)
            wrong += share is not None and not LEAST <= share <= MOST
            text = "none" if share is None else f"{share:.1%}"
            print(
                f"| {kind} | {forks} | {covers(bootstrapped(before, after, draw)):.1%} | {text} |", flush=True
            )
    print("\n| proportion of | Wilson |\n|--:|--:|")
    for trials in (5, 20, 100, 600):
        share = proportion(trials)
        wrong += not LEAST <= share <= MOST
        print(f"| {trials} | {share:.1%} |")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
