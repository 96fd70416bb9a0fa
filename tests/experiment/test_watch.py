"""The clock of a command: budgets that end what is under way, and how long the rest takes."""

import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

from abs_audit.cli.progress import Lines
from abs_audit.experiment.forecast import after_score_s, forecast, once_learnt
from abs_audit.experiment.iteration_plan import FURTHER_ROUNDS, IterationPlan
from abs_audit.experiment.looking import OPEN, OPEN_BORDER, OPEN_LATER, Looking
from abs_audit.experiment.profiler import Profiler
from abs_audit.experiment.reach import Reach
from abs_audit.experiment.watch import BELIEVED_S, GRACE, BudgetEndedError, Phase, Watch
from abs_audit.model.experiment import Command, Shared
from tests.support.executions import ended

COMMAND = Command(
    argv=("go", "test"),
    cwd=Path("/"),
    env={},
    limit_s=600.0,
    results=None,
    network=False,
    purpose="compiling",
)
KILLED = ended(-9, timed_out=True)
LONG_AGO = -1e9


def reached(benchmark: str, *methods: str) -> Reach:
    calls = dict.fromkeys(methods, 1.0)
    return Reach(benchmark=benchmark, calls=calls, setup_only=frozenset(), failure=None)


def plan(benchmark: str, wall_s: float) -> IterationPlan:
    return IterationPlan(benchmark=benchmark, invocations=1, iteration_s=wall_s / 2, wall_s=wall_s)


def counted(
    reach: Mapping[str, Reach],
    plans: Mapping[str, IterationPlan],
    *,
    looks: bool = False,
    plain: str = "",
    **traits: Any,
) -> Profiler:
    """Return what has counted calls, of a suite that may look at stacks and a language with other traits.

    `plain`: benchmarks of a letter each whose unslowed runs are made already.
    """
    profiles = SimpleNamespace(reach=reach)
    usual = {"forks_alike": True, "forks_a_block": True, "warmup": 1, "spread": 1, "fork_s": 0.0, "turns": 1}
    usual |= {"times_together": False}
    language = SimpleNamespace(**{**usual, **traits}, looks_s=(0.4,) if looks else ())
    harness = SimpleNamespace(language=language, watch=Watch(), looking=Looking())
    asked = SimpleNamespace(target_s=0.1, plain=frozenset(plain))
    return cast(
        Profiler,
        SimpleNamespace(profiles=profiles, plans=plans, harness=harness, plan=asked, uncounted=["later"]),
    )


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Lets seconds pass, and no others do."""
    now_s = 0.0

    def let_pass(seconds: float) -> None:
        nonlocal now_s
        now_s += seconds

    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    return let_pass


def test_a_process_gets_the_time_that_its_budget_leaves_and_a_twentieth_of_it() -> None:
    bounded = Watch(budget_s=400.0).bounded(COMMAND)
    assert bounded.limit_s == pytest.approx(400.0 * (1 + GRACE), abs=5)
    assert Watch(budget_s=1e6).bounded(COMMAND).limit_s == 600.0
    assert Watch().bounded(COMMAND) == COMMAND


def test_a_process_that_others_find_begun_ends_with_the_budget_and_not_with_what_was_allotted(
    passing: Callable[[float], None],
) -> None:
    """A suite that takes 41 s to import was ended after 23 s, five times in a row."""
    serving = replace(COMMAND, shared=Shared(kind="k", needs=frozenset()))
    watch = Watch(budget_s=100.0)
    with watch.allotting(10.0):
        assert 10.0 + 100.0 * GRACE == watch.bounded(COMMAND).limit_s
        assert 100.0 + 100.0 * GRACE == watch.bounded(serving).limit_s
        passing(50.0)
        with pytest.raises(BudgetEndedError):
            watch.bounded(serving)


def test_what_the_first_process_of_a_kind_takes_to_begin_is_taken_off_nobodys_turn(
    passing: Callable[[float], None],
) -> None:
    watch = Watch(budget_s=100.0)
    with watch.allotting(10.0):
        passing(8.0)
        for _ in range(2):
            watch.began("k", 8.0)
            assert watch.remaining_s == pytest.approx(10.0)
        watch.began("another", 300.0)
        assert watch.remaining_s == pytest.approx(92.0)
    with watch.reserving(30.0):
        watch.began("a third", 300.0)
        assert watch.remaining_s == pytest.approx(62.0)
    assert watch.remaining_s == pytest.approx(92.0)


def test_each_of_several_suites_has_its_part_of_a_budget(passing: Callable[[float], None]) -> None:
    """The first of two had all of it: of the second nothing was known."""
    watch = Watch(budget_s=90.0)
    allotted_s = []
    for takes_s in watch.in_turn([60.0, 10.0, 1.0]):
        allotted_s.append(watch.remaining_s)
        watch.again()
        with contextlib.suppress(BudgetEndedError):
            watch.require(takes_s)
        passing(takes_s)
    assert allotted_s == [30.0, 15.0, 20.0]
    assert watch.remaining_s == 19.0
    assert watch.ended


def test_where_there_is_no_budget_each_suite_has_all_time() -> None:
    watch = Watch()
    assert [None, None] == [watch.remaining_s for _ in watch.in_turn("ab")]


def test_no_process_is_started_after_the_budget() -> None:
    watch = Watch(budget_s=60.0, began=LONG_AGO)
    with pytest.raises(BudgetEndedError):
        watch.bounded(COMMAND)
    assert watch.ended


def test_a_process_that_was_killed_with_its_budget_says_nothing_of_the_suite() -> None:
    with pytest.raises(BudgetEndedError):
        Watch(budget_s=60.0, began=LONG_AGO).check(KILLED)
    Watch(budget_s=1e6).check(KILLED)
    Watch(budget_s=60.0, began=LONG_AGO).check(replace(KILLED, timed_out=False))


@pytest.mark.usefixtures("passing")
def test_what_is_left_is_the_sum_of_what_phases_should_still_take() -> None:
    watch = Watch()
    assert watch.left_s() is None
    watch.expect({Phase.SHARES: 100.0, Phase.CELLS: 500.0})
    assert watch.left_s() == pytest.approx(600.0)
    with watch.phase(Phase.CELLS):
        assert watch.left_s(planned_s=900.0) == pytest.approx(1000.0)
    watch.begin("what nothing was said of")
    assert watch.left_s() is None


def test_the_rest_ends_with_the_budget_and_not_with_what_is_kept_of_it(
    passing: Callable[[float], None],
) -> None:
    """A run that outlasted what was left to it was told to be done in -6.1 s."""
    watch = Watch(budget_s=90.0)
    watch.expect({Phase.CELLS: 500.0})
    with watch.reserving(30.0):
        passing(65.0)
        assert watch.left_s() == pytest.approx(25.0)
        passing(30.0)
        assert watch.left_s() == 0.0


def test_the_rest_shrinks_with_what_is_done_and_not_with_the_time_that_it_took(
    passing: Callable[[float], None],
) -> None:
    """30 planned seconds took 90; three of the others count as if they took what they were planned to."""
    watch = Watch()
    watch.expect({Phase.SHARES: 60.0, Phase.CELLS: 300.0})
    with watch.phase(Phase.SHARES):
        passing(90.0)
        watch.did(30.0)
        pace = (90 + BELIEVED_S) / (30 + BELIEVED_S)
        in_shares = (90 + pace * BELIEVED_S) / (30 + BELIEVED_S)
        assert watch.left_s() == pytest.approx(in_shares * 30 + pace * 300)
        assert 2.5 * 330 < (watch.left_s() or 0) < 3 * 330


def test_what_another_command_did_is_over_and_says_nothing_of_the_pace(
    passing: Callable[[float], None],
) -> None:
    watch = Watch()
    watch.expect({Phase.CELLS: 100.0})
    with watch.phase(Phase.CELLS):
        watch.did(90.0, before=True)
        passing(4.0)
        watch.did(4.0)
        assert watch.left_s() == pytest.approx(6.0)


def test_a_build_is_over_once_its_time_is(passing: Callable[[float], None]) -> None:
    watch = Watch()
    watch.expect({Phase.BUILD: 20.0, Phase.UNSLOWED: 10.0})
    with watch.phase(Phase.BUILD):
        passing(15.0)
        assert watch.left_s() == pytest.approx(5.0 + 10.0)
        passing(15.0)
        assert watch.left_s() == pytest.approx(10.0)


def test_a_part_of_a_phase_may_turn_out_to_have_more_to_do_or_less(passing: Callable[[float], None]) -> None:
    """Of 100 seconds 40 were told for it, of which 10 are done when 80 more are seen to come, then none."""
    watch = Watch()
    watch.expect({Phase.CELLS: 100.0})
    with watch.phase(Phase.CELLS):
        outlook = watch.outlook(40.0)
        passing(10.0)
        watch.did(10.0)
        outlook(80.0)
        assert watch.left_s() == pytest.approx(60 + 80)
        outlook(0.0)
        assert watch.left_s() == pytest.approx(60)


def test_the_forecast_counts_what_is_reached_and_adds_up_what_it_takes() -> None:
    profiles = {"a": reached("a", "m", "n"), "b": reached("b", "m"), "c": reached("c")}
    plans = {"a": plan("a", 0.2), "b": plan("b", 2.0), "c": plan("c", 9.0)}
    calling = {name: plans[name] for name in "ab"}
    ahead = forecast(counted(profiles, calling), ("m", "n", "o"))
    assert (ahead.methods, ahead.benchmarks, ahead.calling, ahead.reached) == (3, 3, 2, 3)
    assert ahead.uncounted == 1
    # Half of what an iteration takes is warm-up, which comes once in a round of methods, off and control;
    # most methods have some rounds more. Before come two looks at how long an iteration is.
    rounds = 1 + FURTHER_ROUNDS[1]
    assert ahead.phases[Phase.SHARES] == pytest.approx(
        2 * 0.2 + rounds * (0.2 + 3 * 0.1) + 2 * 2.0 + rounds * (2.0 + 2 * 1.0)
    )
    # The most promising benchmark of both methods is `a`: it takes a tenth of what `b` does.
    assert ahead.needed[Phase.SHARES] == pytest.approx(2 * 0.2 + rounds * (0.2 + 3 * 0.1))
    # Two runs of 7 repetitions of mutants and their control, one of control with control; of the first ten of
    # a run each has a warm-up, of others five have one. The self-check is made where it is cheapest.
    a_s = 0.1 * (7 + 7) + 0.1 * (7 + 2 * 7 + 7 + 7 + 2 * 7)
    b_s = 1.0 * (7 + 7) + 1.0 * (7 + 7 + 7 + 7 + 7)
    proof_s = 0.1 * (10 + 15 / 5) + 0.1 * (25 + 25 + 5)
    assert ahead.phases[Phase.CELLS] == pytest.approx(0.7 * (a_s + b_s) + proof_s)
    assert ahead.needed[Phase.CELLS] == pytest.approx(a_s + proof_s)
    # 5 runs of 5 values and a warm-up, after a look; of the benchmarks seven in ten are worth that.
    unslowed_s = 0.2 + 5 * 6 * 0.1
    assert ahead.phases[Phase.UNSLOWED] == pytest.approx(0.7 * 11 * unslowed_s)
    assert ahead.needed[Phase.UNSLOWED] == pytest.approx(unslowed_s)


def test_the_forecast_counts_processes_that_are_begun_anew() -> None:
    """Each of two runs of cells has one of its own, and each of five unslowed ones."""
    profiler = counted({"a": reached("a", "m")}, {"a": plan("a", 0.2)})
    before = forecast(profiler, ("m",)).phases
    profiler.harness.watch.start_s = 0.5
    after = forecast(profiler, ("m",)).phases
    assert {Phase.SHARES: 0.0, Phase.CELLS: 2 * 0.5, Phase.UNSLOWED: 5 * 0.5} == pytest.approx(
        {phase: after[phase] - before[phase] for phase in after}
    )


@pytest.mark.parametrize(("alike", "looks_s"), [(True, 8 * 0.1), (False, 0.05 + 0.4)])
def test_the_forecast_adds_looks_at_the_stack_where_calls_are_short(alike: bool, looks_s: float) -> None:
    """Each is a process of its own; where forks are alike what is no start of theirs may be set-up."""
    plans = {"a": replace(plan("a", 0.1), invocations=10**6), "b": plan("b", 0.1)}
    known = {name: reached(name, "m") for name in plans}
    with_looks, without = (
        forecast(counted(known, plans, looks=looks, forks_alike=alike), ("m",)) for looks in (True, False)
    )
    assert looks_s == pytest.approx(with_looks.total_s - without.total_s)


def test_a_fork_that_executes_all_arms_is_forecast_once() -> None:
    """A fork of Java starts and warms up once; then each arm has its turns: commons-numbers' took 1.05 s for
    one arm, 1.24 for two, 1.45 for three and 2.9 for ten.

    One arm times all methods. After the first look five repetitions share a fork.
    """
    of_fork = replace(plan("a", 1.05), iteration_s=0.02)
    profiler = counted({"a": reached("a", "m", "n")}, {"a": of_fork}, forks_alike=False, turns=10)
    ahead = forecast(profiler, ("m", "n"))
    assert ahead.phases[Phase.SHARES] == pytest.approx(1.05 * (1 + 1 + FURTHER_ROUNDS[1]))
    forks = 5 + 2 / 5 + 5 + 2 / 5
    arms = (7 + 2 * 7 + 7) + (7 + 2 * 7)
    proof_s = 0.85 * (5 + 20 / 5) + 0.2 * (25 + 25 + 5)
    assert ahead.phases[Phase.CELLS] == pytest.approx(0.7 * (0.85 * forks + 0.2 * arms) + proof_s)


def learning(profiler: Profiler, shares: Mapping[tuple[str, str], float], new: str) -> Profiler:
    """Return the same where so much of some benchmarks is known, and nothing of another."""
    known = {
        cell: SimpleNamespace(
            benchmark=cell[1], share=share, highest=share, interval=(share, share), is_of_first=False
        )
        for cell, share in shares.items()
    }
    profiles = SimpleNamespace(reach=profiler.profiles.reach, shares=known)
    return cast(
        Profiler, SimpleNamespace(**{**vars(profiler), "profiles": profiles}, is_new=lambda name: name == new)
    )


def test_what_is_left_follows_what_is_learnt() -> None:
    """Of `a` one share is worth settling, of `b` none, and of `c` nothing is known yet."""
    profiler = counted(
        {name: reached(name, "m", "n") for name in "abc"}, {name: plan(name, 0.2) for name in "abc"}
    )
    known = {("m", "a"): 0.9, ("n", "a"): 0.01, ("m", "b"): 0.02, ("n", "b"): 0.02}
    left = once_learnt(learning(profiler, known, "c"), ["a", "b"])
    only_c = forecast(counted({"c": reached("c", "m", "n")}, {"c": plan("c", 0.2)}), ("m", "n")).phases
    (clear, clearly), (same,) = Looking().runs(1.8), Looking().runs(0.0)
    a_s = 0.1 * (clear + clearly) + 0.1 * (2 * clear + same + 2 * clearly)
    assert left == pytest.approx(
        {
            Phase.SHARES: only_c[Phase.SHARES],
            Phase.CELLS: only_c[Phase.CELLS] + a_s,
            Phase.UNSLOWED: only_c[Phase.UNSLOWED] + 0.2 + 5 * 6 * 0.1,
        }
    )


def test_unslowed_runs_that_a_slowdown_follows_from_are_not_to_come() -> None:
    """Of packaging 101 s were told where 50 were left, 21 of them for runs that had been made."""
    profiles, plans = {name: reached(name, "m") for name in "ab"}, {name: plan(name, 0.2) for name in "ab"}
    none, one, both = (
        forecast(counted(profiles, plans, plain=plain), ("m",)).phases[Phase.UNSLOWED]
        for plain in ("", "a", "ab")
    )
    assert (none / 2, 0.0) == (pytest.approx(one), both)


def test_where_a_slowdown_follows_from_the_whole_suite_all_of_it_is_to_be_executed_first() -> None:
    """`b` calls nothing, and is executed for its noise alone."""
    plans, both = {"a": plan("a", 0.2)}, {"a": reached("a", "m"), "b": reached("b")}
    a, ab = (forecast(counted(reach, plans), ("m",), whole_suite=True) for reach in ({"a": both["a"]}, both))
    assert (
        ab.phases[Phase.UNSLOWED] == ab.needed[Phase.UNSLOWED] == pytest.approx(2 * a.phases[Phase.UNSLOWED])
    )
    part = forecast(counted(both, plans), ("m",))
    assert part.phases | {Phase.UNSLOWED: 0.0} == ab.phases | {Phase.UNSLOWED: 0.0}
    assert after_score_s(counted(both, plans), ("m",), whole_suite=True)["stability"] == 0.0


@pytest.mark.usefixtures("passing")
def test_the_other_answers_of_an_audit_are_told_with_the_score() -> None:
    """`c` calls nothing: only a stability of the whole suite executes it again. For `o` one is proposed."""
    profiles = {"a": reached("a", "m"), "c": reached("c")}
    after_s = after_score_s(counted(profiles, {"a": plan("a", 0.2)}), ("m", "o"))
    assert set(after_s) == {"stubs", "sensitivity", "stability"}
    watch = Watch()
    watch.expect({Phase.CELLS: 10.0}, after_s)
    assert watch.left_s() == pytest.approx(10 + sum(after_s.values()))
    for name in after_s:
        expected_s = watch.left_s() if name != "stubs" else sum(after_s.values())
        watch.begin(name)
        assert watch.left_s() == pytest.approx(expected_s)
        watch.expect({Phase.SHARES: 0.0})


def test_looks_that_leave_more_open_than_usual_let_more_repetitions_be_expected() -> None:
    """5, and then looks after 10, 20, 40 and 80; of a run that has 10 only what comes next is left."""
    looking = Looking()
    usual = looking.repetitions(2.0)
    past_last = 20 * OPEN_LATER + 40 * OPEN_LATER**2
    later = 5 + OPEN[10] * (10 + past_last)
    assert usual == pytest.approx(5 + OPEN[5] * later)
    assert looking.repetitions(2.0, made=10) == pytest.approx(10 + past_last)
    assert looking.repetitions(2.0, made=80) == 0
    # That first looks leave all open says nothing of later ones.
    for _ in range(1000):
        looking.add(2.0, 5, is_open=True)
    assert looking.repetitions(2.0) == pytest.approx(5 + later, rel=0.01)
    for _ in range(1000):
        looking.add(2.0, 10, is_open=True)
        looking.add(2.0, 20, is_open=True)
    assert looking.repetitions(2.0) == pytest.approx(80, rel=0.01)
    # Between .6 and 1.2 no look before 20 can answer, and those past it do so as it is usual there.
    assert looking.repetitions(1.0) == Looking().repetitions(1.0)
    assert looking.repetitions(1.0) == pytest.approx(20 + 20 * OPEN_BORDER + 40 * OPEN_BORDER**2)
    assert Looking().repetitions(0.7) == pytest.approx(20 + past_last)
    # Nor do they go past it where a share may lie on either side.
    assert Looking().repetitions(1.0, settles=False) == 20


def test_a_benchmark_that_could_not_be_calibrated_takes_nothing() -> None:
    ahead = forecast(counted({"a": reached("a", "m")}, {}), ("m",))
    assert ahead.total_s == 0.0


def test_a_plain_line_says_what_is_done_since_when_and_what_is_left() -> None:
    lines = Lines(Console(quiet=True), lambda: 95.0, lambda planned_s: 2 * planned_s, every_step=False)
    lines("measuring shares", 30.0, 120.0)
    assert lines.line() == "measuring shares (25 %); 95 s so far, about 3 min left"
    lines.close()


def test_an_arm_that_times_many_methods_together_is_forecast_with_what_it_leaves() -> None:
    methods = [f"m{number}" for number in range(100)]
    reach = {"a": reached("a", *methods)}
    together, apart = (
        forecast(counted(reach, {"a": plan("a", 0.2)}, times_together=times_together), methods).phases
        for times_together in (True, False)
    )
    assert 80 * 0.1 - 6 * 0.2 == pytest.approx(apart[Phase.SHARES] - together[Phase.SHARES])
