"""Shares: what a method is to a benchmark, from invented trials."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from abs_audit.experiment.harness import Harness
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.order_of_work import best_first
from abs_audit.experiment.reach import Reach
from abs_audit.experiment.share import Share
from abs_audit.experiment.shares import measure_shares
from abs_audit.experiment.timed_shares import range_factor
from abs_audit.model.experiment import Arm, Block, BlockKind, Mode
from abs_audit.model.measurement import Status, Tally, Trial
from tests.support.fake_executor import FakeSuite, harness, speaking, trial
from tests.support.known_shares import CALL_S, World

PACE = IterationPlan(benchmark="b", invocations=100, iteration_s=100.0, wall_s=100.0)
REACH = Reach(benchmark="b", calls={"m": 10.0}, setup_only=frozenset(), failure=None)


def measured(
    rig: Harness, reached: list[tuple[Reach, IterationPlan]], seed: int
) -> tuple[list[Share], list[Trial]]:
    """Return the shares, and the trials that kept others from being measured."""
    shares, unknown = measure_shares(rig, reached, seed)
    return list(shares.values()), list(unknown.values())


def share(folder: Path, call_s: float, control_s: float = 1.0) -> Share:
    """Return the share of a method of which a call takes so long, in a benchmark that takes 1 s."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        made = trial(block, position, arm, control_s if arm.mode is Mode.CONTROL else 1.0)
        return timed(made, "m", call_s)

    ((found,), unknown) = measured(harness(folder, FakeSuite(invented)), [(REACH, PACE)], 1)
    assert unknown == []
    return found


def test_a_share_is_the_time_of_all_calls_of_an_invocation(tmp_path: Path) -> None:
    found = share(tmp_path, 0.04)
    assert (0.4, 1.0) == (pytest.approx(found.share), found.threads)
    assert found.delay_ns(0.5) == pytest.approx(0.5 * 0.04 * 1e9)


def test_what_scatters_above_one_is_one(tmp_path: Path) -> None:
    found = share(tmp_path, 0.105)
    assert (1.0, 1.0) == (found.share, found.threads)
    assert found.delay_ns(0.5) == pytest.approx(0.5 * 0.1 * 1e9)


def test_a_share_is_open_where_an_invocation_took_many_times_the_usual(tmp_path: Path) -> None:
    """What a cache loads again was missed: the iteration that timed it was next to nothing but a load."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        return timed(trial(block, position, arm, 1.0), "m", 0.001)

    usual = replace(PACE, iteration_s=1.0)
    like, unlike = (
        measured(harness(tmp_path / name, FakeSuite(invented)), [(REACH, plan)], 1)[0][0]
        for name, plan in {"like": PACE, "unlike": usual}.items()
    )
    assert (pytest.approx(0.01), False) == (like.share, like.open)
    assert (pytest.approx(0.01), True, 1.0) == (unlike.share, unlike.open, unlike.highest)


def test_a_share_is_open_where_a_benchmark_does_something_else_from_trial_to_trial(tmp_path: Path) -> None:
    """A table grew in the trial whose calls were timed, by one that was not, and in that without probes."""
    steady, growing = (share(tmp_path / name, 0.006, at) for name, at in (("steady", 1.0), ("growing", 0.07)))
    assert (pytest.approx(0.06), False) == (steady.share, steady.open)
    assert (pytest.approx(0.06), True) == (growing.share, growing.open)


def test_what_a_clock_takes_off_the_shortest_calls_makes_no_share_negative(tmp_path: Path) -> None:
    """The page ended with "bug" on multidict."""
    found = share(tmp_path, -1e-9)
    assert (0.0, 0.0, 0.0) == (found.share, found.lowest, found.delay_ns(0.5))


def test_calls_of_several_threads_at_once_each_pay_for_their_own_time(tmp_path: Path) -> None:
    # Two threads, each in the method for 95 % of the benchmark's time: a call of 10 takes 0.19 s.
    found = share(tmp_path, 0.19)
    assert (pytest.approx(0.95), pytest.approx(2.0)) == (found.share, found.threads)
    assert found.delay_ns(0.5) == pytest.approx(0.5 * 0.19 * 1e9)


def test_where_several_threads_are_always_inside_a_method_its_share_is_one(tmp_path: Path) -> None:
    found = share(tmp_path, 0.21)
    assert (1.0, pytest.approx(2.1)) == (found.share, found.threads)
    assert found.delay_ns(0.5) == pytest.approx(0.5 * 0.21 * 1e9)


def test_calls_that_only_timing_makes_longer_are_those_of_one_thread(tmp_path: Path) -> None:
    """They take 1.26 times what the benchmark takes without timing, but not more than it takes with it."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        return timed(trial(block, position, arm, 1.42 if arm.mode is Mode.TIME else 1.0), "m", 0.126)

    ((found,), _) = measured(harness(tmp_path, FakeSuite(invented)), [(REACH, PACE)], 1)
    assert (1.0, 1.0) == (found.share, found.threads)


def test_calls_that_only_a_busy_machine_made_again_are_those_of_controls(tmp_path: Path) -> None:
    """An entry that lives for 5 ms was loaded in one of two invocations, where 66 make it once."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        made = timed(trial(block, position, arm, 1e-4), "m", 2e-3)
        return replace(made, invocations=66_000)

    reach = replace(REACH, calls={"m": 0.5})
    ((told,), _) = measured(harness(tmp_path, FakeSuite(invented)), [(reach, PACE)], 1)
    assert (pytest.approx(1 / 66), pytest.approx(2e-3 / 66 / 1e-4)) == (told.calls, told.share)


def test_a_share_is_not_negligible_because_the_benchmark_was_interrupted_once(tmp_path: Path) -> None:
    made = []

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        made.append(arm.mode)
        stalled = arm.mode is Mode.OFF and made.count(Mode.OFF) == 1
        return timed(trial(block, position, arm, 9.0 if stalled else 1.0), "m", 0.08)

    ((found,), _) = measured(harness(tmp_path, FakeSuite(invented)), [(REACH, PACE)], 1)
    assert 0.8 == pytest.approx(found.share)
    assert made.count(Mode.OFF) > 2


def test_a_share_is_open_by_what_of_the_suites_time_is_in_none_of_what_is_measured(tmp_path: Path) -> None:
    """Nine tenths of it may be the method's, or none of them."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        return timed(trial(block, position, arm), "m", 0.02)

    reach = replace(REACH, first_part=0.9)
    ((found,), _) = measured(harness(tmp_path, FakeSuite(invented)), [(reach, PACE)], 1)
    assert (0.2, 0.92) == (pytest.approx(found.share), pytest.approx(found.highest))
    assert (found.low or 0.0) <= 0.02 < 0.9 < (found.high or 0.0)
    assert found.is_of_first
    assert best_first([found]) == []
    assert not replace(found, low=0.6).is_of_first
    assert not replace(found, first_part=0.1).is_of_first


@pytest.mark.parametrize(
    ("invocations", "once_s", "expected"), [(2, 0.003, 16), (2, 0.02, 5), (1, 0.4, 1), (100, 0.0002, 100)]
)
def test_collections_of_garbage_meet_more_invocations_than_are_measured_otherwise(
    tmp_path: Path, invocations: int, once_s: float, expected: int
) -> None:
    """In turns of one invocation each was the renderer's: a quarter of goldmark was told as half."""
    asked: set[int] = set()

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        asked.add(block.steps[position].invocations or 0)
        return timed(trial(block, position, arm), "m", 0.04)

    seconds = invocations * once_s
    plan = IterationPlan(benchmark="b", invocations=invocations, iteration_s=seconds, wall_s=seconds)
    rig = speaking(harness(tmp_path, FakeSuite(invented)), spread=16)
    measure_shares(rig, [(REACH, plan)], 1)
    assert {expected} == asked


@pytest.mark.parametrize(
    ("invocations", "once_s", "growth", "expected"),
    [
        (200_000, 1e-7, 0.0, 50_000),
        # Each invocation has more to do than the one before, as where a list grows.
        (200_000, 1e-7, 1e-5, 200_000),
        # What is done once is done in the first ones.
        (200_000, 1e-7, -2e-6, 200_000),
        (200, 1e-4, 0.0, 200),
    ],
)
def test_short_calls_are_timed_in_a_part_of_an_iteration_if_it_is_like_the_whole(
    tmp_path: Path, invocations: int, once_s: float, growth: float, expected: int
) -> None:
    """Clocks around calls of 110 ns took 13 times what the calls did."""
    asked: dict[Mode, set[int]] = {}

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        number = block.steps[position].invocations or 0
        if block.kind is BlockKind.SHARES:
            asked.setdefault(arm.mode, set()).add(number)
        return timed(trial(block, position, arm, once_s * max(0.1, 1 + growth * number)), "m", 0.04)

    seconds = invocations * once_s
    plan = IterationPlan(benchmark="b", invocations=invocations, iteration_s=seconds, wall_s=seconds)
    rig = speaking(harness(tmp_path, FakeSuite(invented)), clocked_call_s=1e-6)
    measure_shares(rig, [(replace(REACH, calls={"m": 1.0}), plan)], 1)
    assert {Mode.TIME: {expected}, Mode.OFF: {invocations}, Mode.CONTROL: {invocations}} == asked


def read(
    folder: Path, call_s: float, whole_s: float = 1e-6, *, forks_alike: bool = True, **others: float
) -> Share:
    """Return the share where ten calls are read to take so long in a benchmark."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        made = trial(block, position, arm, whole_s)
        if made.tally is None or not made.tally.methods:
            return made
        entry = made.tally.methods["m"]
        times = {"timed_s": call_s, **{name: others[name] for name in others if name != "on_processor"}}
        entry = replace(entry, **{name: value * entry.calls for name, value in times.items()})
        entry = replace(entry, on_processor=others.get("on_processor", 1.0))
        return replace(made, tally=replace(made.tally, methods={"m": entry}))

    rig = speaking(harness(folder, FakeSuite(invented)), forks_alike=forks_alike)
    ((found,), _) = measured(rig, [(REACH, PACE)], 1)
    return found


@pytest.mark.parametrize(("call_ns", "apart_ns", "part"), [(70, 70, 0.5), (50, 90, 0.3), (40, 60, 0.4)])
def test_what_reading_a_clock_adds_shows_in_calls_and_what_lies_between_them(
    tmp_path: Path, call_ns: float, apart_ns: float, part: float
) -> None:
    """Of ten calls of 100 ns with what lies between them, 40 ns too much is half the call's."""
    known = read(tmp_path, call_ns * 1e-9, apart_s=apart_ns * 1e-9)
    assert part == pytest.approx(known.share)
    added = (call_ns + apart_ns - 100) / 100
    least, most = part * 0.97 - added / 2, part * 1.03 + added / 2
    assert (pytest.approx(max(0, least), abs=1e-9), pytest.approx(most)) == (known.low, known.high)


def test_time_that_was_read_neither_in_calls_nor_between_them_may_be_that_of_rare_long_calls(
    tmp_path: Path,
) -> None:
    """An append copies all of its list now and then: of a thousand such calls a clock reads none."""
    known = read(tmp_path, 30e-9, apart_s=10e-9)
    assert (0.3, 0.6) == (pytest.approx(known.share), pytest.approx(known.unread))
    assert (0.291, 0.909, 0.9) == pytest.approx((known.low, known.high, known.highest))
    assert known.open


@pytest.mark.parametrize(("cut_s", "on_processor", "cut"), [(6e-9, 0.8, 0.075), (5e-9, 0.25, 0.2)])
def test_what_was_cut_off_long_calls_may_be_the_methods_whatever_others_took(
    tmp_path: Path, cut_s: float, on_processor: float, cut: float
) -> None:
    """t-digest merges in one of hundreds of calls: seven in ten of its time, told as 12 % on a busy machine.

    Of ten calls a microsecond. Others had the processor for longer than what was cut, but in no such call.
    """
    known = read(tmp_path, 1.5e-9, cut_s=cut_s, on_processor=on_processor)
    alone = read(tmp_path / "alone", 1.5e-9, on_processor=on_processor)
    assert (alone.share, alone.low) == (known.share, known.low)
    assert cut == pytest.approx((known.high or 0) - (alone.high or 0))
    assert cut == pytest.approx(known.highest - alone.highest)


@pytest.mark.parametrize(("apart", "part"), [({"apart_s": 20e-9}, 0.6), ({"apart_s": 70e-9}, 0.3)])
def test_a_benchmark_that_others_interrupt_half_of_the_time_takes_as_long_without_them(
    tmp_path: Path, apart: dict[str, float], part: float
) -> None:
    """Of its 100 ns a call at least 50 are its own: with what lies between calls, as many as both take."""
    assert part == pytest.approx(read(tmp_path, 30e-9, on_processor=0.5, **apart).share)


def test_where_others_interrupt_long_calls_and_what_lies_between_is_unknown_a_share_may_be_larger(
    tmp_path: Path,
) -> None:
    known = read(tmp_path, 30e-6, whole_s=1e-3, on_processor=0.5)
    assert (0.3, 0.291, 0.609) == pytest.approx((known.share, known.low, known.high))


def test_a_share_is_not_negligible_because_others_took_the_rest_of_its_benchmark(tmp_path: Path) -> None:
    """Recorded at load 18: two thirds of a benchmark, of which the processor had a tenth of the time."""
    known = read(tmp_path, 12.5e-6, whole_s=1924e-6, on_processor=0.093)
    assert (0.065, True) == (pytest.approx(known.share, abs=0.001), known.highest > 0.6)


@pytest.mark.parametrize(("cut_s", "part"), [(7.5e-6, 0.997), (4e-6, 0.81), (40e-6, 1.0)])
def test_what_was_cut_off_longer_calls_is_theirs_as_far_as_others_had_the_processor(
    tmp_path: Path, cut_s: float, part: float
) -> None:
    """Recorded at load 6: ten calls of 10.3 µs are all that a benchmark of 177 µs does."""
    known = read(tmp_path, 10.34e-6, whole_s=177e-6, forks_alike=False, cut_s=cut_s, on_processor=0.57)
    assert part == pytest.approx(known.share, abs=0.02)
    assert 1.0 == pytest.approx(known.highest, abs=0.03)


@dataclass(frozen=True, kw_only=True)
class Disturbed:
    """One of ten calls, and an invocation, each with what others left of it."""

    call_s: float
    uncut_s: float
    left: float = 1.0
    timed_s: float = 2.0
    probe_s: float = 0.08
    off_s: float = 1.0
    off_left: float = 1.0


@pytest.mark.parametrize(
    ("others", "part"),
    [
        # Recorded beside a busy process on each core: it was told .73, a quiet machine says .89 to 1.
        (Disturbed(call_s=53e-6, uncut_s=0, left=0.65, timed_s=1831e-6, off_s=929.8e-6, off_left=0.62), 0.92),
        # The same where the probe was cheap: 1043 ns of 2856 µs less 502, of which others took 42 %.
        (Disturbed(call_s=104.3e-6, uncut_s=0, left=0.58, timed_s=2856e-6, probe_s=40e-6), 0.83),
        # The probe says that it is cheap, but the benchmark took a thirteenth of the time without it.
        (Disturbed(call_s=0.7e-6, uncut_s=0, timed_s=118e-6, probe_s=4e-9, off_s=9e-6), 0.78),
        # Long calls hold what others took, as their benchmark does; in either trial it is another part.
        (Disturbed(call_s=0.1, uncut_s=0.1, left=0.5, off_s=1.25, off_left=0.8), 0.5),
        (Disturbed(call_s=0.1, uncut_s=0.1, left=0.5, probe_s=0.001, off_s=9.0, off_left=0.5), 0.505),
        # Half of the calls' time was timed without interruptions.
        (Disturbed(call_s=0.08, uncut_s=0.04, left=0.5), 0.6),
        (Disturbed(call_s=0.06, uncut_s=0.0, left=0.5, off_s=2.0, off_left=0.5), 0.6),
    ],
)
def test_what_others_took_of_either_trial_changes_no_share(
    tmp_path: Path, others: Disturbed, part: float
) -> None:
    def invented(block: Block, position: int, arm: Arm) -> Trial:
        if arm.mode is Mode.OFF:
            made = trial(block, position, arm, others.off_s)
            return replace(made, tally=Tally(build_id="", methods={}, on_processor=others.off_left))
        made = trial(block, position, arm, others.timed_s)
        assert made.tally is not None
        calls = made.tally.methods["m"].calls
        entry = replace(
            made.tally.methods["m"],
            timed_s=others.call_s * calls,
            uncut_s=others.uncut_s * calls,
            cut_s=0.0,
            probe_s=others.probe_s * calls,
            on_processor=others.left,
        )
        return replace(made, tally=replace(made.tally, methods={"m": entry}))

    ((known,), _) = measured(harness(tmp_path, FakeSuite(invented)), [(REACH, PACE)], 1)
    assert part == pytest.approx(known.share, abs=0.01)
    assert (known.low or 0.0) >= part - 0.13


def test_short_calls_are_timed_without_the_interruptions_of_their_benchmark(tmp_path: Path) -> None:
    """Half of a microsecond was its own, or all: another trial than the one that says so took it."""
    known = read(tmp_path, 30e-9, on_processor=0.5)
    wrong = 0.15 + 0.03 * 0.45
    assert (0.45, 0.45 - wrong, 0.45 + wrong) == pytest.approx((known.share, known.low, known.high))


@pytest.mark.parametrize(
    ("probe_ns", "part", "wrong", "over"),
    [(200, 0.3 / 0.8, 0.3 * 0.2 / 0.8, 0.0), (300, 0.3, 0.0, 0.08)],
    ids=["cheap", "dear"],
)
def test_a_call_is_a_part_of_the_trial_that_timed_it_where_its_probe_was_cheap(
    tmp_path: Path, probe_ns: float, part: float, wrong: float, over: float
) -> None:
    """Of ten calls in 10 µs: up to a quarter is taken off, and three tenths of that may be wrong."""
    known = read(tmp_path, 300e-9, whole_s=1e-5, probe_s=probe_ns * 1e-9, uncut_s=0.0)
    wrong += 0.03 * part
    assert (part, part - wrong - over, part + wrong) == pytest.approx((known.share, known.low, known.high))


@pytest.mark.parametrize(("call_ns", "most"), [(0, 0.8), (60, 0.6 + 0.2), (100, 1.0)])
def test_a_call_that_the_clock_hardly_shows_may_take_what_it_cannot_show(
    tmp_path: Path, call_ns: float, most: float
) -> None:
    """Ten calls in 1 µs, timed by a probe that takes more than they do: 80 ns each may be missing."""
    known = read(tmp_path, call_ns * 1e-9, probe_s=900e-9, uncut_s=0.0)
    assert most == pytest.approx(known.highest)


@pytest.mark.parametrize("further", [{}, {"uncut_s": 0.0, "probe_s": 1e-6}, {"uncut_s": 0.0}])
def test_what_a_call_waited_beside_other_tasks_may_be_its_own(
    tmp_path: Path, further: dict[str, float]
) -> None:
    """Of ten calls in a millisecond: each works for 30 µs, and for 40 it waits while others work."""
    waiting = read(tmp_path, 30e-6, whole_s=1e-3, waited_s=40e-6, **further)
    working = read(tmp_path / "working", 30e-6, whole_s=1e-3, **further)
    assert (working.share, working.low) == (waiting.share, waiting.low)
    assert 0.4 == pytest.approx((waiting.high or 0) - (working.high or 0), abs=0.01)
    assert 0.4 == pytest.approx(waiting.highest - working.highest, abs=0.01)


def test_what_the_probe_adds_to_very_short_calls_is_no_thread(tmp_path: Path) -> None:
    found = share(tmp_path, 0.15, control_s=1.4)
    assert (1.0, 1.0) == (found.share, found.threads)
    assert found.delay_ns(0.5) == pytest.approx(0.5 * 0.14 * 1e9)


def test_the_methods_of_a_benchmark_have_one_control_in_every_round(tmp_path: Path) -> None:
    """The control that verdicts have in common: a share of another one would size delays wrongly."""
    arms: list[Arm] = []

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        arms.append(arm)
        return timed(trial(block, position, arm), "m", 0.09 if len(arms) > 5 else 0.07)

    both = replace(REACH, calls={"m": 10.0, "n": 2.0})
    found, unknown = measured(harness(tmp_path, FakeSuite(invented)), [(both, PACE)], 1)
    assert ({"m": {"n"}, "n": {"m"}}, []) == ({one.method: {*one.companions} for one in found}, unknown)
    controls = [arm for arm in arms if arm.mode is Mode.CONTROL]
    assert {("m", "n")} == {arm.methods for arm in controls}
    assert [arm.mode for arm in arms].count(Mode.OFF) == len(controls)
    # The share of n, which takes no time, needs no further round.
    assert 1 == [arm.methods for arm in arms if arm.mode is Mode.TIME].count(("n",)) < len(controls)


def timed(made: Trial, method: str, call_s: float) -> Trial:
    """Return a trial whose probe says that each call of a method took so long."""
    if made.tally is None or method not in made.tally.methods:
        return made
    one = replace(made.tally.methods[method], timed_s=call_s * 1000)
    return replace(made, tally=replace(made.tally, methods={**made.tally.methods, method: one}))


@pytest.mark.parametrize(("part", "rounds"), [(0.8, 2), (0.5, 9)])
def test_where_forks_differ_a_share_is_read_within_one(tmp_path: Path, part: float, rounds: int) -> None:
    """A share that lies at the border, so that any error would decide, gets all the rounds there are."""
    # Forks run at 1 or 1.4 times as long, but in each the method takes its part of 2 s; the probe adds 0.4 s.
    arms: list[Mode] = []

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        arms.append(arm.mode)
        iteration_plan = 1.0 if len(arms) % 2 else 1.4
        made = trial(block, position, arm, 2.0 * iteration_plan + 0.4)
        assert made.tally is not None
        timed_s = 0.2 * part * iteration_plan * 1000
        timed = replace(made.tally.methods["m"], timed_s=timed_s, probe_s=0.04 * 1000)
        return replace(made, tally=replace(made.tally, methods={"m": timed}))

    alone = speaking(harness(tmp_path, FakeSuite(invented)), forks_alike=False)
    ((found,), unknown) = measured(alone, [(REACH, PACE)], 1)
    assert ([], [Mode.TIME] * rounds) == (unknown, arms)
    assert (part, part, part) == pytest.approx((found.lowest, found.share, found.highest))
    # The middle of both forks, or with an odd number that of the more frequent ones.
    assert found.control_s == pytest.approx(2.4 if rounds == 2 else 2.0)


def test_where_forks_differ_one_fork_times_all_methods_and_the_cost_of_all_probes_is_taken_off(
    tmp_path: Path,
) -> None:
    """Without its probes the benchmark takes 2 s, of which m has the half; they add .4 and .2 s."""
    asked: list[tuple[str, ...]] = []

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        asked.append(arm.methods)
        made = trial(block, position, arm, 2.6)
        assert made.tally is not None
        one = made.tally.methods["m"]
        methods = {
            "m": replace(one, timed_s=0.1 * one.calls, probe_s=0.04 * one.calls),
            "n": replace(one, timed_s=0.001 * one.calls, probe_s=0.01 * one.calls),
        }
        return replace(made, tally=replace(made.tally, methods=methods))

    both = replace(REACH, calls={"m": 10.0, "n": 20.0})
    alone = speaking(harness(tmp_path, FakeSuite(invented)), forks_alike=False)
    found, unknown = measured(alone, [(both, PACE)], 1)
    assert ([], ("m", "n")) == (unknown, asked[0])
    shares = {one.method: one.share for one in found}
    assert {"m": pytest.approx(0.5), "n": pytest.approx(0.01)} == shares
    # Three tenths of what the probe of its ten calls is said to take, .4 of 2 s, and what a clock may be off.
    (low,) = (one.low for one in found if one.method == "m")
    assert low == pytest.approx(0.5 - 0.3 * 0.2 - 0.03 * 0.5)


def test_where_forks_differ_a_call_may_be_off_by_what_a_processor_does_beyond_a_reading_of_the_clock(
    tmp_path: Path,
) -> None:
    """Ten calls are two fifths of a microsecond, and 8 ns of each may be the other's."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        return timed(trial(block, position, arm, 1e-6), "m", 4e-8)

    alone = speaking(harness(tmp_path, FakeSuite(invented)), forks_alike=False)
    ((found,), _) = measured(alone, [(REACH, PACE)], 1)
    wrong = 0.08 + 0.03 * 0.4
    assert (0.4, 0.4 - wrong, 0.4 + wrong) == pytest.approx((found.share, found.low, found.high))


@pytest.mark.parametrize("disturbed_s", [0.01, 0.05, 1.0])
def test_one_disturbed_round_of_nine_does_not_open_a_share(tmp_path: Path, disturbed_s: float) -> None:
    """Of packaging's Specifier.__init__ one of nine said a seventh of what the others did: .27 to .92."""
    readings = iter([0.045, 0.055, 0.05, 0.053, disturbed_s, 0.047, 0.051, 0.049, 0.05])

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        made = trial(block, position, arm)
        return timed(made, "m", next(readings)) if arm.mode is Mode.TIME else made

    ((found,), _) = measured(harness(tmp_path, FakeSuite(invented)), [(REACH, PACE)], 1)
    assert [] == list(readings)
    assert 0.5 == pytest.approx(found.share, abs=0.02)
    assert 0.42 < (found.low or 0.0) <= (found.high or 0.0) < 0.58


@pytest.mark.parametrize("scattered", [0.0, 0.15])
def test_nine_rounds_hold_the_share_in_95_of_100_cases_whatever_disturbs_them(scattered: float) -> None:
    random = np.random.default_rng(1)
    rounds = np.where(random.random((20_000, 9)) < scattered, 8, 1) * random.normal(size=(20_000, 9))
    low, high = np.sort(rounds)[:, [1, -2]].T
    assert ((low <= 0) & (0 <= high)).mean() == pytest.approx(0.961, abs=0.005)


@pytest.mark.parametrize(("number", "factor"), [(2, 6.353), (3, 1.304), (4, 0.717), (6, 0.507), (8, 0.333)])
def test_few_rounds_that_agree_by_chance_leave_a_share_open(number: int, factor: float) -> None:
    """The factors are those at which a t test by ranges rejects in 5 of 100 cases."""
    assert factor == range_factor(number)
    random = np.random.default_rng(1)
    rounds = random.normal(size=(20_000, number))
    held = np.abs(rounds.mean(axis=1)) <= factor * np.ptp(rounds, axis=1)
    assert held.mean() >= 0.945


DEEP = {
    **{"parse": 0.9, "item": 0.4, "word": 0.1, "letter": 0.02, "space": 0.03},
    **{f"kind {number}": 0.01 for number in range(5)},
}


def own_arms(world: World) -> set[str]:
    """Return the methods that had an arm of their own."""
    arms = [step.arm for block in world.made for step in block.steps]
    return {arm.methods[0] for arm in arms if arm.mode is Mode.TIME and len(arm.methods) == 1}


def deep() -> list[tuple[Reach, IterationPlan]]:
    calls = {method: 1e-3 * part / CALL_S for method, part in DEEP.items()}
    reach = Reach(benchmark="b", calls=calls, setup_only=frozenset(), failure=None)
    return [(reach, replace(PACE, iteration_s=0.1, wall_s=0.1))]


def test_one_arm_for_all_methods_shows_which_shares_are_small(tmp_path: Path) -> None:
    """Most of what a parser calls is: graphql-core's had some hundred arms of which twenty told something.

    What cannot be noticed needs no probe in the control: they made such benchmarks up to five times as slow.
    """
    world = World({"b": DEEP})
    rig = speaking(harness(tmp_path, FakeSuite(world.trial)), times_together=True)
    shares, unknown = measured(rig, deep(), 1)
    large = {"parse", "item"}
    assert own_arms(world) == large
    arms = [step.arm for block in world.made for step in block.steps]
    assert {frozenset(arm.methods) for arm in arms if arm.mode is Mode.CONTROL} == {frozenset(large)}
    assert {cell.method: cell.companions for cell in shares if cell.method in large} == {
        method: large - {method} for method in large
    }
    assert DEEP == pytest.approx({cell.method: cell.share for cell in shares}, rel=0.01)
    assert unknown == []


@pytest.mark.parametrize(("slower", "on_processor"), [(1.0, 1.0), (2.0, 1.0), (2.0, 0.5)])
def test_what_probes_are_taken_for_inside_a_call_rules_nothing_out(
    tmp_path: Path, slower: float, on_processor: float
) -> None:
    """On a busy machine that left nothing of graphql-core's `parse_directives`, .16 of its benchmark.

    Nor does it where the processor was slower, or others had it, while there were no probes.
    """
    world = World({"b": DEEP})

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        made = world.trial(block, position, arm)
        if arm.mode is Mode.OFF:
            tally = Tally(build_id="", methods={}, on_processor=on_processor)
            return replace(made, values=tuple(slower * value for value in made.values), tally=tally)
        if arm.mode is not Mode.TIME or len(arm.methods) == 1 or made.tally is None:
            return made
        tallies = dict(made.tally.methods)
        tallies["letter"] = replace(tallies["letter"], timed_s=0.0, inside_s=0.2 * made.wall_s)
        return replace(made, tally=replace(made.tally, methods=tallies))

    rig = speaking(harness(tmp_path, FakeSuite(invented)), times_together=True)
    measured(rig, deep(), 1)
    assert own_arms(world) == {"parse", "item", "letter"}


def test_where_they_break_the_benchmark_together_each_method_has_an_arm(tmp_path: Path) -> None:
    world = World({"b": DEEP})

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        made = world.trial(block, position, arm)
        together = arm.mode is Mode.TIME and len(arm.methods) > 1
        return replace(made, status=Status.FAILED, values=(), tally=None) if together else made

    rig = speaking(harness(tmp_path, FakeSuite(invented)), times_together=True)
    shares, _ = measured(rig, deep(), 1)
    assert own_arms(world) == set(DEEP)
    assert DEEP == pytest.approx({cell.method: cell.share for cell in shares}, rel=0.01)
