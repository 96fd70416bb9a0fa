"""How often do early looks agree with the full rule, and what do they save?

    python -m benchmarks.early_looks [--cells 1000] [--seed 20181]

Simulates cells with interleaved blocks in which the control grows together with the mutant: δ = .2, noise
of .1, .3 and .5 δ, and six kinds of noise. Every cell is decided twice from the same values, by `look` and
by `full`. The constants of `look` were chosen on other seeds than the default one.

Where iterations have outliers of several times the median, the mean of 20 values is decided by chance,
so the full rule contradicts itself (column "full itself": its answers by mean and by median agree). No
rule that stops early can foresee an outlier that has not come yet; there the agreement with the full
rule on medians is what counts.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from abs_audit.experiment import detection, protocol
from abs_audit.experiment.detection import Cell, Run
from abs_audit.model.verdict import Verdict
from abs_audit.stats.intervals import wilson

DELTA = 0.2
LOUDNESS = (0.1, 0.3, 0.5)
EFFECTS = (0.0, 0.25, 0.5, 0.75, 1.0)
COUNT = protocol.LOOKS[-1]
BAR = 0.99

Pair = tuple[np.ndarray, np.ndarray]
Noise = Callable[[np.random.Generator, float], Pair]


def gaussian(draw: np.random.Generator, sd: float) -> Pair:
    return draw.normal(0, sd, COUNT), draw.normal(0, sd, COUNT)


def autocorrelated(draw: np.random.Generator, sd: float) -> Pair:
    """A drift (lag-one correlation .9) on the common time axis of both arms, in random order in a block."""
    drift = np.empty(2 * COUNT)
    drift[0] = draw.normal()
    for i in range(1, 2 * COUNT):
        drift[i] = 0.9 * drift[i - 1] + np.sqrt(1 - 0.81) * draw.normal()
    first = draw.random(COUNT) < 0.5
    control = np.where(first, drift[0::2], drift[1::2]) + draw.normal(0, 0.3, COUNT)
    mutant = np.where(first, drift[1::2], drift[0::2]) + draw.normal(0, 0.3, COUNT)
    return sd * control, sd * mutant


def heavy_tailed(draw: np.random.Generator, sd: float) -> Pair:
    """A skewed bulk with 2 % outliers of half the median on average."""
    control, mutant = (_skewed(draw, sd) + _outliers(draw, 0.5) for _ in "cm")
    return control, mutant


def millisecond_outliers(draw: np.random.Generator, sd: float) -> Pair:
    """The same with outliers of five times the median on average."""
    control, mutant = (_skewed(draw, sd) + _outliers(draw, 5.0) for _ in "cm")
    return control, mutant


def bimodal_forks(draw: np.random.Generator, sd: float) -> Pair:
    """Each block is a fork of its own and falls into one of two modes, for both arms alike."""
    mode = 2 * sd * (draw.random(COUNT) < 0.3)
    return mode + draw.normal(0, 0.3 * sd, COUNT), mode + draw.normal(0, 0.3 * sd, COUNT)


def bimodal_arms(draw: np.random.Generator, sd: float) -> Pair:
    """Each arm of each block is a fork of its own, so the modes of the arms are independent."""
    control, mutant = (2 * sd * (draw.random(COUNT) < 0.3) + draw.normal(0, 0.3 * sd, COUNT) for _ in "cm")
    return control, mutant


def _skewed(draw: np.random.Generator, sd: float) -> np.ndarray:
    return np.asarray(sd * (draw.standard_gamma(2, COUNT) - 2) / np.sqrt(2))


def _outliers(draw: np.random.Generator, size: float) -> np.ndarray:
    return (draw.random(COUNT) < 0.02) * draw.exponential(size, COUNT)


KINDS: tuple[Noise, ...] = (
    gaussian,
    autocorrelated,
    heavy_tailed,
    millisecond_outliers,
    bimodal_forks,
    bimodal_arms,
)
OUTLIERS = (heavy_tailed, millisecond_outliers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One cell decided by both rules, by mean and by median."""

    look: bool
    full: bool
    look_median: bool
    full_median: bool
    repetitions: int
    repetitions_full: int


def simulate(draw: np.random.Generator, noise: Noise, sd: float, effect: float) -> Outcome:
    runs = []
    for _ in range(protocol.RUNS):
        control, mutant = noise(draw, sd * DELTA)
        slowed = np.maximum(1 + mutant, 0.05) * (1 + effect * DELTA)
        runs.append(Run(control=np.maximum(1 + control, 0.05), mutant=slowed))
    looked = [looked_at(run) for run in runs]
    early, late = decide(looked, detection.look), decide(runs, detection.full)
    return Outcome(
        look=early.verdict.verdict is Verdict.DETECTED,
        full=late.verdict.verdict is Verdict.DETECTED,
        look_median=by_median(looked),
        full_median=by_median(runs),
        repetitions=sum(early.verdict.repetitions),
        repetitions_full=sum(late.verdict.repetitions),
    )


def decide(runs: list[Run], rule: detection.Rule) -> detection.Decision:
    """Make the second run only if the first says yes."""
    cell = Cell(method="m", benchmark="b", share=1.0, requested=DELTA, threshold=DELTA / 2)
    made = runs if rule(runs[0], cell.threshold) is detection.Answer.YES else runs[:1]
    return detection.decide(cell, made, rule)


def by_median(runs: list[Run]) -> bool:
    return all(
        found.p < protocol.ALPHA and found.median >= DELTA / 2 for found in map(detection.compare, runs)
    )


def looked_at(run: Run) -> Run:
    """Return the run as far as it would have been measured."""
    for at in protocol.LOOKS:
        part = Run(control=run.control[:at], mutant=run.mutant[:at])
        if detection.look(part, DELTA / 2) is not detection.Answer.CONTINUE:
            return part
    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=20181)
    options = parser.parse_args()
    print(f"{'noise':22} effect  agree      (interval)  medians  full itself  detected  repetitions")
    below = []
    for kind in KINDS:
        for effect in EFFECTS:
            draw = np.random.default_rng([options.seed, KINDS.index(kind), EFFECTS.index(effect)])
            share = options.cells // len(LOUDNESS)
            outcomes = [simulate(draw, kind, sd, effect) for sd in LOUDNESS for _ in range(share)]
            agree, medians = report(kind, effect, outcomes)
            counted = medians if kind in OUTLIERS else agree
            # Below by chance is not below: the upper end of the interval decides.
            if wilson(counted, len(outcomes))[1] < BAR:
                below.append(f"{kind.__name__} at {effect} δ")
    if below:
        raise SystemExit(f"agreement below {BAR}: {', '.join(below)}")


def report(kind: Noise, effect: float, outcomes: list[Outcome]) -> tuple[int, int]:
    """Print one line; return the cells on which both rules agree, by mean and by median."""
    count = len(outcomes)
    agree = sum(one.look == one.full for one in outcomes)
    medians = sum(one.look_median == one.full_median for one in outcomes)
    low, high = wilson(agree, count)
    itself = sum(one.full == one.full_median for one in outcomes) / count
    early, late = (sum(said) / count for said in ((o.look for o in outcomes), (o.full for o in outcomes)))
    cost, full = (
        sum(made) / count
        for made in ((o.repetitions for o in outcomes), (o.repetitions_full for o in outcomes))
    )
    print(
        f"{kind.__name__:22} {effect:4.2f} δ  {agree / count:.3f}  ({low:.3f}-{high:.3f})"
        f"  {medians / count:7.3f}  {itself:11.3f}  {early:.2f} {late:.2f}  {cost:5.1f} {full:5.1f}",
        flush=True,
    )
    return agree, medians


if __name__ == "__main__":
    main()
