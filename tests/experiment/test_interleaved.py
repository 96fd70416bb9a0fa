"""What is measured first, and what is not measured at all, where a score or little time is asked for."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from abs_audit.experiment import order_of_work
from abs_audit.experiment.asking import Axes, Injection
from abs_audit.experiment.cell_profiles import CellProfiles, ProfilePlan
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.interleaved import PATIENCE, Proving, Verdicts, verdicts
from abs_audit.experiment.profiler import Profiler
from abs_audit.experiment.share import Share
from abs_audit.experiment.watch import Phase, Watch
from abs_audit.model.experiment import Arm, Block, BlockKind
from abs_audit.model.explanation import Cause
from abs_audit.model.measurement import Trial
from abs_audit.model.verdict import CellVerdict, Verdict, noticed
from tests.support.fake_executor import FakeSuite, harness
from tests.support.known_shares import SHORT_S, EndsAt, Suite, World, injection

THREE: Suite = {"low": {"m": 0.3}, "high": {"m": 0.9, "n": 0.05}, "other": {"m": 0.6, "n": 0.8}}


@dataclass
class Answer:
    world: World
    verdicts: Verdicts
    profiles: CellProfiles

    @property
    def cells(self) -> dict[tuple[str, str], CellVerdict]:
        return {(cell.method, cell.benchmark): cell for cell in self.verdicts.cells}


def answered(
    folder: Path,
    suite: Suite | World,
    watch: Callable[[World], Watch] = lambda _: Watch(),
    *,
    settle_all: bool = False,
    prove: Proving = lambda *_: None,
) -> Answer:
    world = suite if isinstance(suite, World) else World(suite)
    runtime = replace(harness(folder, FakeSuite(world.trial)), watch=watch(world))
    plan = ProfilePlan(benchmarks=tuple(world.suite), methods=("m", "n"), target_s=0.02, seed=1)
    profiler = Profiler(runtime, plan)
    spec = injection("switched", settle_all=settle_all)
    axes = Axes(methods=plan.methods, benchmarks=plan.benchmarks)
    return Answer(world, verdicts(profiler, axes, spec, prove), profiler.profiles)


def test_each_method_has_one_verdict_with_each_benchmark(tmp_path: Path) -> None:
    cells = answered(tmp_path, THREE).verdicts.cells
    assert sorted(product("mn", THREE)) == sorted((cell.method, cell.benchmark) for cell in cells)
    # That a benchmark does not call a method is told once of all such methods.
    assert ("n", "low") not in {(cell.method, cell.benchmark) for cell in cells.listed}


def test_a_score_measures_the_most_promising_benchmark_and_no_other_where_it_notices(tmp_path: Path) -> None:
    answer = answered(tmp_path, THREE)
    assert {"high", "other"} == set(answer.world.made_of("calibration/"))
    assert {("m", "high"), ("n", "other")} == {
        place for place, cell in answer.cells.items() if cell.verdict is Verdict.DETECTED
    }
    assert {Cause.ANOTHER_BENCHMARK_NOTICES} == {answer.cells["m", name].cause for name in ("low", "other")}


def test_a_method_that_nothing_notices_is_missed_only_once_all_that_call_it_are_known(tmp_path: Path) -> None:
    answer = answered(tmp_path, {"some": {"m": 0.35}, "little": {"m": 0.1}, "none": {"n": 0.9}})
    assert {"some", "little", "none"} == set(answer.world.made_of("calibration/"))
    assert {Verdict.MISSED} == {answer.cells["m", name].verdict for name in ("some", "little")}
    assert Cause.SHARE_TOO_SMALL is answer.cells["m", "little"].cause


@pytest.mark.parametrize("settle_all", [False, True])
def test_with_a_budget_the_same_blocks_are_made_as_without(tmp_path: Path, settle_all: bool) -> None:
    """So the same command finds them, whatever time it is given."""
    suite = {**THREE, "more": {"n": 0.4, "m": 0.5}, "last": {"n": 0.45}}
    whole = answered(tmp_path / "whole", suite, settle_all=settle_all)
    within = answered(tmp_path / "within", suite, lambda world: EndsAt(world, ""), settle_all=settle_all)
    assert whole.verdicts == within.verdicts
    assert {block.id for block in whole.world.made} == {block.id for block in within.world.made}


@pytest.mark.parametrize(
    ("share", "felt", "cause"),
    [
        (0.2, 1.0, Cause.SHARE_TOO_SMALL),
        (0.2, 4.0, Cause.UNCERTAIN_SHARE),
        (0.05, 4.0, Cause.SHARE_TOO_SMALL),
    ],
)
def test_a_small_share_says_little_of_a_benchmark_that_feels_much_more_than_is_injected(
    tmp_path: Path, share: float, felt: float, cause: Cause
) -> None:
    """As where a cache expires by the clock: the slower an invocation, the oftener it is filled."""
    world = World({"expiring": {"m": 0.8, "n": share}}, {"expiring": felt})
    cells = answered(tmp_path, world, settle_all=True).cells
    assert cells["m", "expiring"].cause is (Cause.NOTICED if felt == 1.0 else Cause.OVER_INJECTED)
    assert cells["n", "expiring"].cause is cause


def test_all_cells_are_settled_where_all_are_asked_for(tmp_path: Path) -> None:
    cells = answered(tmp_path, THREE, settle_all=True).cells
    detected = {place for place, cell in cells.items() if cell.verdict is Verdict.DETECTED}
    assert {("m", "high"), ("m", "other"), ("n", "other")} == detected
    assert Verdict.MISSED is cells["m", "low"].verdict


def test_verdicts_come_before_other_benchmarks_are_calibrated_where_time_is_short(tmp_path: Path) -> None:
    """Learning of all takes more than half of what is left, and of each more than a tenth: a portion each."""
    answer = answered(
        tmp_path,
        {"high": {"m": 0.9}, "other": {"n": 0.8}, "low": {"m": 0.3}},
        lambda world: EndsAt(world, "calibration/look 0/other", budget_s=1.0),
        settle_all=True,
    )
    assert ["high", "other"] == answer.world.made_of("calibration/")
    assert Verdict.DETECTED is answer.cells["m", "high"].verdict
    assert {Cause.BUDGET} == {answer.cells[place].cause for place in (("n", "other"), ("m", "low"))}


def test_where_time_is_short_methods_are_decided_before_others_are_settled_again(tmp_path: Path) -> None:
    """That of `n` no benchmark notices it is known once both are settled; of `m` the first is enough."""
    suite: Suite = {"a": {"m": 0.9}, "b": {"m": 0.8}, "c": {"m": 0.7}, "d": {"n": 0.4}, "e": {"n": 0.35}}
    within, whole = (
        answered(tmp_path / name, suite, watch, settle_all=True).world.made_of("switched/")
        for name, watch in (("within", lambda world: EndsAt(world, "")), ("whole", lambda _: Watch()))
    )
    assert ["a", "d", "e", "b", "c"] == within
    assert set(within) == set(whole)


class CountsFewFirst(EndsAt):
    """A watch whose time for counting calls ends with the first four benchmarks, until some are slowed."""

    @property
    def remaining_s(self) -> float:
        counted = {block.benchmark for block in self._world.made if block.kind is BlockKind.REACH}
        counts_few = len(counted) >= 4 and not self._world.made_of("switched/")
        return 0.0 if self._phase is Phase.REACH and counts_few else SHORT_S


@pytest.mark.parametrize("settle_all", [False, True])
def test_where_counting_takes_long_what_is_counted_is_settled_before_the_others_are(
    tmp_path: Path, settle_all: bool
) -> None:
    """One that nothing counted calls is then found; what is noticed is not settled by another."""
    suite: Suite = {**{f"b{number}": {"m": 0.5 + number / 100} for number in range(8)}, "last": {"n": 0.9}}
    answer = answered(tmp_path, suite, lambda world: CountsFewFirst(world, ""), settle_all=settle_all)
    made = [block.id.split("/")[0] for block in answer.world.made]
    first_slowed = made.index("switched")
    assert 4 == len({block.benchmark for block in answer.world.made[:first_slowed]})
    assert "reach" in made[first_slowed:]
    assert {"m", "n"} == noticed(answer.cells.values())
    assert set(suite) == set(answer.profiles.reach)
    assert settle_all is (set(suite) == set(answer.world.made_of("switched/")))


def test_a_later_command_goes_on_with_what_is_measured_already(tmp_path: Path) -> None:
    """By then calls are counted in a more promising benchmark, which would not change the answer."""
    suite: Suite = {"high": {"m": 0.9}, "higher": {"m": 0.95}}
    world = World(suite)
    answered(tmp_path, World({"high": suite["high"]}))
    answer = answered(tmp_path, world)
    assert [] == answer.world.made_of("switched/")
    assert Verdict.DETECTED is answer.cells["m", "high"].verdict


def test_where_time_is_short_and_no_benchmark_is_sure_the_best_of_some_is_settled(tmp_path: Path) -> None:
    """All were learnt of first: that may take longer than the budget, with no verdict at its end."""
    suite: Suite = {f"b{number}": {"m": 0.45 - number / 100} for number in range(8)}
    ending = partial(EndsAt, begins="shares/1/0/b4", budget_s=2.0)
    answer = answered(tmp_path, suite, ending, settle_all=True)
    learnt = answer.world.made_of("shares/")
    assert learnt[:PATIENCE] == ["b0", "b1", "b2"]
    assert ["b0"] == answer.world.made_of("switched/")[:1]
    assert Verdict.MISSED is answer.cells["m", "b0"].verdict


def test_all_benchmarks_are_learnt_of_first_where_that_takes_little_of_the_time(tmp_path: Path) -> None:
    """Of 20 of fastapi's 24 it takes a minute, and nearly all methods have their verdict by then."""
    suite: Suite = {**{f"b{number}": {"m": 0.1} for number in range(4)}, "last": {"m": 0.8}}
    answer = answered(tmp_path, suite, lambda world: EndsAt(world, "", 100 * SHORT_S), settle_all=True)
    made = answer.world.made
    slowed = [block.id.startswith("switched/") for block in made].index(True)
    assert set(suite) == {block.benchmark for block in made[:slowed] if block.kind is BlockKind.SHARES}
    assert ["last"] == answer.world.made_of("switched/")


def test_no_cell_is_settled_before_the_proof_and_a_proof_is_never_left_out(tmp_path: Path) -> None:
    proofs: list[int] = []

    def prove(_: Harness, profiles: CellProfiles, __: Injection) -> Share | None:
        proofs.append(len(profiles.shares))
        return next(iter(profiles.shares.values()), None)

    answer = answered(tmp_path / "a", THREE, prove=prove)
    assert len(proofs) == 1
    assert proofs[0] > 0
    assert Verdict.DETECTED is answer.cells["m", "high"].verdict
    answered(tmp_path / "b", {"none": {}}, prove=prove)
    assert [0] == proofs[1:]


def test_the_proof_waits_for_a_cell_that_is_worth_settling(tmp_path: Path) -> None:
    """A share of 5 % made five times as slow hardly shows; the first portion knows no other."""
    known: list[float] = []

    def prove(_: Harness, profiles: CellProfiles, __: Injection) -> Share:
        largest = max(profiles.shares.values(), key=lambda share: share.share)
        known.append(largest.share)
        return largest

    suite: Suite = {"little": {"m": 0.05}, "other": {"n": 0.8}}
    answered(tmp_path, suite, lambda world: EndsAt(world, ""), settle_all=True, prove=prove)
    assert known == [pytest.approx(0.8, rel=0.1)]


class Scattering(World):
    """One whose first benchmark scatters so much that looks at it go on and on; each trial takes its time."""

    now_s = 0.0

    def trial(self, block: Block, position: int, arm: Arm) -> Trial:
        made = super().trial(block, position, arm)
        self.now_s += made.wall_s
        if block.benchmark != "noisy":
            return made
        luck = random.Random(f"{block.id}{position}")
        return replace(made, values=tuple(value * luck.uniform(0.5, 1.7) for value in made.values))


@pytest.fixture
def scattering(monkeypatch: pytest.MonkeyPatch) -> Scattering:
    world = Scattering({"noisy": {"m": 0.9}, "calm": {"n": 0.8}})
    monkeypatch.setattr(time, "monotonic", lambda: world.now_s)
    return world


@pytest.mark.parametrize("settle_all", [False, True])
def test_where_time_is_short_what_scatters_waits_until_others_had_their_turn(
    tmp_path: Path, scattering: Scattering, settle_all: bool
) -> None:
    """Of btree two of 47 methods had a verdict after four minutes: its first benchmark took all of them."""
    answer = answered(tmp_path, scattering, lambda _: Watch(budget_s=5.0), settle_all=settle_all)
    assert Verdict.DETECTED is answer.cells["n", "calm"].verdict
    assert Cause.BUDGET is answer.cells["m", "noisy"].cause


@pytest.mark.parametrize("settle_all", [False, True])
def test_where_time_is_short_what_felt_too_much_is_measured_again_after_the_others(
    tmp_path: Path, settle_all: bool
) -> None:
    """Of ulid-creator one benchmark took a third of four minutes, and 13 methods of 46 were not settled."""
    suite = {"expiring": {"m": 0.9}, "calm": {"n": 0.8}}
    world = World(suite, {"expiring": 4.0})
    watch = partial(EndsAt, begins="")
    answer = answered(tmp_path / "short", world, watch, settle_all=settle_all)
    assert answer.cells["m", "expiring"].cause is Cause.OVER_INJECTED
    again = [" again/" in block.id for block in world.made]
    calm = [block.id.startswith("switched/") and block.benchmark == "calm" for block in world.made]
    assert max(number for number, made in enumerate(calm) if made) < again.index(True)
    whole = answered(tmp_path / "whole", World(suite, world.felt), settle_all=settle_all)
    assert whole.verdicts == answer.verdicts


@pytest.mark.parametrize("settle_all", [False, True])
def test_what_has_waited_is_settled_by_what_was_made_of_it(
    tmp_path: Path, scattering: Scattering, monkeypatch: pytest.MonkeyPatch, settle_all: bool
) -> None:
    whole = answered(tmp_path / "whole", scattering, settle_all=settle_all)
    made = [block.id for block in scattering.made]
    scattering.made.clear()
    monkeypatch.setattr(order_of_work, "ALLOTTED", 0.5)
    later = answered(tmp_path / "later", scattering, lambda _: Watch(budget_s=1e3), settle_all=settle_all)
    assert whole.verdicts == later.verdicts
    assert sorted(made) == sorted(block.id for block in scattering.made)
