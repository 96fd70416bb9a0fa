"""How much faster is testing many pairs at once than scipy in a loop? Ratios within one run.

    python -m benchmarks.rank_sum [--pairs 586] [--values 100] [--repeat 5]

Compares with `scipy.stats.mannwhitneyu`, called pair by pair and vectorised; the p-values must be identical
to 1e-12. Exits 1 where they are not, or where the loop is not at least 10 times slower.
"""

import argparse
from collections.abc import Callable
from time import perf_counter

import numpy as np
from scipy.stats import mannwhitneyu

from abs_audit.stats import rank_sum

LEAST_RATIO = 10.0


def best_s(work: Callable[[], object], repeat: int) -> float:
    """Return the shortest duration: what the machine can do when nothing else disturbs it."""
    durations = []
    for _ in range(repeat):
        begin = perf_counter()
        work()
        durations.append(perf_counter() - begin)
    return min(durations)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=586)
    parser.add_argument("--values", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    draw = np.random.default_rng(7)
    shape = options.pairs, options.values
    first, second = draw.gamma(2, size=shape).round(2), draw.gamma(2.1, size=shape).round(2)

    def loop() -> list[float]:
        pairs = zip(first, second, strict=True)
        return [float(mannwhitneyu(one, two, method="asymptotic").pvalue) for one, two in pairs]

    def vectorised() -> np.ndarray:
        return np.asarray(mannwhitneyu(first, second, axis=-1, method="asymptotic").pvalue)

    difference = float(np.abs(rank_sum.asymptotic(first, second) - np.array(loop())).max())
    ours_s = best_s(lambda: rank_sum.asymptotic(first, second), options.repeat)
    loop_s, scipy_s = best_s(loop, options.repeat), best_s(vectorised, options.repeat)
    print(f"{options.pairs} pairs of {options.values} + {options.values} values, best of {options.repeat}")
    print(f"abs-audit, all at once  {ours_s * 1e3:8.2f} ms")
    print(f"scipy, pair by pair     {loop_s * 1e3:8.2f} ms   {loop_s / ours_s:5.1f} times as long")
    print(f"scipy, vectorised       {scipy_s * 1e3:8.2f} ms   {scipy_s / ours_s:5.1f} times as long")
    print(f"largest difference of p {difference:.1e}")
    if difference > 1e-12 or loop_s / ours_s < LEAST_RATIO:
        raise SystemExit(f"expected equal p-values and at least {LEAST_RATIO:g} times scipy's speed")


if __name__ == "__main__":
    main()
