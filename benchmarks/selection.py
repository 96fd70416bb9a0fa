"""How near does greedy come to the exact choice of a smoke subset, and how long does each take?

    python -m benchmarks.selection [--limit 60]

Two kinds of suite: "structured" (few methods watched by many benchmarks, most by few, as in Figure 3 of
Laaber & Leitner 2018) and "uniform" (each benchmark notices each method with a probability of 2 %).
Exits 1 where greedy keeps less than 95 % of the exact optimum of a structured suite.
"""

import argparse
from time import perf_counter

import numpy as np
from scipy.sparse import csr_array

from abs_audit.stats import cover

LEAST_SHARE = 0.95
CASES = (
    ("structured", 100, 20, 0.02),
    ("structured", 100, 20, 0.1),
    ("uniform", 100, 20, 0.1),
    ("structured", 1000, 200, 600.0),
    ("structured", 1000, 200, 1800.0),
    ("uniform", 1000, 200, 1800.0),
    ("structured", 5000, 200, 1800.0),
)
"""Kind, benchmarks, methods, budget: seconds, or the share of the whole suite where below 1."""


def instance(kind: str, benchmarks: int, methods: int) -> csr_array:
    draw = np.random.default_rng([8, benchmarks, methods])
    # Popularity falls like 1/rank, from a third of the benchmarks down to a few.
    odds = (1 / 3) / np.arange(1, methods + 1) if kind == "structured" else np.full(methods, 0.02)
    return csr_array((draw.random((benchmarks, methods)) < odds).astype(float))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for the exact solver")
    options = parser.parse_args()
    print("suite                     budget    greedy       exact   greedy ÷ exact      gap")
    low = []
    for kind, benchmarks, methods, size in CASES:
        watches = instance(kind, benchmarks, methods)
        cost = np.random.default_rng(9).lognormal(2.5, 0.8, benchmarks)
        budget = size * float(cost.sum()) if size < 1 else size
        weights = np.ones(methods)
        begin = perf_counter()
        quick = cover.covered(watches, cover.greedy(watches, cost, weights, budget)).sum()
        middle = perf_counter()
        best = cover.most_weight(watches, cost, weights, budget, options.limit)
        end = perf_counter()
        share, gap = quick / best.value, (best.bound - best.value) / best.bound
        print(
            f"{kind:10} {benchmarks:5} × {methods:3}  {budget:7.0f} s  {middle - begin:6.4f} s  "
            f"{end - middle:8.3f} s  {share:15.3f}  {gap:7.2%}"
        )
        if kind == "structured" and share < LEAST_SHARE:
            low.append(f"{benchmarks} × {methods}")
    if low:
        raise SystemExit(f"greedy keeps less than {LEAST_SHARE:g} of the optimum on {', '.join(low)}")


if __name__ == "__main__":
    main()
