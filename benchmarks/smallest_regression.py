"""How much faster are shared, vectorised draws than Algorithm 1 taken literally, and what do they find?

    python -m benchmarks.smallest_regression [--instances FILE.csv.gz] [--seed 0]

Without a file: 40 simulated benchmarks (50 instances × 10 trials × 5 values); exits 1 where the literal loop
is not at least 50 times slower. With a file (columns source, provider_vm_id, iteration and one for each
metric; a row an iteration on an instance) it also prints, for each source with enough instances, the RSD and
the smallest regressions of all metrics that are times. Such a file has one value an iteration, so "same
instances" compares one iteration with one other, where the paper has five against five.
"""

import argparse
import csv
import gzip
import re
from collections import defaultdict
from itertools import product
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

from abs_audit.analyses.detectable import sampling
from abs_audit.analyses.detectable.model import DRAWS, GRID, algorithm_1, smallest_regression
from abs_audit.analyses.detectable.sampling import Instances, Sampling, Strategy
from abs_audit.analyses.variability.model import variability
from tests.support.builders import PAPER

LEAST_RATIO = 50.0
LEAST_INSTANCES = 30
LEAST_RANGE = 0.0011
"""(max − min) ÷ median above one step of a clock that shows hundredths in ten seconds."""
ITERATIONS = 3
REFERENCE = {
    "rmit-combined_v3_aws_m3.medium": (28, 0.0469, 0.0069),
    "rmit-combined_v3_aws_m3.large": (26, 0.0721, 0.0123),
    "rmit-combined_v3_aws-eu_m1.small": (38, 0.0342, 0.0132),
}
"""Source → metrics, median RSD in total and per instance: found independently on the published file."""
TIME = re.compile("duration|latency|response_time")
ASKED = (
    *(Sampling(strategy=Strategy.INSTANCES, instances=count, trials=1) for count in (1, 5, 14)),
    *(Sampling(strategy=Strategy.TRIALS, instances=count, trials=1) for count in (1, 20)),
)


def literal(data: Instances, asked: Sampling, draw: np.random.Generator) -> float | None:
    """Take the paper's pseudo-code word by word, but upwards and with relative differences."""
    for regression in GRID:
        false = true = 0
        for _ in range(DRAWS):
            control, test = groups(data, asked, draw)
            base = np.median(control)
            false += bool(abs(np.median(test) - base) / base > regression / 2)
            slowed = [value * (1 + regression) for value in test]
            true += bool(abs(np.median(slowed) - base) / base > regression / 2)
        if false / DRAWS <= 0.05 and true / DRAWS >= 0.95:
            return regression
    return None


def groups(data: Instances, asked: Sampling, draw: np.random.Generator) -> tuple[list[float], list[float]]:
    n, k = asked.instances, asked.trials
    control, test = list[float](), list[float]()
    if asked.strategy is Strategy.INSTANCES:
        for place, instance in enumerate(draw.permutation(len(data))[: 2 * n]):
            for trial in draw.permutation(len(data[instance]))[:k]:
                (control if place < n else test).extend(data[instance][trial])
    else:
        for instance in draw.permutation(len(data))[:n]:
            for place, trial in enumerate(draw.permutation(len(data[instance]))[: 2 * k]):
                (control if place < k else test).extend(data[instance][trial])
    return control, test


def ours(data: Instances, asked: Sampling, draw: np.random.Generator) -> float | None:
    """Return Algorithm 1 alone, as `smallest_regression` computes it without the A/A rates."""
    values = sampling.table(data)
    control, test = sampling.draw(values, asked, DRAWS, draw)
    base = sampling.medians(sampling.pooled(values.values, control))
    return algorithm_1((sampling.medians(sampling.pooled(values.values, test)) - base) / base).smallest


def simulated(draw: np.random.Generator) -> list[Instances]:
    spreads = draw.uniform(0.005, 0.3, 40)
    return [
        np.exp(
            spread * draw.normal(size=(50, 1, 1))
            + spread / 3 * draw.normal(size=(50, 10, 1))
            + spread / 5 * draw.normal(size=(50, 10, 5))
        ).tolist()
        for spread in spreads
    ]


def compare_speed(seed: int) -> float:
    suite = simulated(np.random.default_rng(seed))
    ratios = []
    print("sampling                            loop        ours   ratio   answers within one step")
    for asked in (PAPER[1], PAPER[3]):
        begin = perf_counter()
        slow = [literal(data, asked, np.random.default_rng(seed + i)) for i, data in enumerate(suite)]
        middle = perf_counter()
        fast = [ours(data, asked, np.random.default_rng(seed + i)) for i, data in enumerate(suite)]
        end = perf_counter()
        near = sum(abs(step(one) - step(two)) <= 1 for one, two in zip(slow, fast, strict=True))
        ratios.append((middle - begin) / (end - middle))
        print(
            f"{asked.strategy:15} {asked.instances:2} × {asked.trials} trials "
            f"{(middle - begin) / len(suite) * 1e3:8.2f} ms  {(end - middle) / len(suite) * 1e3:6.2f} ms "
            f"{ratios[-1]:7.0f}   {near} of {len(suite)}"
        )
    return min(ratios)


def step(smallest: float | None) -> int:
    return len(GRID) if smallest is None else GRID.index(smallest)


def read(path: Path) -> dict[str, dict[str, Instances]]:
    """Return source → metric → instances → iterations → one value; complete, positive and varying times."""
    cells: dict[str, dict[str, dict[str, list[float]]]] = defaultdict(lambda: defaultdict(dict))
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            metrics = cells[row["source"]]
            for metric in filter(TIME.search, row):
                if row[metric]:
                    metrics[metric].setdefault(row["provider_vm_id"], []).append(float(row[metric]))
    suites: dict[str, dict[str, Instances]] = {}
    for source, metrics in cells.items():
        for metric, machines in metrics.items():
            complete = [v for v in machines.values() if len(v) == ITERATIONS and min(v) > 0]
            if len(complete) >= LEAST_INSTANCES and varies([value for v in complete for value in v]):
                suites.setdefault(source, {})[metric] = [[[value] for value in v] for v in complete]
    return suites


def varies(values: list[float]) -> bool:
    """Tell a measured time from a setting that is merely reported, such as 10.00 or 10.01 seconds."""
    return (max(values) - min(values)) / median(values) > LEAST_RANGE


def describe(source: str, suite: dict[str, Instances], seed: int) -> None:
    rows = variability(suite, remove_outliers=True).benchmarks
    totals = [row.rsd.total for row in rows if row.rsd.total is not None]
    inside = [row.rsd.per_instance for row in rows if row.rsd.per_instance is not None]
    print(
        f"{source}: {len(suite)} metrics, RSD total {median(totals):.2%}, per instance {median(inside):.2%}"
    )
    known = REFERENCE.get(source)
    if known is not None and (len(suite), round(median(totals), 4), round(median(inside), 4)) != known:
        raise SystemExit(f"{source}: expected {known} as metrics and median RSDs")
    found = smallest_regression(suite, ASKED, seed)
    for strategy, count in product(Strategy, sorted({one.instances for one in ASKED})):
        some = [
            row
            for row in found.benchmarks
            if (row.sampling.strategy, row.sampling.instances) == (strategy, count)
        ]
        answers = [row.smallest for row in some if row.smallest is not None]
        if some:
            none = (len(some) - len(answers)) / len(some)
            print(f"  {strategy:15} {count:2} instances: median {median(answers):.1%}, none {none:.0%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--instances", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    ratio = compare_speed(options.seed)
    if options.instances is not None:
        for source, suite in sorted(read(options.instances).items()):
            describe(source, suite, options.seed)
    if ratio < LEAST_RATIO:
        raise SystemExit(f"expected at least {LEAST_RATIO:g} times the speed of the loop, found {ratio:.0f}")


if __name__ == "__main__":
    main()
