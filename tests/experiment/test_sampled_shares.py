"""Shares of short calls by looks at the stack, from invented trials."""

from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.reach import Reach
from abs_audit.experiment.sampled_shares import looking, of_samples, samplable
from abs_audit.experiment.share import Share
from abs_audit.experiment.shares import measure_shares
from abs_audit.model.experiment import Arm, Block, Mode, Step
from abs_audit.model.measurement import Status, Trial
from tests.support.fake_executor import FakeSuite, harness, speaking, trial

PLAN = IterationPlan(benchmark="b", invocations=10_000, iteration_s=0.02, wall_s=0.03)
REACH = Reach(benchmark="b", calls={"m": 10.0}, setup_only=frozenset(), failure=None)
UNDISTURBED_S = 1e-6
OPEN = Share(
    method="m",
    benchmark="b",
    share=0.6,
    lowest=0.5,
    highest=0.7,
    low=0.2,
    high=1.0,
    calls=10.0,
    control_s=UNDISTURBED_S,
    off_s=(UNDISTURBED_S, 2e-6),
)
ERROR = 0.05 + 6e-9 * 10 / UNDISTURBED_S


def looked(inside: int, looks: int, **others: int) -> Trial:
    """Return a trial of as much processor time as its looks are apart, a hundred a second."""
    arm = Arm(mode=Mode.SAMPLE, methods=("m",), slowed=None, delay_ns=0.0, batch=1, label="sample")
    step = Step(arm=arm, invocations=1, target_s=1.0, iterations=1, warmup=0)
    made = trial(Block(id="block", benchmark="b", steps=(step,), limit_s=60.0), 0, arm, UNDISTURBED_S)
    assert made.tally is not None
    entry = replace(made.tally.methods["m"], samples=inside, samples_outside=others.get("outside", 0))
    tally = replace(
        made.tally, methods={"m": entry}, samples=looks, samples_collecting=others.get("collecting", 0)
    )
    return replace(
        made, tally=tally, invocations=others.get("invocations", round(looks * 0.01 / UNDISTURBED_S))
    )


def test_a_share_is_the_part_of_all_looks_that_find_the_method() -> None:
    told = of_samples(OPEN, [looked(40, 100), looked(35, 100)])
    assert told is not None
    # Wilson's interval of 75 in 200 is .3108 to .4438.
    assert (0.375, 0.3108 - ERROR, 0.4438 + ERROR) == pytest.approx(
        (told.share, told.low, told.high), abs=1e-4
    )
    assert (OPEN.control_s, OPEN.calls, OPEN.off_s) == (told.control_s, told.calls, told.off_s)


def test_a_benchmark_that_waits_half_of_the_time_may_be_half_as_much_the_methods() -> None:
    waiting = looked(75, 200, invocations=round(2 * 200 * 0.01 / UNDISTURBED_S))
    told = of_samples(OPEN, [waiting])
    assert told is not None
    assert (0.375, 0.3108 / 2 - ERROR) == pytest.approx((told.share, told.low), abs=1e-4)


def test_a_processor_that_is_faster_for_a_moment_waits_for_nothing() -> None:
    """Of gin's `(*Context).Set` 72 % of looks told 44 to 84 %, as one trial took half as long as others."""
    fast = looked(75, 200, invocations=round(2 * 200 * 0.01 / UNDISTURBED_S))
    told = of_samples(OPEN, [replace(fast, values=(UNDISTURBED_S / 2,))])
    assert told is not None
    assert 0.3108 - ERROR == pytest.approx(told.low, abs=1e-4)


def test_garbage_that_is_collected_meanwhile_is_no_waiting_but_may_interrupt_the_method_or_the_rest() -> None:
    collecting = looked(75, 200, collecting=200, invocations=round(2 * 200 * 0.01 / UNDISTURBED_S))
    told = of_samples(OPEN, [collecting])
    assert told is not None
    # Of Wilson's intervals of 75 and of 275 in 400 the lower end, .1523, and the upper one, .7310.
    assert (0.375, 0.1523 - ERROR, 0.7310 + ERROR) == pytest.approx(
        (told.share, told.low, told.high), abs=1e-4
    )


def test_what_is_done_at_the_same_time_as_something_else_is_at_most_as_much_as_is_found_of_it() -> None:
    """At 50 calls in a microsecond the processor may be .2 off, but not where hardly anything is found."""
    short = replace(OPEN, calls=50.0)
    much, little = of_samples(short, [looked(99, 100)]), of_samples(short, [looked(1, 100)])
    assert much is not None
    assert little is not None
    # Wilson's intervals of 99 and of 1 in 100 are .9455 to .9982 and .0018 to .0545.
    assert (0.9455 - 0.05 - 0.01, 0.0545 + 0.05 + 0.01) == pytest.approx((much.low, little.high), abs=1e-4)


def test_where_forks_differ_all_of_them_count() -> None:
    told = of_samples(OPEN, [looked(90, 100), looked(50, 100)], alike=False)
    assert told is not None
    assert (0.7, 0.5 - ERROR, min(1.0, 0.9 + ERROR)) == pytest.approx(
        (told.share, told.low, told.high), abs=1e-4
    )


def test_what_not_inlining_adds_may_be_in_a_method_or_beside_it() -> None:
    slower = looked(40, 100, invocations=round(100 * 0.01 / UNDISTURBED_S / 1.2))
    told = of_samples(OPEN, [slower], alike=False)
    assert told is not None
    # Wilson's interval is .3094 to .4980 of 1.2 times as long: without those .2, or with them.
    assert (1.2 * 0.3094 - 0.2 - ERROR, 1.2 * 0.4980 + ERROR) == pytest.approx(
        (told.low, told.high), abs=1e-3
    )


@pytest.mark.parametrize(
    "trials",
    [
        [looked(10, 29)],
        [looked(40, 100, outside=6)],
        [looked(40, 100), replace(looked(40, 100), status=Status.TIMED_OUT)],
        [replace(looked(40, 100), tally=None)],
    ],
    ids=["few looks", "goroutines of set-up", "a failure", "no tally"],
)
def test_what_says_too_little_leaves_the_share_as_it_was(trials: list[Trial]) -> None:
    assert of_samples(OPEN, trials) is None


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, True),
        ({"low": 0.7}, False),
        ({"control_s": 1e-4}, False),
        ({"control_s": 1e-4, "unread": 0.3}, True),
        ({"threads": 2.0}, False),
    ],
    ids=["open", "settled", "a long call", "rare calls may be longer", "several threads"],
)
def test_only_open_shares_of_calls_that_a_clock_reads_badly_are_looked_for(
    changes: dict[str, float], wanted: bool
) -> None:
    assert wanted == samplable(replace(OPEN, **changes))


class Clock(FakeSuite):
    """Reads each call of 100 ns as 65, which may be 40 too much or too little."""

    def __init__(self, seen: Trial | None) -> None:
        super().__init__(self._invented)
        self.seen = seen
        """What a look at the stack tells; None: it fails."""
        self.modes = list[Mode]()

    def _invented(self, block: Block, position: int, arm: Arm) -> Trial:
        self.modes.append(arm.mode)
        made = trial(block, position, arm, UNDISTURBED_S)
        if arm.mode is Mode.SAMPLE:
            failed = replace(made, status=Status.FAILED, values=(), tally=None)
            return replace(self.seen or failed, block=block.id, position=position)
        if made.tally is None or not made.tally.methods:
            return made
        entry = made.tally.methods["m"]
        entry = replace(entry, timed_s=6.5e-8 * entry.calls, error_s=4e-8 * entry.calls)
        return replace(made, tally=replace(made.tally, methods={"m": entry}))

    def looks(self) -> tuple[int, int]:
        """Return how often the method was timed, and how often the stack was looked at."""
        return self.modes.count(Mode.TIME), self.modes.count(Mode.SAMPLE)


@pytest.mark.parametrize("stacks", [True, False])
def test_where_clocks_leave_a_short_call_open_the_stack_settles_it(tmp_path: Path, stacks: bool) -> None:
    suite = Clock(looked(95, 100))
    runtime = speaking(harness(tmp_path, suite), looks_s=(0.4, 0.4, 0.8) if stacks else ())
    ((share,), _) = map(dict.values, measure_shares(runtime, [(REACH, PLAN)], 1))
    assert (0.95 if stacks else 0.65) == pytest.approx(share.share)
    assert stacks != share.open
    assert ((3, 1) if stacks else (9, 0)) == suite.looks()


@pytest.mark.parametrize(("collecting", "looks"), [(0, 3), (100, 1)])
def test_what_garbage_leaves_open_is_not_looked_for_again(
    tmp_path: Path, collecting: int, looks: int
) -> None:
    """Of hyperloglog half of the stacks collect what set-up left: three looks took 24 s and told no more."""
    suite = Clock(looked(50, 100, collecting=collecting))
    measure_shares(speaking(harness(tmp_path, suite), looks_s=(0.4, 0.4, 0.8)), [(REACH, PLAN)], 1)
    assert looks == suite.looks()[1]


def test_a_look_takes_as_much_longer_as_its_invocations_are_set_up(tmp_path: Path) -> None:
    plan = IterationPlan(benchmark="b", invocations=1000, iteration_s=0.01, wall_s=0.12, outside_s=0.02)
    for alike, wall_s in ((True, 4.02), (False, 0.02 + 0.1 + 0.39)):
        language = speaking(harness(tmp_path, Clock(None)), forks_alike=alike).language
        longer = looking(plan, 0.4, language)
        assert (40_000, pytest.approx(wall_s)) == (longer.invocations, longer.wall_s)


def test_what_a_type_inherits_is_looked_for_by_the_name_of_the_body(tmp_path: Path) -> None:
    """Of goquery `(*Document).Attr` was missed with a share of 0 %: stacks have `Selection`'s."""
    seen = looked(95, 100)
    assert seen.tally is not None
    tally = replace(seen.tally, methods={"Selection.m": seen.tally.methods["m"]})
    suite = Clock(replace(seen, tally=tally))
    runtime = speaking(harness(tmp_path, suite), looks_s=(0.4, 0.4, 0.8))
    ((share,), _) = map(
        dict.values, measure_shares(replace(runtime, bodies={"m": "Selection.m"}), [(REACH, PLAN)], 1)
    )
    assert ("m", 0.95) == (share.method, pytest.approx(share.share))
    arms = [step.arm for block in suite.asked for step in block.steps]
    assert {("Selection.m",)} == {arm.methods for arm in arms if arm.mode is Mode.SAMPLE}


def test_where_no_stack_can_be_looked_at_the_clock_goes_on(tmp_path: Path) -> None:
    suite = Clock(None)
    measure_shares(speaking(harness(tmp_path, suite), looks_s=(0.4,)), [(REACH, PLAN)], 1)
    assert (9, 1) == suite.looks()


def test_where_forks_differ_at_least_two_are_looked_at(tmp_path: Path) -> None:
    suite = Clock(looked(95, 100))
    runtime = speaking(harness(tmp_path, suite), looks_s=(0.4, 0.4, 0.8), forks_alike=False)
    measure_shares(runtime, [(REACH, PLAN)], 1)
    assert (3, 2) == suite.looks()
