"""Control charts on simulated runs: what they flag by shift, number of baselines and threshold rule.

    python benchmarks/control_charts.py [--trials 25] [--first-seed 1000] [--idle]

A run has 30 counters of 120 samples; the load of a run varies by 12 % (standard deviation), six counters do
not follow it, noise is 2 to 8 %, and each counter of each run is off by 1 %. A bad run has five shifted
counters. Everything is simulated: no figure here says how charts do on a real system. The strict rule was
chosen on other simulations of this kind; seeds here are new to it, the model of the world is not.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from abs_audit.analyses.chart.model import PAPER_RULE, STRICT_RULE, ChartSettings, control_chart
from abs_audit.analyses.chart.samples import ChartRun
from abs_audit.stats.intervals import wilson

COUNTERS, SAMPLES, SHIFTED, UNLOADED = 30, 120, 5, 6
RULES = {"v > threshold (paper)": PAPER_RULE, "v > max(25 %, 2 · threshold)": STRICT_RULE}
POOLED = "v > largest threshold of all counters"


@dataclass(frozen=True, slots=True)
class World:
    """The counters of a system, from which runs are drawn."""

    level: np.ndarray
    share: np.ndarray
    """Part of the level that follows the load; 0 for counters that do not."""
    noise: np.ndarray
    idle: float
    """Share of the samples at which only book-keeping goes on."""

    @staticmethod
    def drawn(draw: np.random.Generator, idle: float) -> "World":
        share = draw.uniform(0.5, 1.0, COUNTERS)
        share[:UNLOADED] = 0.0
        return World(draw.uniform(20, 500, COUNTERS), share, draw.uniform(0.02, 0.08, COUNTERS), idle)

    def run(self, name: str, draw: np.random.Generator, shift: float) -> tuple[ChartRun, set[str]]:
        """Return a run and the names of its shifted counters."""
        load = max(0.5, 1 + 0.12 * draw.standard_normal()) * (1 + 0.05 * draw.standard_normal(SAMPLES))
        shifted = set(draw.choice(COUNTERS, SHIFTED, replace=False).tolist()) if shift else set()
        busy = draw.random(SAMPLES) >= self.idle
        counters = {}
        for i in range(COUNTERS):
            mean = self.level[i] * (self.share[i] * load + 1 - self.share[i])
            factor = (1 + 0.01 * draw.standard_normal()) * (1 + shift * (i in shifted))
            noise = 1 + self.noise[i] * draw.standard_normal(SAMPLES)
            counters[f"counter {i}"] = mean * factor * noise * np.where(busy, 1.0, 0.1)
        return ChartRun(name=name, counters=counters, load=1000 * load), {f"counter {i}" for i in shifted}


@dataclass(slots=True)
class Tally:
    """Flags of one rule over all trials of a setting."""

    hits: int = 0
    bad: int = 0
    flagged: int = 0
    false: int = 0
    good: int = 0
    good_runs_flagged: int = 0
    good_runs: int = 0

    def bad_run(self, flagged: set[str], shifted: set[str]) -> None:
        self.hits += len(flagged & shifted)
        self.bad += len(shifted)
        self.flagged += len(flagged)

    def good_run(self, flagged: set[str]) -> None:
        self.false += len(flagged)
        self.good += COUNTERS
        self.good_runs_flagged += bool(flagged)
        self.good_runs += 1


def share(hits: int, trials: int) -> str:
    """Return a share with its 95 % interval."""
    low, high = wilson(hits, trials)
    return "–" if not trials else f"{hits / trials:.3f} ({low:.3f}–{high:.3f})"


def flags(
    baselines: list[ChartRun], target: ChartRun, settings: ChartSettings
) -> Iterator[tuple[str, set[str]]]:
    """Yield the flagged counters by rule, from one chart."""
    chart = control_chart(baselines, target, settings)
    for name, rule in RULES.items():
        yield name, {one.name for one in chart.counters if one.violation_ratio > rule.limit(one.threshold)}
    largest = max(one.threshold or 0.0 for one in chart.counters)
    yield POOLED, {one.name for one in chart.counters if one.violation_ratio > largest}


def tallied(
    baselines: int, shift: float, seeds: range, settings: ChartSettings, idle: float
) -> dict[str, Tally]:
    """Return the flags of all rules: one world, one good and one bad target for each seed."""
    tallies = {name: Tally() for name in (*RULES, POOLED)}
    for seed in seeds:
        draw = np.random.default_rng(seed)
        world = World.drawn(draw, idle)
        good = [world.run(f"good {i}", draw, 0.0)[0] for i in range(baselines)]
        for name, flagged in flags(good, world.run("good", draw, 0.0)[0], settings):
            tallies[name].good_run(flagged)
        bad, shifted = world.run("bad", draw, shift)
        for name, flagged in flags(good, bad, settings):
            tallies[name].bad_run(flagged, shifted)
    return tallies


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=25)
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--baselines", default="5,10,20")
    parser.add_argument("--shifts", default="0.05,0.1,0.2")
    parser.add_argument("--unscaled", action="store_true", help="leave the load in")
    parser.add_argument("--idle", type=float, default=0.0, help="share of idle samples; filtered if > 0")
    options = parser.parse_args()
    settings = ChartSettings(scale_load=not options.unscaled, filter_load=options.idle > 0)
    seeds = range(options.first_seed, options.first_seed + options.trials)
    print(f"{options.trials} trials, seeds {seeds.start} to {seeds.stop - 1}, {settings}\n")
    print("| baselines | shift | rule | precision | recall | good counters flagged | good runs flagged |")
    print("|---|---|---|---|---|---|---|")
    started = time.perf_counter()
    for baselines in map(int, options.baselines.split(",")):
        for shift in map(float, options.shifts.split(",")):
            for name, tally in tallied(baselines, shift, seeds, settings, options.idle).items():
                figures = (
                    share(tally.hits, tally.flagged),
                    share(tally.hits, tally.bad),
                    share(tally.false, tally.good),
                    share(tally.good_runs_flagged, tally.good_runs),
                )
                print(f"| {baselines} | {shift:.0%} | {name} | {' | '.join(figures)} |", flush=True)
    print(f"\n{time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
