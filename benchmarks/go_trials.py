"""Do rank-sum test, spread and slowdown give the known figures on 3,352 real Go benchmarks?

    python -m benchmarks.go_trials FILE.npz

The file holds names, offsets and values (trials of one benchmark after the other, ns/op). Used are the first
30 trials of every benchmark that has 30, all of them positive. Every figure is deterministic; exits 1 where
one differs from what was found independently on the same file.
"""

import argparse
from itertools import pairwise
from pathlib import Path

import numpy as np

from abs_audit.analyses.stability.model import stability
from abs_audit.stats import rank_sum
from abs_audit.stats.summary import rsd

TRIALS = 30
EXPECTED = {
    "benchmarks": 3352,
    "A/A, first against last half: p < .05, p < .01": (131, 23),
    "A/A, even against odd trials: p < .05, p < .01": (162, 35),
    "maxSpread buckets of 5 runs of 6 trials": (3208, 65, 32, 10, 37),
    "maxSpread: quartiles and 95th percentile": (0.0011, 0.0028, 0.0069, 0.0431),
    "slowdown": 0.0858,
    "RSD: quartiles and 95th percentile": (0.00131, 0.00312, 0.00737, 0.0502),
}
QUANTILES = (25, 50, 75, 95)


def first_trials(path: Path) -> np.ndarray:
    """Return (benchmarks, trials)."""
    with np.load(path) as data:
        offsets, values = data["offsets"], data["values"].astype(float)
    starts = [
        start
        for start, end in pairwise(offsets)
        if end - start >= TRIALS and (values[start : start + TRIALS] > 0).all()
    ]
    return np.array([values[start : start + TRIALS] for start in starts])


def alarms(first: np.ndarray, second: np.ndarray) -> tuple[int, int]:
    p = rank_sum.asymptotic(first, second)
    return int((p < 0.05).sum()), int((p < 0.01).sum())


def figures(trials: np.ndarray) -> dict[str, object]:
    suite = stability({str(i): row.reshape(5, 6).tolist() for i, row in enumerate(trials)})
    spreads = [one.max_spread for one in suite.benchmarks if one.max_spread is not None]
    spread = tuple(round(float(q), 4) for q in np.percentile(spreads, QUANTILES))
    inner = np.percentile([rsd(row) for row in trials], QUANTILES)
    half = TRIALS // 2
    found = (
        len(trials),
        alarms(trials[:, :half], trials[:, half:]),
        alarms(trials[:, ::2], trials[:, 1::2]),
        suite.buckets,
        spread,
        None if suite.slowdown is None else round(suite.slowdown, 4),
        (*(round(float(q), 5) for q in inner[:3]), round(float(inner[3]), 4)),
    )
    return dict(zip(EXPECTED, found, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    found = figures(first_trials(parser.parse_args().file))
    for name, value in found.items():
        print(f"{name}: {value}" + ("" if value == EXPECTED[name] else f"   expected {EXPECTED[name]}"))
    if found != EXPECTED:
        raise SystemExit("a figure differs from the known one")


if __name__ == "__main__":
    main()
