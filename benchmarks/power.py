"""What do rules for a cell find, what do they raise alarm at, and what do they cost?

    python -m benchmarks.power [--cells 1000] [--jobs 2]

Simulated cells at δ = .2 whose mutant is slowed by δ (power) or not at all (false alarms). Noise is of one
kind: `repetition` (each value its own), `shared` (both arms of a repetition alike), `run` (an arm keeps it in
a run, each value has a tenth of δ of its own), `measured` (what benchmarks/noise_components.py finds in real
sessions, on machines that others use). Four rules get the same values:

- `published`: p < .01 and a difference of δ/2 in each of two runs of 20 repetitions;
- `present`: the whole of `pairs.settle`, which may look early, go on to 80, measure again what was slowed by
  far more or less than requested, or give no verdict;
- `two of three`: the same looks, but a third run where the first two disagree, and two answers count;
- `sequence`: a normal-mixture confidence sequence for the mean log ratio (Waudby-Smith et al. 2021, Theorem
  2.2), .001 a side, which ends where it leaves δ/2 outside; after 160 repetitions there is no verdict.

Goal: power .99, .95, .90 at run-level noise of .1, .2, .3 δ, with at most .001 false alarms.
"""

import argparse
import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from abs_audit.experiment import detection
from abs_audit.experiment.calibration import IterationPlan
from abs_audit.experiment.detection import Answer, Cell, Run
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.pairs import AGAIN, Design, Pair, settle
from abs_audit.model.experiment import Arm, Block, Mode
from abs_audit.model.measurement import Trial
from abs_audit.model.verdict import Verdict
from abs_audit.stats.intervals import wilson
from tests.support.fake_executor import BUILD, trial

DELTA, THRESHOLD = 0.2, 0.1
MEASUREMENTS = ("", *AGAIN)
RUNS, MOST = detection.RUNS * len(MEASUREMENTS), detection.FURTHER[-1]
LEVELS = (0.1, 0.2, 0.3)
OWN = 0.1
MEASURED = {"run": 0.1, "fork": 0.3, "repetition": 1.0}
ERROR = 0.001
LOOKS = (*detection.LOOKS, *detection.FURTHER)

Values = NDArray[np.float64]
"""(cases, runs, repetitions, 2): control and mutant, in seconds."""
Said = tuple[list[Verdict], list[int]]
"""Verdict and repetitions of each case."""


def repetition(draw: np.random.Generator, shape: tuple[int, int, int], level: float) -> Values:
    return level * draw.standard_normal((*shape, 2))


def shared(draw: np.random.Generator, shape: tuple[int, int, int], level: float) -> Values:
    return repetition(draw, shape, OWN) + level * draw.standard_normal((*shape, 1))


def run(draw: np.random.Generator, shape: tuple[int, int, int], level: float) -> Values:
    return repetition(draw, shape, OWN) + level * draw.standard_normal((*shape[:2], 1, 2))


def measured(draw: np.random.Generator, shape: tuple[int, int, int], level: float) -> Values:
    """Differences of the measured variance, spread evenly over both arms; `level` scales all parts."""
    cases, runs, repetitions = shape
    forks = draw.standard_normal((cases, runs, repetitions // detection.LOOKS[0], 1, 2))
    noise = MEASURED["run"] * draw.standard_normal((cases, runs, 1, 2))
    noise = noise + MEASURED["repetition"] * draw.standard_normal((*shape, 2))
    noise += MEASURED["fork"] * np.repeat(forks, detection.LOOKS[0], axis=3).reshape(*shape, 2)
    scaled: Values = level * noise / np.sqrt(2)
    return scaled


SETTINGS = (
    *itertools.product((repetition, shared, run), LEVELS),
    *itertools.product((measured,), (0.5, 1.0)),
)


def values(kind: Callable[..., Values], level: float, effect: float, cases: int, seed: int) -> Values:
    """Return times about 1 s; the mutant takes `effect` more."""
    noise = DELTA * kind(np.random.default_rng([seed, cases]), (cases, RUNS, MOST), level)
    times: Values = np.exp(noise) * (1 + np.array([0.0, effect]))
    return times


@dataclass
class SimulatedHarness:
    """Answers blocks with values instead of executing them."""

    values: Values
    forks_alike: bool = True
    build_id: str = BUILD
    longest_s: float = 60.0
    repetitions: Counter[str] = field(default_factory=Counter)
    """Benchmark → repetitions that were asked, of all runs."""

    def warmed(self, steps: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(steps)

    def perform(self, blocks: Sequence[Block], purpose: str) -> Mapping[str, tuple[Trial, ...]]:
        for block in blocks:
            self.repetitions[block.benchmark] += len(block.steps) // 2
        return {block.id: tuple(self._trials(block)) for block in blocks}

    def _trials(self, block: Block) -> list[Trial]:
        name, _, in_run, first = block.id.split("/")[:4]
        measurement = MEASUREMENTS.index(name.removeprefix("power").strip())
        case, number = (
            int(block.benchmark),
            int(in_run.removeprefix("run")) - 1 + detection.RUNS * measurement,
        )
        made: list[Trial] = []
        seen = {Mode.CONTROL: 0, Mode.DELAY: 0}
        for position, step in enumerate(block.steps):
            at = int(first) - 1 + seen[step.arm.mode]
            seen[step.arm.mode] += 1
            value = float(self.values[case, number, at, int(step.arm.mode is Mode.DELAY)])
            made.append(slowed_in_proportion(trial(block, position, step.arm, value)))
        return made


def slowed_in_proportion(made: Trial) -> Trial:
    """Return the trial with a tally of a delay that fits the control beside it, and is never sized anew."""
    assert made.tally is not None
    counted = made.tally.methods["m"]
    counted = replace(counted, requested_s=counted.injected_s)
    return replace(made, tally=replace(made.tally, methods={"m": counted}))


def present(drawn: Values, effect: float) -> Said:
    control = Arm(mode=Mode.CONTROL, methods=("m",), slowed=None, delay_ns=0.0, batch=1, label="control")
    # Without an effect the question is the one of A/A, whose mutant is asked no delay.
    mutant = Arm(mode=Mode.DELAY, methods=("m",), slowed="m", delay_ns=effect * 1e9, batch=1, label="mutant")
    pairs = [
        Pair(
            cell=Cell(method="m", benchmark=str(case), share=1.0, requested=DELTA, threshold=THRESHOLD),
            control=control,
            mutant=mutant,
        )
        for case in range(len(drawn))
    ]
    plans = {
        pair.cell.benchmark: IterationPlan(
            benchmark=pair.cell.benchmark, invocations=1, iteration_s=1.0, wall_s=1.0
        )
        for pair in pairs
    }
    simulated = SimulatedHarness(drawn)
    decided = settle(cast("Harness", simulated), plans, pairs, Design(name="power", seed=1))
    costs = [simulated.repetitions[pair.cell.benchmark] for pair in pairs]
    return [decision.verdict.verdict for _, decision in decided], costs


def published(drawn: Values, effect: float) -> Said:
    last = detection.LOOKS[-1]
    answers = [
        [detection.full(part(case[number], last), THRESHOLD) for number in range(detection.RUNS)]
        for case in drawn
    ]
    verdicts = [Verdict.DETECTED if set(both) == {Answer.YES} else Verdict.MISSED for both in answers]
    return verdicts, [last * (1 + (both[0] is Answer.YES)) for both in answers]


def two_of_three(drawn: Values, effect: float) -> Said:
    verdicts, costs = [], []
    for case in drawn:
        answers: list[Answer] = []
        cost = 0
        for number in range(3):
            answer, repetitions = looked(case[number])
            answers.append(answer)
            cost += repetitions
            if max(map(answers.count, answers)) == detection.RUNS:
                break
            if answers == [Answer.NO]:
                # A second run costs what the rule saves elsewhere: a clear no stays one.
                break
        verdicts.append(
            Verdict.DETECTED
            if answers.count(Answer.YES) == detection.RUNS
            else Verdict.NO_VERDICT
            if answers[-1] is Answer.CONTINUE
            else Verdict.MISSED
        )
        costs.append(cost)
    return verdicts, costs


def looked(values_of_run: Values) -> tuple[Answer, int]:
    """Return what one run says, and after how many repetitions."""
    for look in LOOKS:
        so_far = part(values_of_run, look)
        answer = detection.look(so_far, THRESHOLD)
        open_still = look >= detection.LOOKS[-1] and detection.at_the_border(so_far, THRESHOLD)
        if answer is not Answer.CONTINUE and not open_still:
            return answer, look
    return (Answer.CONTINUE if open_still else answer), look


def part(values_of_run: Values, repetitions: int) -> Run:
    return Run(
        control=values_of_run[:repetitions, 0].tolist(), mutant=values_of_run[:repetitions, 1].tolist()
    )


def sequence(drawn: Values, effect: float) -> Said:
    """Runs follow one another; ρ is best at 20 repetitions."""
    ratios = np.log(drawn[..., 1] / drawn[..., 0])[:, : detection.RUNS].reshape(len(drawn), -1)
    log_error = np.log(2 * ERROR)
    best = (-2 * log_error + np.log(-2 * log_error + 1)) / detection.LOOKS[-1]
    verdicts, costs = [], []
    for case in ratios:
        verdict, look = Verdict.NO_VERDICT, len(case)
        for look in (*LOOKS, len(case)):
            so_far = case[:look]
            wide = look * best + 1
            half = so_far.std(ddof=1) * np.sqrt(
                2 * wide / (look**2 * best) * (np.log(np.sqrt(wide)) - log_error)
            )
            distance = so_far.mean() - np.log(1 + THRESHOLD)
            if abs(distance) > half:
                verdict = Verdict.DETECTED if distance > 0 else Verdict.MISSED
                break
        verdicts.append(verdict)
        costs.append(look)
    return verdicts, costs


RULES: tuple[Callable[[Values, float], Said], ...] = (published, present, two_of_three, sequence)


def row(place: tuple[int, int]) -> str:
    """Return the line of one setting: every rule's power, no verdict at δ, false alarms, repetitions at δ."""
    setting, cases = place
    kind, level = SETTINGS[setting]
    told = [f"{kind.__name__:11} {level:.1f} "]
    slowed, same = (values(kind, level, effect, cases, setting) for effect in (DELTA, 0.0))
    for rule in RULES:
        verdicts, costs = rule(slowed, DELTA)
        alarms = rule(same, 0.0)[0].count(Verdict.DETECTED)
        power, left_open = (
            verdicts.count(verdict) / cases for verdict in (Verdict.DETECTED, Verdict.NO_VERDICT)
        )
        alarmed = f"{alarms / cases:.4f} (≤{wilson(alarms, cases)[1]:.4f})"
        told.append(f"{power:.3f} {left_open:.3f} {alarmed} {np.mean(costs):5.1f}")
    return " | ".join(told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    columns = "power open  alarms (≤95 %)   repetitions"
    print(" | ".join(["noise      δ   ", *(f"{rule.__name__}: {columns}" for rule in RULES)]))
    with ProcessPoolExecutor(options.jobs) as pool:
        for line in pool.map(row, [(setting, options.cells) for setting in range(len(SETTINGS))]):
            print(line, flush=True)


if __name__ == "__main__":
    main()
