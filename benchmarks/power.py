"""What do rules for a cell find, what do they raise alarm at, and what do they cost?

    python -m benchmarks.power [--cells 1000] [--jobs 2] [--noise run]

Simulated sessions at δ = .2 of ten cells whose mutant is slowed by δ (power) and ten A/A pairs (false
alarms). Noise is of one kind: `repetition` (each value its own), `shared` (both arms of a repetition alike),
`run` (an arm keeps it in a run, each value has a tenth of δ of its own), `one in ten` (the same in a tenth of
the cells, the others have none of a run), `measured` (what benchmarks/noise_components.py finds in real
sessions, on machines that others use). `few` is `run` with two cells and two A/A pairs a session. Rules get
the same values:

- `published`: p < .01 and a difference of δ/2 in each of two runs of 20 repetitions;
- `two runs`: `pairs.settle` as it was when two runs were all: looks early, goes on to 80, measures again what
  was slowed by far more or less than requested, or gives no verdict;
- `present`: the whole of `pairs.settle`, with further runs where noise between runs may have answered;
- `sequence`: a normal-mixture confidence sequence for the mean log ratio (Waudby-Smith et al. 2021, Theorem
  2.2), .001 a side, which ends where it leaves δ/2 outside; after 160 repetitions there is no verdict.

Seeds are others than those that chose the constants. In brackets: Wilson's 95 % interval of the simulation.
Goal: power .99, .95, .90 at run-level noise of .1, .2, .3 δ, with at most .001 false alarms. Exits 1 where
chance does not explain that a line `run` misses it.
"""

import argparse
import itertools
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import ModuleType
from typing import Any, cast
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from abs_audit.experiment import detection, protocol, run_noise
from abs_audit.experiment.detection import Answer, Cell, Run
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.looking import Looking
from abs_audit.experiment.pair_evidence import Pair
from abs_audit.experiment.pairs import AGAIN, Design, settle
from abs_audit.experiment.watch import Watch
from abs_audit.languages import python
from abs_audit.languages.language import Language
from abs_audit.model.experiment import Arm, Block, Mode
from abs_audit.model.measurement import Trial
from abs_audit.model.verdict import Verdict
from abs_audit.stats import effect, rank_sum
from abs_audit.stats.intervals import wilson
from tests.support.fake_executor import BUILD, trial

DELTA, THRESHOLD = 0.2, 0.1
MEASUREMENTS = ("", *AGAIN)
RUNS, MOST = run_noise.MOST_RUNS * len(MEASUREMENTS), protocol.FURTHER[-1]
MANY, FEW = 10, 2
"""Cells of a session, and as many A/A pairs."""
GOALS = {0.1: 0.99, 0.2: 0.95, 0.3: 0.9}
MOST_ALARMS = 0.001
LEVELS = (0.1, 0.2, 0.3)
OWN = 0.1
MEASURED = {"run": 0.1, "fork": 0.3, "repetition": 1.0}
ERROR = 0.001
LOOKS = (*protocol.LOOKS, *protocol.FURTHER)

CONTROL = Arm(mode=Mode.CONTROL, methods=("m",), slowed=None, delay_ns=0.0, batch=1, label="control")
MUTANT = replace(CONTROL, mode=Mode.DELAY, slowed="m", delay_ns=DELTA * 1e9, label="mutant")

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


def few(draw: np.random.Generator, shape: tuple[int, int, int], level: float) -> Values:
    return run(draw, shape, level)


def one_in_ten(draw: np.random.Generator, shape: tuple[int, int, int], level: float) -> Values:
    noisy = draw.random((shape[0], 1, 1, 1)) < 0.1
    return np.where(noisy, run(draw, shape, level), repetition(draw, shape, OWN))


def measured(draw: np.random.Generator, shape: tuple[int, int, int], level: float) -> Values:
    """Differences of the measured variance, spread evenly over both arms; `level` scales all parts."""
    cases, runs, repetitions = shape
    forks = draw.standard_normal((cases, runs, repetitions // protocol.LOOKS[0], 1, 2))
    noise = MEASURED["run"] * draw.standard_normal((cases, runs, 1, 2))
    noise = noise + MEASURED["repetition"] * draw.standard_normal((*shape, 2))
    noise += MEASURED["fork"] * np.repeat(forks, protocol.LOOKS[0], axis=3).reshape(*shape, 2)
    scaled: Values = level * noise / np.sqrt(2)
    return scaled


SETTINGS = (
    *itertools.product((repetition, shared, run), LEVELS),
    *itertools.product((few, one_in_ten), LEVELS[1:]),
    *itertools.product((measured,), (0.5, 1.0)),
)


def values(kind: Callable[..., Values], level: float, size: int, seed: Sequence[int]) -> Values:
    """Return times about 1 s of one session; the first half of its pairs takes δ more in the mutant."""
    noise = DELTA * kind(np.random.default_rng([2024, *seed]), (2 * size, RUNS, MOST), level)
    slower = np.zeros((2 * size, 1, 1, 2))
    slower[:size, ..., 1] = DELTA
    times: Values = np.exp(noise) * (1 + slower)
    return times


@dataclass
class SimulatedHarness:
    """Answers blocks with values instead of executing them."""

    values: Values
    language: Language = field(default_factory=python.language)
    build_id: str = BUILD
    longest_s: float = 60.0
    watch: Watch = field(default_factory=Watch)
    looking: Looking = field(default_factory=Looking)
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
            int(in_run.removeprefix("run")) - 1 + run_noise.MOST_RUNS * measurement,
        )
        made: list[Trial] = []
        seen = Counter[str]()
        for position, step in enumerate(block.steps):
            at = int(first) - 1 + seen[step.arm.label]
            seen[step.arm.label] += 1
            value = float(self.values[case, number, at, int(step.arm.label != CONTROL.label)])
            made.append(slowed_in_proportion(trial(block, position, step.arm, value)))
        return made


def slowed_in_proportion(made: Trial, method: str = "m") -> Trial:
    """Return the trial with a tally of a delay that fits the control beside it, and is never sized anew."""
    assert made.tally is not None
    counted = made.tally.methods[method]
    counted = replace(counted, requested_s=counted.injected_s)
    return replace(made, tally=replace(made.tally, methods={method: counted}))


def present(drawn: Values) -> Said:
    pairs = [
        Pair(
            cell=Cell(method="m", benchmark=str(case), share=1.0, requested=DELTA, threshold=THRESHOLD),
            control=CONTROL,
            mutant=MUTANT if case < len(drawn) // 2 else replace(CONTROL, label="control, again"),
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


def two_runs(drawn: Values) -> Said:
    with patch.object(run_noise, "doubted", lambda pairs, earlier: [False] * len(pairs)):
        return present(drawn)


def published(drawn: Values) -> Said:
    last = protocol.LOOKS[-1]
    answers = [
        [detection.full(part(case[number], last), THRESHOLD) for number in range(protocol.RUNS)]
        for case in drawn
    ]
    verdicts = [Verdict.DETECTED if set(both) == {Answer.YES} else Verdict.MISSED for both in answers]
    return verdicts, [last * (1 + (both[0] is Answer.YES)) for both in answers]


def part(values_of_run: Values, repetitions: int) -> Run:
    return Run(
        control=values_of_run[:repetitions, 0].tolist(), mutant=values_of_run[:repetitions, 1].tolist()
    )


def sequence(drawn: Values) -> Said:
    """Runs follow one another; ρ is best at 20 repetitions."""
    ratios = np.log(drawn[..., 1] / drawn[..., 0])[:, : protocol.RUNS].reshape(len(drawn), -1)
    log_error = np.log(2 * ERROR)
    best = (-2 * log_error + np.log(-2 * log_error + 1)) / protocol.LOOKS[-1]
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


RULES: tuple[Callable[[Values], Said], ...] = (published, two_runs, present, sequence)


@dataclass
class Counted:
    """What one rule said of all sessions of a setting."""

    found: Counter[Verdict] = field(default_factory=Counter)
    alarms: int = 0
    repetitions: int = 0
    unslowed: int = 0
    """Repetitions of the A/A pairs."""

    def add(self, said: Said) -> None:
        (verdicts, costs), half = said, len(said[0]) // 2
        self.found.update(verdicts[:half])
        self.alarms += verdicts[half:].count(Verdict.DETECTED)
        self.repetitions += sum(costs[:half])
        self.unslowed += sum(costs[half:])


def remembered(module: ModuleType, name: str) -> AbstractContextManager[Any]:
    """Have a test answer at once where it has answered: the rules ask the same of the same values."""
    test = getattr(module, name)
    asked = lru_cache(maxsize=10_000)(test)
    return patch.object(module, name, lambda first, second, *rest: asked(tuple(first), tuple(second), *rest))


def row(place: tuple[int, int]) -> tuple[str, bool]:
    """Return the line of one setting, and whether it surely misses the goal."""
    setting, cases = place
    kind, level = SETTINGS[setting]
    size = FEW if kind is few else MANY
    counted = {rule: Counted() for rule in RULES}
    with remembered(rank_sum, "p_value"), remembered(effect, "certain_side"):
        for session in range(cases // size):
            drawn = values(kind, level, size, (setting, session))
            for rule in RULES:
                counted[rule].add(rule(drawn))
    told = [f"{kind.__name__.replace('_', ' ')} {level:.1f} δ"]
    told += [_told(counts, cases // size * size) for counts in counted.values()]
    made, cells = counted[present], cases // size * size
    below = wilson(made.found[Verdict.DETECTED], cells)[1] < GOALS.get(level, 0.0)
    alarmed = wilson(made.alarms, cells)[0] > MOST_ALARMS
    return f"| {' | '.join(told)} |", kind is run and (below or alarmed)


def _told(counts: Counted, cells: int) -> str:
    power, alarms = counts.found[Verdict.DETECTED], counts.alarms
    low, high = wilson(power, cells)
    return (
        f"{power / cells:.3f} ({low:.3f}-{high:.3f}) / {counts.found[Verdict.NO_VERDICT] / cells:.3f} / "
        f"{alarms / cells:.4f} (≤{wilson(alarms, cells)[1]:.4f}) / "
        f"{counts.repetitions / cells:.1f}, {counts.unslowed / cells:.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--noise", help="one kind only, such as run")
    options = parser.parse_args()
    settings = [place for place, (kind, _) in enumerate(SETTINGS) if options.noise in (None, kind.__name__)]
    print("power at δ / open / false alarms / repetitions at δ, and of A/A\n")
    print(f"| noise | {' | '.join(rule.__name__.replace('_', ' ') for rule in RULES)} |")
    print(f"|---|{'---|' * len(RULES)}")
    missed = False
    with ProcessPoolExecutor(options.jobs) as pool:
        for line, below in pool.map(row, [(setting, options.cells) for setting in settings]):
            print(line, flush=True)
            missed |= below
    sys.exit(missed)


if __name__ == "__main__":
    main()
