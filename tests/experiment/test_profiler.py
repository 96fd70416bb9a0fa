"""What is counted first where time is short."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from string import ascii_letters
from types import SimpleNamespace

import pytest

from abs_audit.experiment import profiler as room
from abs_audit.experiment import watch
from abs_audit.experiment.asking import Injection
from abs_audit.experiment.calibration import Calibration
from abs_audit.experiment.cell_profiles import CellProfiles, ProfilePlan
from abs_audit.experiment.counting import Counting
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.order_of_work import awaited
from abs_audit.experiment.profiler import Profiler
from abs_audit.experiment.reach import Reach
from abs_audit.experiment.telling import without_measuring
from abs_audit.experiment.watch import BudgetEndedError, Watch
from abs_audit.model.experiment import UNPROBED, Arm, Block, BlockKind
from abs_audit.model.explanation import Cause
from abs_audit.model.measurement import Status, Trial
from tests.support.fake_executor import FakeSuite, harness, speaking, trial

DEAR = ProfilePlan(
    benchmarks=("dear", "a", "dearest", "b"),
    methods=("m",),
    target_s=1.0,
    seed=1,
    durations_s={"a": 0.001, "dear": 60.0, "dearest": 90.0},
)
NOTHING: Mapping[str, Sequence[str]] = {}
MANY = replace(DEAR, benchmarks=tuple("abcdefghijklmnopqrstuvwxyz"), durations_s={})
BUDGET_S = 1000.0


def counted_within(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    plan: ProfilePlan,
    lasting_s: Mapping[str, float],
    budget_s: float | None = BUDGET_S,
    starting_s: float = 0.0,
    *,
    on: bool = False,
    may_call: Mapping[str, Sequence[str]] = NOTHING,
    calling: bool = False,
    kept_s: float = 0.0,
) -> tuple[list[str], CellProfiles]:
    """Return which benchmarks were counted together, and what is known after it; trials last `lasting_s`.

    `starting_s`: what the processes of some benchmarks take to start, however many these are; `on`: whether
    others are counted after the first ones, for as long as there is time; `may_call`: what is told of them;
    `calling`: whether the others call the method; `kept_s`: what is kept of the budget for other answers.
    """
    asked: list[str] = []
    now_s = [0.0]

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        whole_s = lasting_s.get(block.benchmark, 0.0)
        wall_s = min(whole_s, block.limit_s)
        remaining_s = timed.watch.remaining_s
        if remaining_s is not None and wall_s > remaining_s:
            now_s[0] += remaining_s
            raise BudgetEndedError
        now_s[0] += wall_s
        if wall_s < whole_s:
            return replace(trial(block, position, arm), status=Status.TIMED_OUT, values=())
        return replace(trial(block, position, arm), wall_s=wall_s)

    def reach(harness: Harness, names: list[str], methods: list[str], wanted: Counting) -> tuple[Reach, ...]:
        asked.append("".join(names))
        now_s[0] += starting_s
        counted = counting(harness, names, methods, wanted)
        return tuple(replace(reached, calls={"m": 1.0}) for reached in counted) if calling else counted

    counting = room.reach
    monkeypatch.setattr(room, "reach", reach)
    monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: now_s[0]))
    patient = replace(
        harness(folder, FakeSuite(invented)),
        longest_s=3600.0,
        may_call=lambda names: {name: frozenset(may_call[name]) for name in names if name in may_call},
    )
    timed = replace(patient, watch=Watch(budget_s=budget_s))
    with timed.watch.reserving(kept_s):
        profiler = Profiler(timed, plan)
        while on and profiler.count_on():
            pass
    return asked, profiler.profiles


@pytest.mark.parametrize(("calling", "looked_at"), [("", 22), (MANY.benchmarks, 0), ("agwq", 6)])
def test_where_few_call_what_they_may_the_others_share_a_process(
    tmp_path: Path, calling: Sequence[str], looked_at: int
) -> None:
    """Each process of its own takes as long as looks at ten benchmarks that call nothing."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        made = trial(block, position, arm)
        assert made.tally
        calls = (block.steps[position].invocations or 5000) * (block.benchmark in calling)
        methods = {name: replace(counted, calls=calls) for name, counted in made.tally.methods.items()}
        return replace(
            made,
            invocations=block.steps[position].invocations or 5000,
            tally=replace(made.tally, methods=methods),
        )

    suite = FakeSuite(invented)
    plain = replace(
        speaking(harness(tmp_path, suite), forks_alike=False),
        may_call=lambda names: dict.fromkeys(names, frozenset({"m"})),
    )
    reached = Profiler(plain, MANY).profiles.reach
    assert set(calling) == {name for name, counted in reached.items() if counted.calls}
    looks = [block for block in suite.asked if block.kind is BlockKind.FIRST_LOOK]
    assert looked_at == len({block.benchmark for block in looks})


def test_what_is_known_is_not_counted_again_until_more_is_asked(tmp_path: Path) -> None:
    """Counting for the noise and for the score took two parts of a budget."""
    suite = FakeSuite(trial)
    plain = harness(tmp_path, suite)
    known = Profiler(plain, replace(MANY, benchmarks=MANY.benchmarks[:1])).profiles
    profiler = Profiler(plain, MANY, known)
    assert profiler.profiles is known
    assert profiler.count_on()
    assert set(MANY.benchmarks) == set(profiler.profiles.reach)


@pytest.mark.parametrize("fails", [True, False])
def test_what_a_budget_left_of_the_shares_stays_left_when_all_is_counted(tmp_path: Path, fails: bool) -> None:
    """Of the last benchmark of uncertainties "nothing was executed" was told, and no need to go on."""
    plain = harness(tmp_path, FakeSuite(trial))
    counted = Profiler(plain, replace(MANY, benchmarks=("a",))).profiles
    reached = replace(counted.reach["a"], calls={"m": 1.0})
    plans = {"a": IterationPlan(benchmark="a", invocations=1, iteration_s=1.0, wall_s=1.0)}
    failed = trial(Block(id="a", benchmark="a", steps=(), limit_s=1.0), 0, UNPROBED)
    learnt = replace(
        counted,
        reach={"a": reached},
        calibration=Calibration(iteration_plans=plans, failed={}),
        unknown={("m", "a"): failed} if fails else {},
        ended=True,
    )
    profiler = Profiler(plain, replace(MANY, benchmarks=("a",)), learnt)
    assert not profiler.count_on()
    assert fails != profiler.profiles.ended


@pytest.mark.parametrize("before", [True, False])
def test_iterations_of_the_suite_as_it_is_are_looked_at_once_unless_others_were_found(
    tmp_path: Path, before: bool
) -> None:
    """What is measured in other iterations than those before would have to be measured again."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[position].invocations or 5000
        return replace(trial(block, position, arm, 0.02 / number), invocations=number)

    suite = FakeSuite(invented)
    plain = harness(tmp_path, suite)
    alone = replace(DEAR, benchmarks=("a",), target_s=0.02)
    if before:
        Profiler(plain, alone).learn(["a"])
    made = len(suite.asked)
    plans = {"a": IterationPlan(benchmark="a", invocations=41, iteration_s=0.02, wall_s=0.03)}
    profiler = Profiler(plain, replace(alone, iterations=plans))
    profiler.learn(["a"])
    looked = [
        block.steps[0].invocations for block in suite.asked[made:] if block.kind is BlockKind.CALIBRATION
    ]
    assert ([] if before else [41]) == looked
    assert before == (profiler.profiles.calibration.iteration_plans["a"].invocations != 41)


def test_without_a_budget_benchmarks_are_counted_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, profiles = counted_within(tmp_path, monkeypatch, MANY, {}, budget_s=None)
    assert (asked, profiles.ended) == (["".join(MANY.benchmarks)], False)


def test_under_a_budget_dear_benchmarks_are_counted_last_and_leave_time_for_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What others call is measured first; of the 1,000 s that are left one lasts 300 s, another too long."""
    lasting_s = {"dear": 100.0, "dearest": 800.0}
    asked, profiles = counted_within(tmp_path / "first", monkeypatch, DEAR, lasting_s)
    assert (asked, set(profiles.reach), profiles.ended) == (["ab"], {"a", "b"}, True)
    asked, profiles = counted_within(tmp_path / "on", monkeypatch, DEAR, lasting_s, on=True)
    assert (asked[:3], profiles.ended) == (["ab", "dear", "dearest"], True)
    assert {"a", "b", "dear"} == set(profiles.reach)


def test_a_budget_that_ends_while_calls_are_counted_leaves_what_was_counted_and_time_to_measure_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trials of 20 s that nobody knew of: four, from all parts of the suite, are counted in a third."""
    lasting_s = dict.fromkeys(MANY.benchmarks, 20.0)
    asked, profiles = counted_within(tmp_path / "first", monkeypatch, MANY, lasting_s)
    assert "aqgw" == asked[0]
    assert profiles.ended
    assert "mcsi" == "".join(profiles.reach)
    _, profiles = counted_within(tmp_path / "on", monkeypatch, MANY, lasting_s, on=True)
    assert profiles.ended
    assert len(profiles.reach) > 10


def test_what_an_earlier_command_counted_is_measured_before_others_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second score of an audit counted for a third of what the first had left, and settled nothing.

    But not where half of the time is enough for all, and then most methods are known to be called by none.
    """
    lasting_s = dict.fromkeys(MANY.benchmarks, 20.0)
    first, before = counted_within(tmp_path, monkeypatch, MANY, lasting_s)
    again, after = counted_within(tmp_path, monkeypatch, MANY, lasting_s)
    assert set("".join(first)) == set(again)
    assert before.reach.keys() == after.reach.keys()
    _, further = counted_within(tmp_path, monkeypatch, MANY, lasting_s, on=True)
    assert before.reach.keys() < further.reach.keys()
    _, near = counted_within(tmp_path, monkeypatch, MANY, lasting_s, budget_s=10 * BUDGET_S)
    assert len(near.reach) > 2 * len(before.reach)


def test_what_is_counted_to_the_end_leaves_time_to_measure_what_was_counted_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two of ristretto's benchmarks set up for 18 s: counting them took all of what the first score left."""
    lasting_s = {**dict.fromkeys(MANY.benchmarks, 1.0), "c": 900.0}
    _, before = counted_within(tmp_path, monkeypatch, MANY, lasting_s)
    _, after = counted_within(tmp_path, monkeypatch, MANY, lasting_s)
    assert ({"c"}, {"c"}) == tuple({*MANY.benchmarks} - seen.reach.keys() for seen in (before, after))
    assert watch.time.monotonic() < 0.8 * BUDGET_S


@pytest.mark.parametrize("calling", [False, True])
def test_what_no_benchmark_calls_so_far_is_counted_to_the_end_where_that_is_near(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calling: bool
) -> None:
    """Of 390 s of counting a third of 1,000 s is enough for the most part, and another for the rest."""
    lasting_s = dict.fromkeys(MANY.benchmarks, 5.0)
    _, profiles = counted_within(tmp_path, monkeypatch, MANY, lasting_s, calling=calling)
    assert (calling, calling) == (len(profiles.reach) < len(MANY.benchmarks), profiles.ended)


def test_calls_are_counted_to_the_end_in_half_of_the_time_where_that_answers_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 390 s a third of 680 s is enough for the larger part, and half of what that leaves for the rest.

    asdf's 122 benchmarks and 397 methods: 36 were left after a third, and four minutes answered for nine.
    """
    plan = replace(MANY, benchmarks=tuple(ascii_letters))
    lasting_s = dict.fromkeys(plan.benchmarks, 2.5)
    _, profiles = counted_within(tmp_path, monkeypatch, plan, lasting_s, budget_s=680.0)
    assert (set(plan.benchmarks), False) == (set(profiles.reach), profiles.ended)


def test_what_was_begun_when_a_budgets_part_ended_makes_the_rest_nearer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixteen of casbin's fifty benchmarks were begun when time was over: 644 of 652 methods stayed open."""
    plan = replace(MANY, benchmarks=tuple(ascii_letters))
    lasting_s = dict.fromkeys(plan.benchmarks, 2.5)
    _, profiles = counted_within(tmp_path, monkeypatch, plan, lasting_s, budget_s=600.0)
    assert len(profiles.reach) > 0.9 * len(plan.benchmarks)


def test_what_is_kept_for_other_answers_makes_counting_in_the_rest_nearer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five minutes' audit of badger counted 37 of 105 benchmarks, so 478 of 481 methods stayed open."""
    plan = replace(MANY, benchmarks=tuple(ascii_letters))
    lasting_s = dict.fromkeys(plan.benchmarks, 2.5)
    _, profiles = counted_within(tmp_path, monkeypatch, plan, lasting_s, budget_s=640.0, kept_s=640.0)
    assert len(profiles.reach) > 0.8 * len(plan.benchmarks)


def test_what_was_kept_for_measuring_goes_on_counting_where_nothing_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of two benchmarks takes 3 · 300 s, of which 333 s are not enough and 1,000 s are."""
    plan = replace(MANY, benchmarks=("a", "b"))
    _, profiles = counted_within(tmp_path, monkeypatch, plan, {"a": 300.0, "b": 200.0})
    assert ({"a"}, True) == (set(profiles.reach), profiles.ended)


def test_what_turns_out_to_be_dear_is_counted_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, profiles = counted_within(tmp_path, monkeypatch, MANY, {"b": 100.0, "c": 400.0}, on=True)
    assert ["b", "c"] == list(dict.fromkeys(asked))[-2:]
    assert ({*MANY.benchmarks} - {"c"}, True) == (set(profiles.reach), profiles.ended)


def test_what_takes_long_to_count_is_dear_though_its_first_look_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 1,000 s a first look takes 10 s, and as many invocations as tell more about 100 s."""
    asked, profiles = counted_within(tmp_path, monkeypatch, MANY, {"b": 10.0}, on=True)
    assert "b" == asked[-1]
    assert not profiles.ended


def test_what_is_told_without_being_executed_is_known_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the others lasts longer than there is time for any."""
    inert = tuple("cdefghij")
    asked, profiles = counted_within(
        tmp_path, monkeypatch, MANY, dict.fromkeys(MANY.benchmarks, 1500.0), may_call=dict.fromkeys(inert, ())
    )
    assert "".join(inert) == asked[0]
    assert (set(inert), True) == (set(profiles.reach), profiles.ended)


def test_benchmarks_that_may_call_anything_come_first_then_what_the_fewest_may_call() -> None:
    """But one of each kind before its like: commons-rng has 240 of one, and 298 other ones."""
    many, rare = frozenset({"m"}), frozenset({"m", "n"})
    may_call = {"a": many, "b": rare, "c": many, "e": rare}
    assert ["d", "b", "a", "e", "c"] == awaited("abcde", may_call)
    assert ["a", "b"] == awaited("ab", {})
    # Of one with several parameters that which is listed first: geometry's trees of 4 levels took 18 s.
    assert ["a", "b", "c"] == awaited("abc", {"b": many, "c": many})


def test_what_a_benchmark_cannot_call_is_known_before_calls_in_it_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None is counted in the time for it: of those of which nothing is told every method is open."""
    plan = replace(MANY, methods=("m", "n"))
    _, profiles = counted_within(
        tmp_path, monkeypatch, plan, dict.fromkeys(MANY.benchmarks, 1500.0), may_call={"c": ["m"], "d": []}
    )
    assert (["d"], True) == ([*profiles.reach], profiles.ended)
    spec = Injection(
        slowdown=0.1,
        threshold=0.05,
        delay_batch_ns=1e4,
        floor_ns=3.0,
        seed=1,
        name="switched",
        settle_all=True,
    )
    causes = {
        name: [without_measuring(profiles, method, name, spec).cause for method in plan.methods]
        for name in "bcd"
    }
    assert causes == {
        "b": [Cause.BUDGET, Cause.BUDGET],
        "c": [Cause.BUDGET, Cause.CANNOT_CALL],
        "d": [Cause.CANNOT_CALL, Cause.CANNOT_CALL],
    }


def test_quick_benchmarks_are_counted_more_and_more_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, profiles = counted_within(tmp_path, monkeypatch, MANY, {})
    assert ([4, 16, 6], False) == ([len(names) for names in asked], profiles.ended)


def test_processes_that_take_long_to_start_are_no_reason_to_count_fewer_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, profiles = counted_within(tmp_path, monkeypatch, MANY, {}, starting_s=60.0)
    assert ([4, 16, 6], False) == ([len(names) for names in asked], profiles.ended)
