"""How many invocations make an iteration."""

from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.experiment.calibration import calibrate
from abs_audit.experiment.iteration_plan import LIMIT_FLOOR_S, IterationPlan
from abs_audit.model.experiment import UNPROBED, Arm, Block
from abs_audit.model.measurement import Status, Trial
from tests.support.fake_executor import FakeSuite, harness, speaking, trial


@pytest.mark.parametrize(
    ("found", "once_s", "invocations"),
    [
        (120, 0.001, 100),  # Go finds a fifth too many
        (100, 0.001, 100),
        (80, 0.001, 80),  # too few are not made more: the suite knows what it counts
        (1, 3.0, 1),
    ],
)
def test_an_iteration_takes_no_longer_than_it_is_asked_to(
    tmp_path: Path, found: int, once_s: float, invocations: int
) -> None:
    def invented(block: Block, position: int, arm: Arm) -> Trial:
        return replace(trial(block, position, arm, once_s), invocations=found)

    iteration_plan = calibrate(harness(tmp_path, FakeSuite(invented)), ["b"], 0.1).iteration_plans["b"]
    assert (invocations, pytest.approx(invocations * once_s)) == (
        iteration_plan.invocations,
        iteration_plan.iteration_s,
    )


@pytest.mark.parametrize(("alike", "least", "most"), [(True, 0.005, 0.0101), (False, 0.0, 0.0021)])
def test_a_number_that_was_found_while_something_else_had_the_processor_is_corrected(
    tmp_path: Path, alike: bool, least: float, most: float
) -> None:
    """Six were found while 2 ms became 10 ms, and most of those 2 ms are set-up."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        invocations = block.steps[0].invocations or 6
        interrupted = 1 if block.steps[0].invocations or not alike else 5
        return replace(
            trial(block, position, arm, interrupted * (0.002 / invocations + 1e-5)), invocations=invocations
        )

    runtime = speaking(harness(tmp_path, FakeSuite(invented)), forks_alike=alike)
    iteration_plan = calibrate(runtime, ["b"], 0.01).iteration_plans["b"]
    assert least < iteration_plan.iteration_s < most


def test_what_fails_when_looked_at_again_keeps_its_pace(tmp_path: Path) -> None:
    def invented(block: Block, position: int, arm: Arm) -> Trial:
        if block.steps[0].invocations:
            return replace(trial(block, position, arm), status=Status.FAILED, reason="no", values=())
        return replace(trial(block, position, arm, 0.0001), invocations=6)

    found = calibrate(harness(tmp_path, FakeSuite(invented)), ["b"], 0.01)
    assert (6, {}) == (found.iteration_plans["b"].invocations, found.failed)


@pytest.mark.parametrize(("alike", "executed"), [(True, {"a", "b"}), (False, {"b"})])
def test_a_pace_of_another_build_holds_where_it_is_a_duration(
    tmp_path: Path, alike: bool, executed: set[str]
) -> None:
    suite = FakeSuite(lambda block, position, arm: trial(block, position, arm, 0.01))
    runtime = speaking(harness(tmp_path, suite), forks_alike=alike)
    known = {
        name: IterationPlan(benchmark=name, invocations=7, iteration_s=0.1, wall_s=1.0)
        for name in ("a", "gone")
    }
    found = calibrate(runtime, ["a", "b"], 0.1, known)
    assert executed == {block.benchmark for block in suite.asked}
    assert ["a", "b"] == sorted(found.iteration_plans)
    assert (known["a"] == found.iteration_plans["a"]) is not alike


def asked_numbers(suite: FakeSuite) -> list[int | None]:
    """Return the invocations of each block, in their order."""
    return [block.steps[0].invocations for block in suite.asked]


@pytest.mark.parametrize(
    ("each_s", "once_s", "asked"),
    [
        (0.0, 1e-3, [20]),  # what counts is slower: a fifth too few is near enough
        (0.0, 4e-4, [20, 50]),
        (0.0, 0.0125, [20, None, 2]),
        (0.0115, 1e-5, [9, 1]),  # each invocation is set up, and not timed
    ],
    ids=["about as many", "too few", "the first fail", "as many as is bearable"],
)
def test_counting_calls_has_told_how_many_there_will_be(
    tmp_path: Path, each_s: float, once_s: float, asked: list[int | None]
) -> None:
    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[0].invocations or 2
        made = replace(trial(block, position, arm, once_s), invocations=number)
        if None in asked and number == asked[0]:
            return replace(made, status=Status.FAILED, reason="no", values=())
        return replace(made, wall_s=0.01 + number * (each_s + once_s))

    suite = FakeSuite(invented)
    counting_s = once_s if each_s else 1e-3
    counted = [
        IterationPlan(
            benchmark="b",
            invocations=number,
            iteration_s=number * counting_s,
            wall_s=0.01 + number * (each_s + counting_s),
        )
        for number in (2, 30)
    ]
    found = calibrate(harness(tmp_path, suite), ["b"], 0.02, counted={"b": counted})
    assert asked == asked_numbers(suite)
    assert {} == found.failed


def test_what_was_slower_while_many_were_looked_at_is_no_set_up_of_each(tmp_path: Path) -> None:
    """Thirteen took .6 ms each, and 33 took 1.7 ms: not each 94 ms, nor all of them less than nothing."""
    once_s = {13: 6e-4, 33: 1.7e-3}

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[0].invocations or 1
        each_s = once_s.get(number, 1.7e-3)
        return replace(
            trial(block, position, arm, each_s), invocations=number, wall_s=2.1 * number * each_s + 1e-3
        )

    counted = [
        IterationPlan(benchmark="b", invocations=number, iteration_s=number * 1.5e-3, wall_s=number * 3e-3)
        for number in (2, 36)
    ]
    suite = FakeSuite(invented)
    plan = calibrate(harness(tmp_path, suite), ["b"], 0.02, counted={"b": counted}).iteration_plans["b"]
    assert [13, 33] == asked_numbers(suite)
    assert 12 == plan.invocations
    assert plan.iteration_s < plan.wall_s < 0.1


@pytest.mark.parametrize(("look_s", "times"), [(0.84, 3), (0.08, 10)])
def test_where_set_ups_may_be_dear_not_many_more_are_made_at_once(
    tmp_path: Path, look_s: float, times: int
) -> None:
    """A look at packaging took 8.4 s: ten times as many, as two trials hardly differed."""
    few, many = (
        IterationPlan(benchmark="b", invocations=number, iteration_s=number * 1.2e-6, wall_s=wall_s)
        for number, wall_s in ((2, 0.6 * look_s), (84, look_s))
    )
    suite = FakeSuite(
        lambda block, position, arm: replace(
            trial(block, position, arm, 1.2e-6), invocations=block.steps[0].invocations or 1
        )
    )
    calibrate(harness(tmp_path, suite), ["b"], 0.02, counted={"b": (few, many)})
    assert times * many.invocations == asked_numbers(suite)[0]


def test_what_took_longer_than_an_iteration_when_it_was_counted_is_looked_at_once(tmp_path: Path) -> None:
    def invented(block: Block, position: int, arm: Arm) -> Trial:
        return replace(trial(block, position, arm, 0.4), invocations=block.steps[0].invocations or 1)

    counted = [
        IterationPlan(benchmark="b", invocations=number, iteration_s=number * 0.4, wall_s=number * 0.8)
        for number in (2, 3)
    ]
    suite = FakeSuite(invented)
    found = calibrate(harness(tmp_path, suite), ["b"], 0.02, counted={"b": counted})
    assert [1] == asked_numbers(suite)
    assert 1 == found.iteration_plans["b"].invocations


def test_what_took_seconds_when_it_was_counted_is_not_looked_at(tmp_path: Path) -> None:
    counted = [
        IterationPlan(benchmark="b", invocations=number, iteration_s=number * 5.0, wall_s=0.1 + number * 5.0)
        for number in (1, 2)
    ]
    suite = FakeSuite(trial)
    plan = calibrate(harness(tmp_path, suite), ["b"], 0.02, counted={"b": counted}).iteration_plans["b"]
    assert ([], 1) == (suite.asked, plan.invocations)
    assert (5.0, pytest.approx(5.1)) == (plan.iteration_s, plan.wall_s)


def test_a_trial_takes_no_less_than_what_is_timed_of_it_however_its_parts_scattered(tmp_path: Path) -> None:
    """One that others interrupted told too much of an invocation: fewer then took less than no time."""
    plan = IterationPlan(benchmark="b", invocations=200, iteration_s=0.02, wall_s=0.3).of(100, each_s=0.01)
    assert (0.01, 0.01) == (plan.iteration_s, plan.wall_s)
    assert LIMIT_FLOOR_S < plan.block(harness(tmp_path, FakeSuite(trial)), "b", [UNPROBED]).limit_s


def test_a_number_of_another_build_is_enough_where_nothing_is_faster_here(tmp_path: Path) -> None:
    """Where set-ups leave little time for what is timed, it is little here, too."""
    suite = FakeSuite(
        lambda block, position, arm: replace(
            trial(block, position, arm, 1e-5 if block.benchmark == "a" else 1e-4),
            invocations=block.steps[0].invocations or 0,
        )
    )
    known = {
        name: IterationPlan(benchmark=name, invocations=41, iteration_s=4e-4, wall_s=0.5) for name in "ab"
    }
    plans = calibrate(harness(tmp_path, suite), ["a", "b"], 0.02, known).iteration_plans
    assert [41, 41] == asked_numbers(suite)
    assert [41, 41] == [plans[name].invocations for name in "ab"]


@pytest.mark.parametrize(("iteration_s", "warmups"), [(0.02, [1, 0]), (100.0, [0, 0])])
def test_what_takes_long_warms_itself_up(tmp_path: Path, iteration_s: float, warmups: list[int]) -> None:
    plan = IterationPlan(benchmark="b", invocations=1, iteration_s=iteration_s, wall_s=iteration_s)
    block = plan.block(harness(tmp_path, FakeSuite(trial)), "name", [UNPROBED, UNPROBED])
    assert warmups == [step.warmup for step in block.steps]


def test_a_benchmark_without_a_pace_in_another_build_is_executed_and_its_failure_known(
    tmp_path: Path,
) -> None:
    def invented(block: Block, position: int, arm: Arm) -> Trial:
        return replace(trial(block, position, arm), status=Status.FAILED, reason="no", values=())

    found = calibrate(speaking(harness(tmp_path, FakeSuite(invented)), forks_alike=False), ["a"], 0.1, {})
    assert ({}, "no") == (found.iteration_plans, found.failed["a"].reason)


@pytest.mark.parametrize(
    ("found", "once_s", "each_s", "invocations", "timed_s"),
    [
        (20_000, 0.0, 1e-4, 2000, 1e-6),
        (20_000, 2.0, 0.0, 20_000, 1e-6),
        (20_000, 0.0, 1e-6, 20_000, 1e-6),
        (20_000, 0.0, 0.06, 8, 2.5e-4),
        (5, 0.0, 0.06, 2, 2.5e-4),
        (16, 0.0, 0.005, 8, 1.25e-3),
        (16, 0.0, 0.02, 8, 1.25e-3),
        (40, 0.0, 0.003, 20, 5e-4),
        (16, 0.4, 0.0, 16, 1.25e-3),
    ],
    ids=[
        "each invocation is set up",
        "the process is set up",
        "the set-up is short",
        "it is dear",
        "the first are few",
        "half is timed where one takes longer",
        "half is timed, if that takes no longer than is bearable",
        "half is timed",
        "the process takes long",
    ],
)
def test_iterations_are_shorter_where_each_invocation_has_a_long_set_up_of_its_own(
    tmp_path: Path, found: int, once_s: float, each_s: float, invocations: int, timed_s: float
) -> None:
    """A tenth of a second in all is long enough, and so is a tenth of the invocations.

    It may be a quarter of a second where half of the wanted duration is timed then.
    """

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[0].invocations or found
        wall_s = once_s + number * (each_s + timed_s)
        return replace(trial(block, position, arm, timed_s), invocations=number, wall_s=wall_s)

    plan = calibrate(harness(tmp_path, FakeSuite(invented)), ["b"], 0.02).iteration_plans["b"]
    assert plan.invocations == pytest.approx(invocations, rel=0.02)
    assert plan.iteration_s == pytest.approx(plan.invocations * timed_s)


@pytest.mark.parametrize(
    ("once_s", "each_s", "invocations", "bearable_s"),
    [(0.1, 0.0115, 9, 2.0), (3.0, 0.0, 2000, 20.0), (0.0, 0.3, 1, 4.0)],
    ids=["each invocation is set up", "the process is set up", "one is dear enough"],
)
def test_looking_for_the_number_of_invocations_takes_no_longer_where_their_set_ups_do(
    tmp_path: Path, once_s: float, each_s: float, invocations: int, bearable_s: float
) -> None:
    """Of ten microseconds each, two thousand would make the wanted duration."""
    taken_s: list[float] = []

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[0].invocations or 2
        taken_s.append(once_s + number * each_s)
        return replace(trial(block, position, arm, 1e-5), invocations=number, wall_s=taken_s[-1])

    plan = calibrate(harness(tmp_path, FakeSuite(invented)), ["b"], 0.02).iteration_plans["b"]
    assert plan.invocations == pytest.approx(invocations, rel=0.1)
    assert sum(taken_s) < bearable_s


@pytest.mark.parametrize(("warmup", "once_s"), [(0, 0.03), (1, 0.03), (0, 0.0)])
def test_what_the_first_invocation_of_each_execution_does_is_little_of_an_iteration(
    tmp_path: Path, warmup: int, once_s: float
) -> None:
    """A benchmark of Go makes a matcher, which gets ready (30 ms) where it first matches (1 µs)."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[position].invocations or 1 + round((0.02 - once_s) / 1e-6) * (once_s < 0.02)
        return replace(trial(block, position, arm, once_s / number + 1e-6), invocations=number)

    runtime = speaking(harness(tmp_path, FakeSuite(invented)), warmup=warmup)
    plan = calibrate(runtime, ["b"], 0.02).iteration_plans["b"]
    if warmup:
        assert 1 == plan.invocations
    else:
        assert 0.02 <= plan.iteration_s * (1 + 1e-9) < 0.5
        assert once_s < 0.4 * plan.iteration_s


@pytest.mark.parametrize(
    ("ramp", "undivided", "most"), [(0, False, 1000), (150, True, 1000), (800, True, 10_000)]
)
def test_what_gives_itself_more_to_do_is_measured_past_that_and_not_in_turns(
    tmp_path: Path, ramp: int, undivided: bool, most: int
) -> None:
    """An invocation takes 20 µs from some number on, and a fifth of that at first; a turn has 250 of them."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[position].invocations or 1000
        each_s = [20e-6 * min(1.0, 0.2 + 0.8 * at / max(1, ramp)) for at in range(number)]
        return replace(trial(block, position, arm, sum(each_s) / number), invocations=number)

    runtime = speaking(harness(tmp_path, FakeSuite(invented)), warmup=0)
    plan = calibrate(runtime, ["b"], 0.02).iteration_plans["b"]
    assert undivided is plan.undivided
    assert 2 * ramp <= plan.invocations <= most


@pytest.mark.parametrize("look", ["again ", "once more "])
def test_a_busy_neighbour_hides_nothing_in_one_look_of_those_at_first_invocations(
    tmp_path: Path, look: str
) -> None:
    """A benchmark that was given more to do while it was quick was measured before it had enough."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[position].invocations or 1000
        each_s = [20e-6 * min(1.0, 0.2 + 0.8 * at / 150) for at in range(number)]
        once_s = 20e-6 if f"look past {look}" in block.id else sum(each_s) / number
        return replace(trial(block, position, arm, once_s), invocations=number)

    runtime = speaking(harness(tmp_path, FakeSuite(invented)), warmup=0)
    assert calibrate(runtime, ["b"], 0.02).iteration_plans["b"].undivided


def test_what_cannot_be_an_iteration_is_not_looked_at(tmp_path: Path) -> None:
    """A cache that grows: each invocation takes longer than the one before, and thousands take seconds."""
    suite = FakeSuite(
        lambda block, position, arm: replace(
            trial(block, position, arm, 20e-9 * (number := block.steps[position].invocations or 1000)),
            invocations=number,
        )
    )
    plan = calibrate(speaking(harness(tmp_path, suite), warmup=0), ["b"], 0.02).iteration_plans["b"]
    assert (3000, True) == (plan.invocations, plan.undivided)
    assert 3000 == max(step.invocations or 0 for block in suite.asked for step in block.steps)


def test_what_was_looked_at_is_not_looked_at_again_beside_others(tmp_path: Path) -> None:
    suite = FakeSuite(
        lambda block, position, arm: replace(
            trial(block, position, arm, 1e-6 if block.steps[position].invocations == 20_000 else 2e-6),
            invocations=block.steps[position].invocations or 20_000,
        )
    )
    runtime = speaking(harness(tmp_path, suite), warmup=0)
    first = calibrate(runtime, ["a", "b"], 0.02).iteration_plans["b"]
    suite.asked.clear()
    assert first == calibrate(runtime, ["b", "c"], 0.02).iteration_plans["b"]
    assert {"c"} == {block.benchmark for block in suite.asked}


def test_what_takes_in_proportion_is_not_made_longer_for_it(tmp_path: Path) -> None:
    suite = FakeSuite(
        lambda block, position, arm: replace(
            trial(block, position, arm, 0.015), invocations=block.steps[position].invocations or 1
        )
    )
    plan = calibrate(speaking(harness(tmp_path, suite), warmup=0), ["b"], 0.02).iteration_plans["b"]
    assert (1, 3) == (plan.invocations, len(suite.asked))
    # What it is asked for later is planned to take two iterations of one invocation, and of three.
    assert [0.02, 2 * 0.015, 2 * 0.045] == pytest.approx([block.expected_s for block in suite.asked])


def test_what_first_invocations_do_is_not_asked_again_in_another_build(tmp_path: Path) -> None:
    suite = FakeSuite(
        lambda block, position, arm: replace(
            trial(block, position, arm, 1e-6), invocations=block.steps[position].invocations or 20_000
        )
    )
    known = {"a": IterationPlan(benchmark="a", invocations=60_000, iteration_s=0.09, wall_s=0.1)}
    plans = calibrate(speaking(harness(tmp_path, suite), warmup=0), ["a", "b"], 0.02, known).iteration_plans
    assert (60_000, 20_000) == (plans["a"].invocations, plans["b"].invocations)
    assert {"b"} == {block.benchmark for block in suite.asked if "look past" in block.id}


def test_what_is_slow_while_a_process_begins_makes_no_iteration_longer(tmp_path: Path) -> None:
    def invented(block: Block, position: int, arm: Arm) -> Trial:
        step = block.steps[position]
        number = step.invocations or 10_000
        values = tuple(
            1e-6 + (0.01 / number if iteration == 0 else 0.0) for iteration in range(step.iterations)
        )
        return replace(trial(block, position, arm, 1.0), values=values, invocations=number)

    plan = calibrate(speaking(harness(tmp_path, FakeSuite(invented)), warmup=0), ["b"], 0.02)
    assert plan.iteration_plans["b"].invocations <= 20_000


def test_what_leaves_more_behind_with_each_invocation_is_not_looked_at_again(tmp_path: Path) -> None:
    """A proposal for golang-lru's expirable cache, of which each has a goroutine, took 85 s of 300."""
    taken_s = []

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[position].invocations or 734
        taken_s.append(number**2 * 1.5e-6 * block.steps[position].iterations)
        once_s = 8e-6 * (1 + number / 1000)
        return replace(trial(block, position, arm, once_s), invocations=number, wall_s=taken_s[-1])

    calibrate(speaking(harness(tmp_path, FakeSuite(invented)), warmup=0), ["b"], 0.02)
    assert sum(taken_s) < 10


def test_fewer_invocations_make_no_fork_begin_sooner(tmp_path: Path) -> None:
    """JMH made 15 of 4 ms where 5 are an iteration: planned was a third of what the fork took."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        return replace(trial(block, position, arm, 0.004), invocations=15, wall_s=1.06)

    runtime = speaking(harness(tmp_path, FakeSuite(invented)), forks_alike=False)
    plan = calibrate(runtime, ["b"], 0.02).iteration_plans["b"]
    assert (5, pytest.approx(1.02)) == (plan.invocations, plan.wall_s)


def test_a_batch_of_the_suites_own_stays_whole(tmp_path: Path) -> None:
    """Kryo's single shots have twelve million invocations each, whatever is asked for."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        return replace(trial(block, position, arm, 1e-7), invocations=12_000_000, wall_s=2.9)

    runtime = speaking(harness(tmp_path, FakeSuite(invented)), forks_alike=False, fork_s=0.7)
    plan = calibrate(runtime, ["b"], 0.02).iteration_plans["b"]
    assert (12_000_000, pytest.approx(1.2), 2.9) == (plan.invocations, plan.iteration_s, plan.wall_s)


@pytest.mark.parametrize(
    ("once_s", "set_up_s", "invocations"),
    [(1e-6, 0.0, 16), (0.02, 0.0, 5), (0.2, 0.0, 1), (1e-6, 0.1, 9), (1e-6, 1.6, 1)],
)
def test_an_iteration_for_shares_is_spread_over_as_many_invocations_as_are_bearable(
    once_s: float, set_up_s: float, invocations: int
) -> None:
    """Sixteen of one with a set-up of 1.6 s each were given up after 20 s."""
    plan = IterationPlan(benchmark="b", invocations=1, iteration_s=once_s, wall_s=once_s + set_up_s)
    assert invocations == plan.of_least(16).invocations
