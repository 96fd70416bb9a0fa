"""Reach: calls that grow with the invocations, in processes that count those of set-up, too."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from abs_audit.experiment.counting import MOST_INVOCATIONS, Counting, reach
from abs_audit.experiment.first_calls import FEWEST
from abs_audit.experiment.iteration_plan import LIMIT_FACTOR, LIMIT_FLOOR_S, IterationPlan
from abs_audit.experiment.reach import Reach
from abs_audit.model.experiment import Arm, Block, BlockKind
from abs_audit.model.explanation import Cause
from abs_audit.model.measurement import Status, Trial
from tests.support.fake_executor import FakeSuite, harness, speaking, trial


def reached(folder: Path, in_process: Callable[[int], int], first_s: float = 1e-6, threads: int = 1) -> Reach:
    """Return the reach where a process of n invocations, a microsecond each, makes so many calls in all.

    The first takes longer. Each of some threads makes n.
    """

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        made = trial(block, position, arm)
        number = block.steps[position].invocations or 0
        assert made.tally is not None
        counted = replace(made.tally.methods["m"], calls=in_process(number))
        tally = replace(made.tally, methods={"m": counted}, threads=threads)
        return replace(made, invocations=number, values=(1e-6 if number > 1 else first_s,), tally=tally)

    (found,) = reach(harness(folder, FakeSuite(invented)), ["b"], ["m"])
    return found


@pytest.mark.parametrize("setup", [0, 1, 1000])
def test_calls_of_set_up_are_no_calls_of_the_loop_whichever_way_invocations_are_made(
    tmp_path: Path, setup: int
) -> None:
    # Go makes one invocation first, with a set-up of its own; where one is asked for, that is it.
    twice = reached(tmp_path / "a", lambda n: setup + 3 if n == 1 else 2 * setup + 3 * (1 + n))
    once = reached(tmp_path / "b", lambda n: setup + 3 * n)
    assert [{"m": 3.0}, {"m": 3.0}] == [twice.calls, once.calls]


def test_calls_of_threads_that_each_make_the_invocations_are_told_of_one(tmp_path: Path) -> None:
    """uuid-creator's benchmarks have four threads: delays were a quarter of what was asked."""
    assert {"m": 1.0} == reached(tmp_path, lambda n: 4 * n, threads=4).calls


def test_a_method_that_only_set_up_calls_is_not_reached(tmp_path: Path) -> None:
    found = reached(tmp_path, lambda n: 5 if n == 1 else 10)
    assert ({}, {"m"}) == (dict(found.calls), set(found.setup_only))


def test_a_method_that_only_the_first_invocation_calls_is_not_reached_but_not_unknown(tmp_path: Path) -> None:
    """As under functools.lru_cache: warm-up comes before what is counted, and then the cache answers."""
    found = reached(tmp_path, lambda n: int(n == 1))
    assert (dict(found.calls), found.unreached("m")) == ({}, Cause.AT_FIRST)


def test_a_method_that_set_up_calls_the_first_time_is_called_by_set_up(tmp_path: Path) -> None:
    def invented(block: Block, position: int, arm: Arm) -> Trial:
        made = trial(block, position, arm)
        number = block.steps[position].invocations or 0
        assert made.tally is not None
        counted = replace(made.tally.methods["m"], calls=0, setup_calls=int(number == 1))
        tally = replace(made.tally, methods={"m": counted})
        return replace(made, invocations=number, values=(1e-6,), tally=tally)

    (found,) = reach(harness(tmp_path, FakeSuite(invented)), ["b"], ["m"])
    assert found.unreached("m") is Cause.SETUP_ONLY


@pytest.mark.parametrize(
    ("outside", "at_loading", "cause"),
    [
        (3, 3, Cause.LOADING_ONLY),
        (3, 2, Cause.SETUP_ONLY),
        (3, 0, Cause.SETUP_ONLY),
        (0, 0, Cause.NOT_CALLED),
    ],
)
def test_what_is_called_while_the_suite_is_loaded_is_in_no_benchmarks_set_up(
    tmp_path: Path, outside: int, at_loading: int, cause: Cause
) -> None:
    def invented(block: Block, position: int, arm: Arm) -> Trial:
        made = trial(block, position, arm)
        assert made.tally is not None
        counted = replace(made.tally.methods["m"], calls=0, setup_calls=outside, loading_calls=at_loading)
        return replace(made, values=(1e-6,), tally=replace(made.tally, methods={"m": counted}))

    (found,) = reach(harness(tmp_path, FakeSuite(invented)), ["b"], ["m"])
    assert found.unreached("m") is cause


def invocations_s(
    folder: Path, invented: Callable[[Block, int], tuple[float, int]], from_first: int = 0, **others: bool
) -> Reach:
    """Return the reach where a step takes so long in all, with so many calls."""

    def made(block: Block, position: int, arm: Arm) -> Trial:
        known = trial(block, position, arm)
        number = block.steps[position].invocations or 0
        seconds, calls = invented(block, position)
        assert known.tally is not None
        counted = replace(known.tally.methods["m"], calls=calls)
        tally = replace(known.tally, methods={"m": counted}, from_first=from_first)
        return replace(known, invocations=number, values=(seconds / number,), tally=tally, wall_s=seconds)

    (found,) = reach(speaking(harness(folder, FakeSuite(made)), **others), ["b"], ["m"])
    return found


def filled(before_s: float, duration_s: float, lifetime_s: float) -> int:
    """Return how often an entry is filled, by what was executed before, and for how long now."""
    return math.ceil((before_s + duration_s) / lifetime_s) - math.ceil(before_s / lifetime_s)


@pytest.mark.parametrize(
    ("lifetime_s", "calls"),
    [(0.005, {"m"}), (0.02, {"m"}), (0.025, {"m"}), (10.0, set())],
    ids=["below what is counted", "longer", "as long as matters", "seldom"],
)
@pytest.mark.parametrize("shared", [True, False], ids=["a process for all", "one for each count"])
def test_what_a_cache_loads_again_when_its_entry_expires_is_reached(
    tmp_path: Path, lifetime_s: float, calls: set[str], shared: bool
) -> None:
    """It takes 10 ms, an invocation 2 µs: told as set-up, it made up .8 of a benchmark in Go."""
    load_s, each_s = 0.01, 2e-6

    def invented(block: Block, position: int) -> tuple[float, int]:
        steps = block.steps[: position + 1] if shared else block.steps[position : position + 1]
        *before, now = [(1 + step.warmup * shared) * (step.invocations or 0) * each_s for step in steps]
        warmed_s = block.steps[position].warmup * now / 2 if shared else 0.0
        loads = filled(sum(before) + warmed_s, now - warmed_s, lifetime_s)
        return now - warmed_s + loads * load_s, loads

    found = invocations_s(tmp_path, invented, warmup=shared)
    assert calls == set(found.calls)


@pytest.mark.parametrize(("lifetime_s", "calls"), [(0.02, {"m"}), (10.0, set())], ids=["soon", "seldom"])
@pytest.mark.parametrize("slower", [1.0, 2.0, 3.5, 0.4])
def test_a_call_that_others_interrupt_does_not_stand_for_the_invocations_after_it(
    tmp_path: Path, lifetime_s: float, calls: set[str], slower: float
) -> None:
    """It takes 27 ms in the first of two invocations, and longer in the first of three: two looks of Java."""

    def invented(block: Block, position: int) -> tuple[float, int]:
        number = block.steps[position].invocations or 0
        loads = math.ceil(number * 2e-6 / lifetime_s)
        return number * 2e-6 + loads * 0.027 * (slower if number == FEWEST + 1 else 1.0), loads

    assert calls == set(invocations_s(tmp_path, invented).calls)


def test_a_call_that_no_probe_timed_may_be_all_that_few_invocations_took(tmp_path: Path) -> None:
    """At a first look of Java one invocation filled a cache in 14 ms; the other, of 3 µs, stood for it."""
    hit_s, load_s, lifetime_s = 1.3e-7, 0.0145, 0.002

    def made(block: Block, position: int, arm: Arm) -> Trial:
        known, number = trial(block, position, arm), block.steps[position].invocations or 0
        assert known.tally is not None
        loads = math.ceil(number * hit_s / lifetime_s)
        counted = replace(known.tally.methods["m"], calls=loads, timed_s=0.0)
        tally = replace(known.tally, methods={"m": counted})
        seconds = number * hit_s + loads * load_s
        values = (0.0143, 3.28e-6) if block.id.startswith("reach/first") else (seconds / number,)
        # The second counts on in the process of the first.
        wall_s = 0.2 * (position == 0) + seconds
        return replace(known, invocations=number, values=values, tally=tally, wall_s=wall_s)

    (found,) = reach(speaking(harness(tmp_path, FakeSuite(made)), forks_alike=False), ["b"], ["m"])
    assert {"m"} == set(found.calls)


@pytest.mark.parametrize(("load_s", "calls"), [(0.06, {"m"}), (0.03, set())], ids=["long", "short"])
@pytest.mark.parametrize("told", ["before the fork", "in the trial", "by its probe"])
def test_what_set_up_loaded_is_reached_where_it_is_loaded_again_while_that_matters(
    tmp_path: Path, load_s: float, calls: set[str], told: str
) -> None:
    """Set-up fills a cache whose entry lives for 90 ms; an invocation takes 20 µs.

    Where a probe tells how long that took, all else that a process does at first says nothing.
    """
    timed, before = told == "by its probe", told == "before the fork"

    def made(block: Block, position: int, arm: Arm) -> Trial:
        known, number = trial(block, position, arm), block.steps[position].invocations or 0
        assert known.tally is not None
        seconds = number * 2e-5
        counted = replace(
            known.tally.methods["m"],
            calls=int(seconds / 0.09),
            setup_calls=1,
            longest_s=load_s if timed else None,
        )
        tally = replace(known.tally, methods={"m": counted}, set_up_s=load_s * before)
        wall_s = seconds + load_s * (not before) + 0.2 * timed
        return replace(known, invocations=number, values=(seconds / number,), tally=tally, wall_s=wall_s)

    (found,) = reach(harness(tmp_path, FakeSuite(made)), ["b"], ["m"])
    assert calls == set(found.calls)


@pytest.mark.parametrize(
    ("from_first", "first_s", "told"),
    [
        (1, 1e-3, {"m": "first"}),
        (3, 1e-3, {"m": "first"}),
        (10_000, 1e-3, {}),
        (1, 1.1e-5, {}),
        (0, 1e-3, {}),
    ],
    ids=["the first", "three", "thousands", "a short one", "others"],
)
def test_what_only_the_first_invocation_calls_is_open_where_the_suite_times_it(
    tmp_path: Path, from_first: int, first_s: float, told: dict[str, str]
) -> None:
    """pytest-benchmark's `pedantic` times one invocation, and warms up before none."""

    def invented(block: Block, position: int) -> tuple[float, int]:
        number = block.steps[position].invocations or 0
        return (first_s, 1) if number == 1 else (number * 1e-5, 0)

    found = invocations_s(tmp_path, invented, from_first)
    assert (told, {}) == (found.elsewhere, found.calls)


@pytest.mark.parametrize(("from_first", "part"), [(1, 0.9), (2, 0.9 / 1.1), (0, 0.0)])
def test_what_the_first_invocation_takes_longer_is_known_where_the_suite_times_it(
    tmp_path: Path, from_first: int, part: float
) -> None:
    def invented(block: Block, position: int) -> tuple[float, int]:
        number = block.steps[position].invocations or 0
        return (1.1e-3 if number == 1 else number * 1e-4), number

    found = invocations_s(tmp_path, invented, from_first)
    assert part == pytest.approx(found.first_part)


@pytest.mark.parametrize(("each", "first_s"), [(500, 1e-6), (5000, 1e-6), (5000, 2.5e-5)])
def test_a_method_that_one_of_thousands_of_invocations_calls_is_reached(
    tmp_path: Path, each: int, first_s: float
) -> None:
    """So often a log of lines of eight bytes writes out a buffer of 4096, or a table is compacted."""
    assert reached(tmp_path, lambda n: n // each, first_s).calls == {"m": pytest.approx(1 / each)}


@pytest.mark.parametrize("each", [3, 100, 900])
def test_a_seldom_call_is_seen_where_a_fork_is_dear_and_nothing_else_is_called(
    tmp_path: Path, each: int
) -> None:
    """A buffer that is flushed now and then: two invocations, one by one, came to nothing."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        step, made = block.steps[position], trial(block, position, arm)
        # One fork counts on, in iterations that are all as long as the longest.
        number = max(step.invocations or 0 for step in block.steps)
        calls = (position + 1) * number // each - position * number // each
        assert made.tally is not None
        counted = replace(made.tally.methods["m"], calls=calls)
        values = (1e-2, 1e-5)[: step.iterations] if number == 1 else (1e-5,)
        tally = replace(made.tally, methods={"m": counted})
        return replace(made, invocations=number, values=values, tally=tally)

    asked = speaking(harness(tmp_path, FakeSuite(invented)), forks_alike=False)
    (found,) = reach(asked, ["b"], ["m"])
    assert found.calls == {"m": pytest.approx(1 / each, rel=0.1)}


def test_the_first_invocation_of_a_process_says_nothing_of_how_many_can_be_counted(tmp_path: Path) -> None:
    """A JVM links what is dynamic in it: 10 ms instead of 1 µs, of which 50 ms hold ten thousand."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        step = block.steps[position]
        made = trial(block, position, arm)
        return replace(made, invocations=step.invocations or 0, values=(1e-2, 1e-6)[: step.iterations])

    suite = FakeSuite(invented)
    reach(speaking(harness(tmp_path, suite), forks_alike=False), ["b"], ["m"])
    assert suite.asked[-1].steps[-1].invocations == FEWEST + MOST_INVOCATIONS


@pytest.mark.parametrize(
    ("process_s", "invocation_s", "most"),
    [(0.07, 0.0, 10_002), (0.01, 0.06, 3), (0.0, 1e-5, 10_002)],
    ids=["a set-up once", "a set-up for each invocation", "none"],
)
def test_invocations_that_are_set_up_one_by_one_are_counted_as_far_as_that_is_affordable(
    tmp_path: Path, process_s: float, invocation_s: float, most: int
) -> None:
    """Benchmarks of packaging make their versions before each invocation; 500 of them were timed out."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[position].invocations or 0
        made = trial(block, position, arm)
        wall_s = process_s + number * invocation_s
        return replace(made, invocations=number, values=(1e-6,), wall_s=wall_s)

    suite = FakeSuite(invented)
    reach(harness(tmp_path, suite), ["b"], ["m"])
    assert most == max(step.invocations or 0 for block in suite.asked for step in block.steps)


@pytest.mark.parametrize(("invocation_s", "most"), [(0.016, 30), (0.0, 10_002)], ids=["set-ups", "none"])
def test_what_a_process_does_at_first_hides_no_set_ups_of_invocations(
    tmp_path: Path, invocation_s: float, most: int
) -> None:
    """A graph of networkx is made in 16 ms before each invocation: 1,183 of them took 20 s to be counted."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[position].invocations or 0
        wall_s = (0.0 if position else 0.3) + number * invocation_s
        return replace(trial(block, position, arm), invocations=number, values=(1e-6,), wall_s=wall_s)

    suite = FakeSuite(invented)
    reach(harness(tmp_path, suite), ["b"], ["m"])
    assert most == max(step.invocations or 0 for block in suite.asked for step in block.steps)


@pytest.mark.parametrize(("known", "processes"), [(True, 3), (False, 4)], ids=["known", "unknown"])
def test_what_parts_of_a_benchmark_share_is_not_set_up_often_where_it_is_known(
    tmp_path: Path, known: bool, processes: int
) -> None:
    """BurntSushi/toml reads its test cases for half a second before each of thirty parts of some µs."""

    starts = count()

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[position].invocations or 0
        made = replace(trial(block, position, arm), invocations=number, values=(1e-5,))
        start_s = 0.6 + 0.02 * next(starts)
        return replace(made, wall_s=start_s + number * 1e-5, outside_s=start_s if known else 0.0)

    suite = FakeSuite(invented)
    reach(harness(tmp_path, suite), ["b"], ["m"])
    assert processes == sum(len(block.steps) for block in suite.asked)


@pytest.mark.parametrize("later_s", [-0.1, 0.1], ids=["shorter", "longer"])
def test_what_a_process_sets_up_for_long_is_set_up_a_few_times(tmp_path: Path, later_s: float) -> None:
    """ristretto fills a map for 9 s to read of it for some ns: it was filled fourteen times."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[position].invocations or 0
        made = trial(block, position, arm)
        assert made.tally
        methods = {"m": replace(made.tally.methods["m"], calls=number // 1000)}
        tally = replace(made.tally, methods=methods)
        wall_s = 9.0 + later_s * (number > FEWEST)
        return replace(made, invocations=number, values=(3e-7,), tally=tally, wall_s=wall_s)

    suite = FakeSuite(invented)
    (counted,) = reach(harness(tmp_path, suite), ["b"], ["m"])
    assert 1e-3 == pytest.approx(counted.calls["m"], rel=0.01)
    assert [1, 2, 1, 1, 1][: len(suite.asked)] == [len(block.steps) for block in suite.asked]


def test_a_moment_of_the_machine_hides_no_call_that_every_thousandth_invocation_makes(tmp_path: Path) -> None:
    """xsync has its queues' invocations made by goroutines, a thousand each: told to be set-up at load 4."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[position].invocations or 0
        made = trial(block, position, arm)
        assert made.tally is not None
        tally = replace(
            made.tally, methods={"m": replace(made.tally.methods["m"], calls=1 + number // 1000 * 1000)}
        )
        wall_s = 0.004 + 1e-6 * number + (0.001 if position else 0.0)
        return replace(made, invocations=number, values=(1e-6,), tally=tally, wall_s=wall_s)

    (found,) = reach(harness(tmp_path, FakeSuite(invented)), ["b"], ["m"])
    assert (1.0, frozenset()) == (pytest.approx(found.calls.get("m", 0.0), rel=0.1), found.setup_only)


@pytest.mark.parametrize(
    ("once_s", "inside", "blocks", "setup_only"),
    [(100.0, 0, 1, {"m"}), (100.0, 3, 2, set()), (1.0, 0, 2, {"m"})],
    ids=["a minute, set-up only", "a minute", "a second"],
)
def test_a_benchmark_of_a_minute_is_counted_again_only_for_calls_in_its_timed_region(
    tmp_path: Path, once_s: float, inside: int, blocks: int, setup_only: set[str]
) -> None:
    """One of attrs takes 100 s, and its file calls methods while it is imported."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[position].invocations or 0
        made = trial(block, position, arm)
        assert made.tally is not None
        counted = replace(made.tally.methods["m"], calls=inside * number, setup_calls=5)
        tally = replace(made.tally, methods={"m": counted})
        return replace(made, invocations=number, values=(once_s,), tally=tally)

    suite = FakeSuite(invented)
    (found,) = reach(harness(tmp_path, suite), ["b"], ["m"])
    assert (blocks, setup_only) == (len(suite.asked), set(found.setup_only))
    assert found.calls == ({"m": 3.0} if inside else {})


@pytest.mark.parametrize("once_s", [2.5, 5.0])
@pytest.mark.parametrize(
    ("single_s", "asked", "calls"),
    [(math.inf, [[1], [2]], 3.0), (2.0, [[1]], 8.0)],
    ids=["the loop alone counts", "the tool times one invocation"],
)
def test_a_benchmark_of_seconds_is_executed_no_oftener_than_tells_what_is_timed(
    tmp_path: Path, once_s: float, single_s: float, asked: list[list[int]], calls: float
) -> None:
    """One of 5 s in a Go module took seven invocations, while `go test -bench` times a single one."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[position].invocations or 0
        made = trial(block, position, arm)
        assert made.tally is not None
        counted = replace(made.tally.methods["m"], calls=5 + 3 * number)
        tally = replace(made.tally, methods={"m": counted})
        return replace(made, invocations=number, values=(once_s,), tally=tally, wall_s=once_s * number)

    suite = FakeSuite(invented)
    (found,) = reach(speaking(harness(tmp_path, suite), single_s=single_s), ["b"], ["m"])
    assert asked == [[step.invocations for step in block.steps] for block in suite.asked]
    assert {"m": calls} == found.calls
    assert once_s == found.expected_plan(0.02, fork_s=0.0).iteration_s


def test_one_invocation_is_no_few_where_the_tool_makes_it_before_any_other(tmp_path: Path) -> None:
    """Go's set-up is made twice for two invocations: it would be taken for calls of the loop."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[position].invocations or 0
        made = trial(block, position, arm)
        assert made.tally is not None
        calls = 5 + 3 if number == 1 else 2 * 5 + 3 * (1 + number)
        tally = replace(made.tally, methods={"m": replace(made.tally.methods["m"], calls=calls)})
        return replace(made, invocations=number, values=(5.0,), tally=tally, wall_s=5.0 * number)

    (found,) = reach(speaking(harness(tmp_path, FakeSuite(invented)), warmup=0), ["b"], ["m"])
    assert {"m": 3.0} == found.calls


def test_what_is_known_to_take_long_is_not_looked_at_briefly_before(tmp_path: Path) -> None:
    """It was killed after five seconds, and executed again without that limit."""
    suite = FakeSuite(trial)
    reach(harness(tmp_path, suite), ["a", "b"], ["m"], Counting(known_s={"a": 50.0, "b": 0.1}))
    first = [block for block in suite.asked if block.id.startswith("reach/first/")]
    assert ["b", "a"] == [block.benchmark for block in first]
    assert first[0].limit_s < 50.0 < first[1].limit_s


def test_what_sets_up_for_long_before_each_count_has_time_for_it(tmp_path: Path) -> None:
    """ristretto's maps take eighteen seconds to fill; counting calls in them was given up after fifteen."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[position].invocations or 1
        return replace(trial(block, position, arm, 1e-6), invocations=number, wall_s=18.0)

    suite = FakeSuite(invented)
    patient = replace(harness(tmp_path, suite), longest_s=600.0)
    (counted,) = reach(patient, ["b"], ["m"])
    assert counted.failure is None
    again = [block for block in suite.asked if block.kind is BlockKind.REACH]
    assert again
    assert all(block.limit_s > 2 * 18.0 * len(block.steps) for block in again)


@pytest.mark.parametrize(
    ("set_up_s", "once_s", "warmups"),
    [(0.05, 0.01, {1}), (1.1, 0.01, {0}), (0.0, 1.1, {1})],
    ids=["short", "long", "compiled at first"],
)
def test_what_may_be_set_up_for_long_each_time_is_not_warmed_up_to_be_counted(
    tmp_path: Path, set_up_s: float, once_s: float, warmups: set[int]
) -> None:
    """Two and three invocations of geopandas, each set up for a second, were made after as many others."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[position].invocations or 1
        wall_s = number * (set_up_s + once_s)
        return replace(trial(block, position, arm, once_s), invocations=number, wall_s=wall_s)

    suite = FakeSuite(invented)
    reach(speaking(harness(tmp_path, suite), warmup=1), ["b"], ["m"])
    again = [step for block in suite.asked if block.kind is BlockKind.REACH for step in block.steps]
    assert warmups == {step.warmup for step in again}


def test_a_method_that_is_never_called_is_neither(tmp_path: Path) -> None:
    found = reached(tmp_path, lambda _: 0)
    assert ({}, set()) == (dict(found.calls), set(found.setup_only))


@pytest.mark.parametrize("others", ["processes", "threads"])
def test_what_others_enter_too_is_neither_reached_nor_set_up(tmp_path: Path, others: str) -> None:
    def invented(block: Block, position: int, arm: Arm) -> Trial:
        made = trial(block, position, arm)
        assert made.tally is not None
        counted = replace(made.tally.methods["m"], calls=10 * (position + 1), elsewhere=others)
        return replace(made, tally=replace(made.tally, methods={"m": counted}))

    (known,) = reach(harness(tmp_path, FakeSuite(invented)), ["b"], ["m"])
    assert (known.calls, known.setup_only, known.elsewhere) == ({}, frozenset(), {"m": others})


@pytest.mark.parametrize(
    ("call_s", "cost_s", "is_at_once"),
    [
        (lambda n: 0.9e-6 * (1 + n), 1e-6, True),  # generate(b.N)
        (lambda n: 1e-3 * (1 + n), 1e-3, True),
        (lambda n: 0.9 * (1 + n), 1.0, True),  # three invocations instead of two
        (lambda n: 0.05e-6 * (1 + n), 1e-6, False),
        (lambda n: 1e-3, 1e-6, False),
        (lambda n: 1.2e-3 if n > FEWEST else 1e-3, 1e-6, False),
        (lambda n: 0.0, 1e-6, False),  # languages that time no counted call
    ],
)
def test_a_call_that_takes_the_longer_the_more_invocations_there_are_is_not_set_up(
    tmp_path: Path, call_s: Callable[[int], float], cost_s: float, is_at_once: bool
) -> None:
    def invented(block: Block, position: int, arm: Arm) -> Trial:
        made = trial(block, position, arm)
        number = block.steps[position].invocations or 0
        assert made.tally is not None
        counted = replace(made.tally.methods["m"], calls=2, timed_s=call_s(number))
        value = cost_s + (call_s(number) / number if number * cost_s < call_s(number) else 0.0)
        tally = replace(made.tally, methods={"m": counted})
        return replace(made, invocations=number, values=(value,), tally=tally)

    suite = FakeSuite(invented)
    (known,) = reach(harness(tmp_path, suite), ["b"], ["m"])
    assert known.elsewhere == ({"m": "at once"} if is_at_once else {})
    assert known.setup_only == (frozenset() if is_at_once else {"m"})
    # The more there are of starlark-go's, the longer its one call: it was looked for until they took 3 s.
    assert len(suite.asked) <= 4 or not is_at_once


def test_a_call_that_took_longer_on_a_busy_machine_is_looked_for_again(tmp_path: Path) -> None:
    """A cache loads an entry of 2 ms again, which takes 5 ms and was interrupted beside three invocations."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        made = trial(block, position, arm)
        number = block.steps[position].invocations or 0
        assert made.tally is not None
        calls = 1 if number == 1 else 2 + max(0, number - 3) // 2
        timed_s = 0.022 if number == 3 else 0.005 * calls
        tally = replace(
            made.tally, methods={"m": replace(made.tally.methods["m"], calls=calls, timed_s=timed_s)}
        )
        once_s = 0.027 if number == 1 else timed_s / number + 1e-6
        return replace(made, invocations=number, values=(once_s,), tally=tally, wall_s=number * once_s + 0.02)

    (counted,) = reach(speaking(harness(tmp_path, FakeSuite(invented)), warmup=0), ["b"], ["m"])
    assert 0.25 < counted.calls["m"] < 0.75


NAMES = ["A.x", "A.y", "A.z"]


def first_looked(
    folder: Path, failing: Sequence[str] = (), inert: Sequence[str] = ()
) -> tuple[dict[str, Reach], list[tuple[str, BlockKind]]]:
    """Return the reach of three benchmarks, of which y calls the method, and what was executed for it."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        made = trial(block, position, arm)
        assert made.tally is not None
        number = block.steps[position].invocations or 0
        counted = replace(made.tally.methods["m"], calls=number * (block.benchmark == "A.y"))
        status = Status.FAILED if f"{block.kind} {block.benchmark}" in failing else Status.OK
        tally = replace(made.tally, methods={"m": counted})
        reason = "" if status is Status.OK else "boom"
        return replace(made, status=status, reason=reason, invocations=number, tally=tally)

    suite = FakeSuite(invented)
    asked = replace(
        speaking(harness(folder, suite), forks_alike=False),
        may_call=lambda names: {name: frozenset[str]() for name in names if name in inert},
    )
    return (
        {reached.benchmark: reached for reached in reach(asked, NAMES, ["m"])},
        list(dict.fromkeys((block.benchmark, block.kind) for block in suite.asked)),
    )


def test_what_is_called_once_in_a_fork_is_not_looked_for_longer_and_longer(tmp_path: Path) -> None:
    """JMH has one number of invocations for all iterations: the few that made the call became millions."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        made = trial(block, position, arm)
        most = max(step.invocations or 0 for step in block.steps)
        number = most or round(block.steps[position].target_s / 1e-8)
        assert made.tally is not None
        counted = replace(made.tally.methods["m"], calls=int(position == 0))
        tally = replace(made.tally, methods={"m": counted})
        wall_s = 0.5 * (position == 0) + number * 1e-8
        return replace(made, invocations=number, values=(1e-8,), tally=tally, wall_s=wall_s)

    suite = FakeSuite(invented)
    asked = replace(
        speaking(harness(tmp_path, suite), forks_alike=False), may_call=lambda names: {"b": frozenset({"m"})}
    )
    (known,) = reach(asked, ["b"], ["m"])
    assert ({}, {"m"}) == (known.calls, known.setup_only)
    # Each of two may take the half second that the first one has set up for.
    assert suite.asked[-1].limit_s >= LIMIT_FLOOR_S + LIMIT_FACTOR * 2 * 0.5
    # Of .025 s a call is a quarter of the time if it comes again within .1 s.
    assert sum(step.invocations or 0 for block in suite.asked for step in block.steps) * 1e-8 < 0.5


@pytest.mark.parametrize("is_single", [False, True], ids=["for a time", "single shots"])
def test_a_fork_that_becomes_faster_is_looked_at_once_more_and_not_again_and_again(
    tmp_path: Path, is_single: bool
) -> None:
    """Four more forks, each of more invocations, were made of a benchmark of jdbi's with a cache."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        made, step = trial(block, position, arm), block.steps[position]
        number = max(step.invocations or 0 for step in block.steps)
        number = number or (1 if is_single else round(step.target_s / 1e-7))
        each_s = max(1e-7, 5e-3 / number)
        assert made.tally is not None
        calls = {"m": number, "cached": int(position == 0)}
        methods = {name: replace(made.tally.methods["m"], calls=count) for name, count in calls.items()}
        tally = replace(made.tally, methods=methods)
        values = (2e-2, 1e-4)[: step.iterations] if number == 1 else (each_s,)
        wall_s = 0.5 * (position == 0) + number * values[-1]
        return replace(made, invocations=number, values=values, tally=tally, wall_s=wall_s)

    suite = FakeSuite(invented)
    asked = speaking(harness(tmp_path, suite), forks_alike=False)
    (known,) = reach(asked, ["b"], ["m", "cached"])
    assert ({"m": 1.0}, {"cached"}) == (known.calls, known.setup_only)
    assert len({block.id for block in suite.asked}) == 3


@pytest.mark.parametrize("likely", [True, False])
def test_what_likely_calls_something_is_not_looked_at_before(tmp_path: Path, likely: bool) -> None:
    def invented(block: Block, position: int, arm: Arm) -> Trial:
        return replace(trial(block, position, arm), invocations=block.steps[position].invocations or 5000)

    suite = FakeSuite(invented)
    asked = speaking(harness(tmp_path, suite), forks_alike=False)
    reach(asked, ["b"], ["m"], Counting(likely=likely))
    assert likely is all(block.kind is BlockKind.REACH for block in suite.asked)


def test_what_calls_nothing_at_the_first_look_is_executed_once(tmp_path: Path) -> None:
    reached, executed = first_looked(tmp_path)
    looks = [(name, BlockKind.FIRST_LOOK) for name in NAMES]
    assert executed == [*looks, ("A.y", BlockKind.REACH)]
    assert {"A.y"} == {name for name, known in reached.items() if known.calls}


def test_what_fails_in_a_process_of_others_is_looked_at_by_itself(tmp_path: Path) -> None:
    everywhere = ["first-look A.z", "reach A.z"]
    reached, executed = first_looked(tmp_path, ["first-look A.x", *everywhere])
    assert executed[3:] == [("A.x", BlockKind.REACH), ("A.z", BlockKind.REACH), ("A.y", BlockKind.REACH)]
    assert {"A.z"} == {name for name, known in reached.items() if known.failure}


def test_what_is_known_to_come_to_no_probe_is_never_executed(tmp_path: Path) -> None:
    reached, executed = first_looked(tmp_path, inert=["A.x"])
    assert {"A.y", "A.z"} == {name for name, _ in executed}
    assert {"A.x"} == {name for name, known in reached.items() if known.inert}
    assert {"A.y"} == {name for name, known in reached.items() if known.calls}


def test_what_an_iteration_takes_is_expected_with_the_warming_that_counting_needs_not() -> None:
    """Forks of protostuff took 1.0 s where counting had them at .34: a score took twice what was told."""
    counted = Reach(
        benchmark="b",
        calls={"m": 1.0},
        setup_only=frozenset(),
        failure=None,
        counted=tuple(
            IterationPlan(
                benchmark="b", invocations=number, iteration_s=number * 0.001, wall_s=0.3 + number * 0.001
            )
            for number in (2, 50)
        ),
    )
    plan = counted.expected_plan(0.02, fork_s=0.7)
    assert (20, pytest.approx(1.02)) == (plan.invocations, plan.wall_s)


@pytest.mark.parametrize(("differing_s", "expected_s"), [(0.006, 0.03), (0.06, 0.69)])
def test_a_moment_of_the_machine_is_no_set_up_of_thousands_of_invocations(
    differing_s: float, expected_s: float
) -> None:
    """Counting ten invocations of 1 µs took 6 ms longer than two, 10,000 half a second."""
    few, many = (
        IterationPlan(benchmark="b", invocations=number, iteration_s=number * 1e-6, wall_s=wall_s)
        for number, wall_s in ((2, 0.02), (10, 0.02 + differing_s))
    )
    counted = Reach(
        benchmark="b", calls={"m": 1.0}, setup_only=frozenset(), failure=None, counted=(few, many)
    )
    assert expected_s >= counted.expected_plan(0.01, fork_s=0.0).wall_s


def test_the_warm_up_of_an_invocation_is_no_set_up_of_its_process() -> None:
    """One of .2 s was counted with another before it: .4 s in all, of which nothing is a start."""
    few, many = (
        IterationPlan(benchmark="b", invocations=number, iteration_s=number * 0.2, wall_s=number * 0.4)
        for number in (1, 2)
    )
    counted = Reach(
        benchmark="b", calls={"m": 1.0}, setup_only=frozenset(), failure=None, counted=(few, many)
    )
    assert pytest.approx(0.4) == counted.expected_plan(0.04, fork_s=0.0).wall_s
