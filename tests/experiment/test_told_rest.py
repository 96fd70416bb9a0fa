"""Is the rest of a score told well, whatever its time goes into? By a clock that nobody waits for."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from abs_audit.experiment import forecast as told_rest
from abs_audit.experiment.asking import Axes
from abs_audit.experiment.calibration import calibrate
from abs_audit.experiment.cell_profiles import ProfilePlan
from abs_audit.experiment.forecast import forecast
from abs_audit.experiment.interleaved import verdicts
from abs_audit.experiment.profiler import Profiler
from abs_audit.experiment.unslowed_runs import RUNS, RunPlan, suite_runs
from abs_audit.experiment.watch import Phase, Watch
from abs_audit.model.experiment import Arm, Block
from abs_audit.model.measurement import Trial
from tests.support.fake_executor import FakeSuite, harness, speaking
from tests.support.known_shares import Suite, World, injection

FACTOR = 1.5
"""What is told is right within it..."""
FROM, UNTIL = 0.2, 0.95
"""...from this part of the whole time on; of the last seconds nobody asks."""
MANY: Suite = {
    **{f"clear {number}": {"m": 0.9, "n": 0.3, "o": 0.05} for number in range(6)},
    **{f"other {number}": {"m": 0.1, "n": 0.7, "o": 0.4} for number in range(4)},
    **{f"none {number}": {} for number in range(5)},
}
CLEAR: Suite = {
    **{f"first {number}": {"m": 0.9, "n": 0.1} for number in range(6)},
    **{f"other {number}": {"m": 0.1, "n": 0.8} for number in range(4)},
    **{f"third {number}": {"o": 0.95} for number in range(4)},
}
SMALL: Suite = {
    "clear": {"m": 0.9},
    **{f"small {number}": {"m": 0.1, "n": 0.12, "o": 0.05} for number in range(12)},
}
SHARES = "measuring shares"
FORK_S = 0.7
"""Expected of a fork."""
FEW: Suite = {"only": {"m": 0.8, "n": 0.35, "o": 0.1}}


@dataclass(kw_only=True)
class Costs:
    """What executing takes beside what is timed."""

    set_up_s: float = 0.0
    """Of an invocation, untimed."""
    visit_s: float = 0.0
    """Of a block."""
    start_s: float = 0.0
    """Of a process."""
    slower: float = 1.0
    """How many seconds of the clock pass in one."""
    fork_s: float = 0.0
    """Of the fork that each block is, in a language whose forks differ; else blocks share processes."""


@dataclass
class Clocked:
    """A world in which time passes."""

    world: World
    costs: Costs
    now_s: float = 0.0
    processes: set[str] = field(default_factory=set)
    told: list[tuple[float, float | None]] = field(default_factory=list)
    stages: list[str] = field(default_factory=list)
    """What was being done at these moments."""

    def tell(self, stage: str, left_s: float | None) -> None:
        self.told.append((self.now_s, left_s))
        self.stages.append(stage)

    def trial(self, block: Block, position: int, arm: Arm) -> Trial:
        made, step = self.world.trial(block, position, arm), block.steps[position]
        costs = self.costs
        each_s = made.wall_s + costs.set_up_s * made.invocations
        begun_s = costs.fork_s / len(block.steps)
        made = replace(made, wall_s=each_s * (step.iterations + step.warmup) + begun_s)
        beside_s = costs.visit_s * (position == 0) + costs.start_s * (block.process not in self.processes)
        self.processes.add(block.process)
        self.now_s += costs.slower * (made.wall_s + beside_s)
        return made


class OneByOne(FakeSuite):
    """A suite whose trials are read as they are made, as those of a process are."""

    def trials(self, blocks: Sequence[Block], output: str) -> Sequence[Trial]:
        made = (
            self.invented(block, position, step.arm)
            for block in blocks
            for position, step in enumerate(block.steps)
        )
        return cast(Sequence[Trial], made)


def scored(folder: Path, clocked: Clocked, suite: Suite, *, settle_all: bool = True) -> None:
    """Do what a score does, in its phases."""
    watch = Watch()
    forks = {"forks_alike": False, "fork_s": FORK_S, "warmup": 1} if clocked.costs.fork_s else {}
    timed = replace(
        speaking(harness(folder, OneByOne(clocked.trial)), **forks),
        watch=watch,
        progress=lambda stage, done, planned: clocked.tell(stage, watch.left_s(planned - done)),
    )
    methods = ("m", "n", "o")
    profiler = Profiler(timed, ProfilePlan(benchmarks=tuple(suite), methods=methods, target_s=0.04, seed=1))
    watch.expect(forecast(profiler, methods).asked(settle_all))
    spec = injection("switched", settle_all=settle_all)
    verdicts(profiler, Axes(methods=methods, benchmarks=tuple(suite)), spec, lambda *_: None)
    with watch.phase(Phase.UNSLOWED):
        plans = profiler.profiles.calibration.iteration_plans
        worth = sorted(
            {share.benchmark for share in profiler.profiles.shares.values() if share.highest >= 0.25}
        )
        plain = replace(timed, context="without probes")
        suite_runs(plain, calibrate(plain, worth, 0.04, plans), worth, RunPlan(runs=RUNS, seed=1))


@pytest.mark.parametrize("suite", [MANY, FEW], ids=["many", "few"])
@pytest.mark.parametrize(
    "costs",
    [
        Costs(),
        Costs(set_up_s=0.02),
        Costs(visit_s=0.3),
        Costs(start_s=0.6),
        Costs(slower=4.0),
        Costs(set_up_s=0.001, visit_s=0.1, start_s=0.5, slower=2.0),
    ],
    ids=["nothing", "set-ups", "visits", "processes", "a busy machine", "all"],
)
def test_the_rest_is_told_within_a_factor_from_a_fifth_of_the_way_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suite: Suite, costs: Costs
) -> None:
    """In four of five moments; in the others, as where a phase has just begun, within the square of it."""
    clocked = Clocked(World(suite), costs)
    monkeypatch.setattr(time, "monotonic", lambda: clocked.now_s)
    scored(tmp_path, clocked, suite)
    assert_told_well(clocked)


def assert_told_well(clocked: Clocked) -> None:
    whole_s = clocked.now_s
    late = [(now_s, left_s) for now_s, left_s in clocked.told if FROM * whole_s <= now_s < UNTIL * whole_s]
    ratios = [(whole_s - now_s) / left_s for now_s, left_s in late if left_s]
    right = [1 / FACTOR <= ratio <= FACTOR for ratio in ratios]
    assert len(ratios) == len(late)
    assert sum(right) >= 0.8 * len(late)
    assert all(FACTOR**-2 <= ratio <= FACTOR**2 for ratio in ratios)


@pytest.mark.parametrize("fork_s", [0.7, 2.0])
def test_forks_that_take_long_to_start_are_a_part_of_what_calibrating_was_to_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fork_s: float
) -> None:
    """Of protostuff nine minutes were told, and then, as the first forks had ended, 109."""
    clocked = Clocked(World(MANY), Costs(fork_s=fork_s))
    monkeypatch.setattr(time, "monotonic", lambda: clocked.now_s)
    scored(tmp_path, clocked, MANY)
    assert_told_well(clocked)
    told = zip(clocked.stages, clocked.told, strict=True)
    calibrating = [
        (clocked.now_s - now_s) / left_s for stage, (now_s, left_s) in told if "calib" in stage and left_s
    ]
    assert all(FACTOR**-2 <= ratio <= FACTOR**2 for ratio in calibrating)


@pytest.mark.parametrize(
    "costs", [Costs(), Costs(fork_s=0.7), Costs(slower=4.0)], ids=["idle", "forks", "busy"]
)
def test_the_rest_is_told_well_where_one_benchmark_a_method_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, costs: Costs
) -> None:
    """Of commons-numbers' eleven methods 15 min were told at 4, where 6 were left: cells counted twice."""
    clocked = Clocked(World(CLEAR), costs)
    monkeypatch.setattr(time, "monotonic", lambda: clocked.now_s)
    scored(tmp_path, clocked, CLEAR, settle_all=False)
    told = zip(clocked.stages, clocked.told, strict=True)
    settling = [
        (clocked.now_s - now_s) / left_s for stage, (now_s, left_s) in told if "switched" in stage and left_s
    ]
    assert all(FACTOR**-2 <= ratio <= FACTOR**2 for ratio in settling)


@pytest.mark.parametrize("costs", [Costs(), Costs(set_up_s=0.02), Costs(slower=4.0)])
def test_what_the_first_rounds_say_of_shares_counts_before_the_last_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, costs: Costs
) -> None:
    """Here most benchmarks call methods that are a tenth of their time: nothing is to be settled in them."""
    clocked = Clocked(World(SMALL), costs)
    monkeypatch.setattr(time, "monotonic", lambda: clocked.now_s)
    scored(tmp_path, clocked, SMALL)
    learning = [moment for moment, stage in zip(clocked.told, clocked.stages, strict=True) if stage == SHARES]
    now_s, left_s = learning[-1]
    assert left_s
    assert FACTOR**-2 <= (clocked.now_s - now_s) / left_s <= FACTOR**2


@pytest.mark.parametrize(
    ("budget_s", "expected"),
    [
        (None, [["b", "c", "a"], []]),
        (60.0, [["b", "c", "a"], []]),
        (12.0, [["b", "c"], ["a"]]),
        (1.0, [[], ["b", "c", "a"]]),
    ],
)
def test_unslowed_runs_that_surely_fit_into_a_budget_come_first(
    monkeypatch: pytest.MonkeyPatch, budget_s: float | None, expected: list[list[str]]
) -> None:
    """Those that a budget cuts off tell nothing, and all of xxh3's were begun together."""
    cost_s = {"a": 20.0, "b": 1.0, "c": 4.0}
    monkeypatch.setattr(told_rest, "_unslowed_left", lambda _, names: {name: cost_s[name] for name in names})
    profiler = cast(Profiler, SimpleNamespace(harness=SimpleNamespace(watch=Watch(budget_s=budget_s))))
    assert expected == told_rest.fitting_first(profiler, ["a", "b", "c"])
