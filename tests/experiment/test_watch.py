"""The clock of a command: budgets that end what is under way, and how long the rest takes."""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from rich.console import Console

from abs_audit.cli.progress import Lines
from abs_audit.experiment.calibration import IterationPlan
from abs_audit.experiment.cell_profiles import Profiler
from abs_audit.experiment.forecast import forecast, once_learnt
from abs_audit.experiment.reach import Reach
from abs_audit.experiment.watch import GRACE, BudgetEndedError, Phase, Watch
from abs_audit.model.experiment import Command
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
    reach: Mapping[str, Reach], plans: Mapping[str, IterationPlan], *, looks: bool = False, alike: bool = True
) -> Profiler:
    """Return what has counted calls, of a suite that may look at stacks and whose forks may be alike."""
    profiles = SimpleNamespace(reach=reach)
    language = SimpleNamespace(
        forks_alike=alike, looks_s=(0.4,) if looks else (), forks_a_block=False, warmup=1, spread=1
    )
    harness = SimpleNamespace(language=language)
    return cast(Profiler, SimpleNamespace(profiles=profiles, plans=plans, harness=harness))


def test_a_process_gets_the_time_that_its_budget_leaves_and_a_twentieth_of_it() -> None:
    bounded = Watch(budget_s=400.0).bounded(COMMAND)
    assert bounded.limit_s == pytest.approx(400.0 * (1 + GRACE), abs=5)
    assert Watch(budget_s=1e6).bounded(COMMAND).limit_s == 600.0
    assert Watch().bounded(COMMAND) == COMMAND


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


def test_what_is_left_is_the_sum_of_what_phases_should_still_take() -> None:
    watch = Watch(began=time.monotonic())
    assert watch.left_s() is None
    watch.expect({Phase.SHARES: 100.0, Phase.CELLS: 500.0})
    assert watch.left_s() == pytest.approx(600.0, abs=5)
    with watch.phase(Phase.CELLS):
        assert watch.left_s(planned_s=900.0) == pytest.approx(1000.0, abs=5)


def test_nothing_is_said_of_the_rest_where_a_phase_has_outlasted_what_was_said_of_it() -> None:
    watch = Watch(began=time.monotonic())
    watch.expect({Phase.SHARES: 100.0, Phase.CELLS: 0.0})
    for phase in (Phase.CELLS, Phase.UNSLOWED):
        with watch.phase(phase):
            assert watch.left_s(planned_s=0.5) is None
    assert watch.left_s() == pytest.approx(100.0, abs=5)
    watch.forget()
    assert watch.left_s() is None


def test_the_forecast_counts_what_is_reached_and_adds_up_what_it_takes() -> None:
    profiles = {"a": reached("a", "m", "n"), "b": reached("b", "m"), "c": reached("c")}
    plans = {"a": plan("a", 0.1), "b": plan("b", 1.0), "c": plan("c", 9.0)}
    calling = {name: plans[name] for name in "ab"}
    ahead = forecast(counted(profiles, calling), ("m", "n", "o"))
    assert (ahead.methods, ahead.benchmarks, ahead.calling, ahead.reached) == (3, 3, 2, 3)
    # 3 rounds of time arms, off and control; 14 repetitions of mutants and two controls; 5 runs of 10.
    # Of the benchmarks seven in ten are worth that.
    assert ahead.phases == pytest.approx(
        {
            Phase.SHARES: 3 * (4 * 0.1 + 3 * 1.0),
            Phase.CELLS: 0.7 * 14 * (4 * 0.1 + 3 * 1.0),
            Phase.UNSLOWED: 0.7 * 5 * (0.1 + 5 * 0.05 + 1.0 + 5 * 0.5),
        }
    )
    # The most promising benchmark of both methods is `a`: it takes a tenth of what `b` does.
    assert ahead.needed == pytest.approx(
        {Phase.SHARES: 3 * 4 * 0.1, Phase.CELLS: 14 * 4 * 0.1, Phase.UNSLOWED: 5 * (0.1 + 5 * 0.05)}
    )


@pytest.mark.parametrize(("alike", "looks_s"), [(True, 0.32), (False, 0.1 + 0.4)])
def test_the_forecast_adds_looks_at_the_stack_where_calls_are_short(alike: bool, looks_s: float) -> None:
    """Where forks differ, each look is one of its own."""
    plans = {"a": replace(plan("a", 0.1), invocations=10**6), "b": plan("b", 0.1)}
    known = {name: reached(name, "m") for name in plans}
    with_looks, without = (
        forecast(counted(known, plans, looks=looks, alike=alike), ("m",)) for looks in (True, False)
    )
    assert looks_s == pytest.approx(with_looks.total_s - without.total_s)


def test_a_fork_that_executes_all_arms_is_forecast_once() -> None:
    """A fork of Java takes as long for four arms as for one: it is all start and warm-up."""
    ahead = forecast(counted({"a": reached("a", "m", "n")}, {"a": plan("a", 0.1)}, alike=False), ("m", "n"))
    assert (pytest.approx(3 * 0.1), pytest.approx(0.7 * 14 * 0.1)) == (
        ahead.phases[Phase.SHARES],
        ahead.phases[Phase.CELLS],
    )


def test_one_warm_up_serves_all_arms_of_a_fork() -> None:
    """Half of .1 s is warm-up, which comes once in a round of four arms and in a repetition of four."""
    profiler = counted({"a": reached("a", "m", "n")}, {"a": plan("a", 0.1)})
    vars(profiler.harness.language)["forks_a_block"] = True
    ahead = forecast(profiler, ("m", "n"))
    assert (pytest.approx(3 * 0.25), pytest.approx(0.7 * 14 * 0.25)) == (
        ahead.phases[Phase.SHARES],
        ahead.phases[Phase.CELLS],
    )


def test_what_is_left_follows_what_is_learnt() -> None:
    """Of `a` one share is worth settling, of `b` none, and of `c` nothing is known yet."""
    profiler = counted(
        {name: reached(name, "m", "n") for name in "abc"}, {name: plan(name, 0.1) for name in "abc"}
    )
    known = {("m", "a"): 0.9, ("n", "a"): 0.01, ("m", "b"): 0.02, ("n", "b"): 0.02}
    shares = {
        cell: SimpleNamespace(benchmark=cell[1], share=share, highest=share) for cell, share in known.items()
    }
    profiles = SimpleNamespace(reach=profiler.profiles.reach, shares=shares)
    learning = SimpleNamespace(
        profiles=profiles, plans=profiler.plans, harness=profiler.harness, is_new=lambda name: name == "c"
    )
    assert once_learnt(cast(Profiler, learning), ["a", "b"]) == pytest.approx(
        {
            Phase.SHARES: 3 * 4 * 0.1,
            Phase.CELLS: 14 * (3 * 0.1 + 0.7 * 4 * 0.1),
            Phase.UNSLOWED: 1.7 * 5 * (0.1 + 5 * 0.05),
        }
    )


def test_a_benchmark_that_could_not_be_calibrated_takes_nothing() -> None:
    ahead = forecast(counted({"a": reached("a", "m")}, {}), ("m",))
    assert ahead.total_s == 0.0


def test_a_plain_line_says_what_is_done_since_when_and_what_is_left() -> None:
    lines = Lines(Console(quiet=True), lambda: 95.0, lambda planned_s: 2 * planned_s, every_step=False)
    lines("measuring shares", 30.0, 120.0)
    assert lines.line() == "measuring shares (25 %); 95 s so far, about 3 min left"
    lines.close()
