"""The probe's runtime: what it counts, delays and times, with a clock that only the tests move."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from abs_audit.languages.python.suites.driver.probing import Probed
from tests.support.probe_conformance import CALLS, Ended, assert_the_protocol_is_kept
from tests.support.python_probes import imported, instrumented, probed, runtime

SUBJECT = """
import asyncio

def call(action=None):
    return action and action()

def other():
    return 1

def recursive(n, action):
    action()
    return n and recursive(n - 1, action)

def steps(action):
    action()
    got = yield 1
    action()
    got = yield action() or got
    action()

def delegate(action):
    action()
    result = yield from steps(action)
    action()
    return result

def careful(action):
    while True:
        try:
            yield
        except KeyError: action()
        finally: action()

async def waits(action, event):
    action()
    await event(action)
    action()

async def crowd(action, source, manager):
    async with manager:
        async for item in source:
            action()
    return [item async for item in source]

async def stream(action, event):
    action()
    await event(action)
    yield action()
    action()

async def spread(action, waiting):
    async def part():
        await waiting()
        action()
    return await asyncio.gather(*[part() for _ in range(4)])

async def listed(action, waiting):
    action()
    return [await waiting() for _ in range(3)]

async def launch(action, waiting):
    asyncio.create_task(waiting())
    action()

class Later:
    def __init__(self, awaited):
        self.awaited = awaited

    def __await__(self):
        return (yield from self.awaited.__await__())

def hidden(action):
    action()
    return locals()
"""


class Clock:
    """Stands still but for `pass_` and for `step` nanoseconds at each reading."""

    def __init__(self) -> None:
        self.now = 10**15
        self.step = 0

    def __call__(self) -> int:
        self.now += self.step
        return self.now

    def pass_(self, ns: int) -> Callable[[], None]:
        def action() -> None:
            self.now += ns

        return action


def read_by(clock: Callable[[], int]) -> None:
    """Have the runtime read a clock; that of the processor stands still, as if others had it."""
    sys.modules["_abs_audit_timing"].process_time_ns = lambda: 0  # type: ignore[attr-defined]
    for name in ("states", "timing"):
        sys.modules[f"_abs_audit_{name}"].clock = clock  # type: ignore[attr-defined]


@contextmanager
def ticking(folder: Path, before: str = SUBJECT) -> Iterator[tuple[Any, Any, Clock]]:
    with probed(folder, before) as (module, probe):
        clock = Clock()
        read_by(clock)
        yield module, probe, clock


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[SimpleNamespace]:
    with ticking(tmp_path) as (module, probe, clock):
        yield SimpleNamespace(module=module, probe=probe, clock=clock)


def entry(probe: ModuleType, name: str) -> dict[str, float]:
    return dict(probe.tally()["methods"][f"example.{name}"])


def test_nothing_is_active_before_the_start_and_after_the_stop(scene: SimpleNamespace) -> None:
    scene.probe.arm("count", ["example.call"])
    scene.module.call()
    scene.probe.start()
    scene.module.call()
    scene.probe.stop()
    scene.module.call()
    assert entry(scene.probe, "call")["calls"] == 1


def test_only_the_armed_methods_are_tallied(scene: SimpleNamespace) -> None:
    scene.probe.arm("count", ["example.call", "example.never_imported"])
    scene.probe.start()
    scene.module.call()
    scene.module.other()
    tallied = scene.probe.tally()["methods"]
    assert {name: counted["calls"] for name, counted in tallied.items()} == {
        "example.call": 1,
        "example.never_imported": 0,
    }


def test_known_lists_what_the_imported_modules_hold(scene: SimpleNamespace) -> None:
    names = [
        "Later.__await__",
        "Later.__init__",
        "call",
        "careful",
        "crowd",
        "delegate",
        "hidden",
        "launch",
        "listed",
        "other",
        "recursive",
        "spread",
        "steps",
        "stream",
        "waits",
    ]
    assert [f"example.{name}" for name in names] == scene.probe.known()


def test_arming_again_forgets_the_tally(scene: SimpleNamespace) -> None:
    for _ in range(2):
        scene.probe.arm("control", ["*"], batch=2)
        scene.probe.start()
        for _ in range(5):
            scene.module.call()
        scene.probe.stop()
    assert entry(scene.probe, "call") == {"calls": 5, "batches": 2, "injected_ns": 0.0, "timed_ns": 0.0}


@pytest.mark.parametrize("mode", ["control", "delay"])
@pytest.mark.parametrize("calls", [0, 1, 6, 7, 8, 13, 14, 50])
def test_calls_are_exact_wherever_the_batch_stands_and_asking_does_not_move_it(
    scene: SimpleNamespace, mode: str, calls: int
) -> None:
    scene.clock.step = 1
    scene.probe.arm(mode, ["example.call"], "example.call", 10.0, batch=7)
    scene.probe.start()
    for done in range(calls):
        assert entry(scene.probe, "call")["calls"] == done
        scene.module.call()
    assert (calls, calls // 7) == (entry(scene.probe, "call")["calls"], entry(scene.probe, "call")["batches"])


def test_the_delay_of_each_call_is_injected_after_each_full_batch(scene: SimpleNamespace) -> None:
    scene.clock.step = 1
    scene.probe.arm("delay", ["*"], "example.call", 100.0, batch=10)
    scene.probe.start()
    injected = []
    for _ in range(30):
        scene.module.call()
        injected.append(entry(scene.probe, "call")["injected_ns"])
    assert injected[:9] == [0.0] * 9
    # The clock moves 1 ns a reading, and a delay of nothing shows 1 ns: 1000 ns are injected by 1001.
    assert injected[9::10] == [1000.0, 2000.0, 3000.0]


def test_an_overshoot_is_carried_on_to_the_next_delay(scene: SimpleNamespace) -> None:
    scene.probe.arm("delay", ["*"], "example.call", 100.0, batch=10)
    scene.clock.step = 700  # of 1000 a batch; can inject 1400 (2 readings) or 700 (1 reading) only
    scene.probe.start()
    injected = []
    for _ in range(7):
        for _ in range(10):
            scene.module.call()
        injected.append(entry(scene.probe, "call")["injected_ns"])
    assert injected == [1400.0, 2100.0, 3500.0, 4200.0, 5600.0, 6300.0, 7000.0]


def test_an_overshoot_above_an_interruption_is_the_schedulers_and_not_taken_off_later_delays(
    scene: SimpleNamespace,
) -> None:
    scene.probe.arm("delay", ["*"], "example.call", 1_000_000.0, batch=10)
    scene.probe.start()
    scene.clock.step = 50_000_000
    for _ in range(10):
        scene.module.call()
    scene.clock.step = 1000
    for _ in range(30):
        scene.module.call()
    # 20 ms at most are held against the overshoot: of the three later batches the third has its full delay.
    assert 10_000_000.0 <= entry(scene.probe, "call")["injected_ns"] - 50_000_000 <= 10_010_000.0


def test_what_is_measured_does_not_make_up_for_an_interruption_of_its_warm_up(scene: SimpleNamespace) -> None:
    settings = {
        "ABS_PROBE_MODE": "delay",
        "ABS_PROBE_METHODS": "example.call",
        "ABS_PROBE_SLOWED": "example.call",
        "ABS_PROBE_DELAY_NS": "1000",
        "ABS_PROBE_BATCH": "10",
    }
    arm = Probed(scene.probe, settings)
    arm.open()
    for step, calls in ((50_000_000, 10), (100, 30)):
        arm.begin()
        scene.clock.step = step
        for _ in range(calls):
            scene.module.call()
    assert 30_000.0 <= arm.tally()["methods"]["example.call"]["injected_ns"] <= 31_000.0


def test_only_the_slowed_method_is_delayed(scene: SimpleNamespace) -> None:
    scene.clock.step = 1
    scene.probe.arm("delay", ["example.call", "example.other"], "example.other", 50.0, batch=1)
    scene.probe.start()
    scene.module.call()
    scene.module.other()
    assert (entry(scene.probe, "call")["injected_ns"], entry(scene.probe, "call")["batches"]) == (0.0, 1)
    assert entry(scene.probe, "other")["injected_ns"] == 50.0


def test_the_control_executes_the_payer_too(scene: SimpleNamespace) -> None:
    scene.probe.arm("control", ["example.call"], batch=2)
    scene.clock.step = 1
    scene.probe.start()
    before = scene.clock.now
    for _ in range(8):
        scene.module.call()
    assert scene.clock.now - before == 4 * 2
    assert (entry(scene.probe, "call")["batches"], entry(scene.probe, "call")["injected_ns"]) == (4, 0.0)


def test_position_and_debt_carry_over_from_region_to_region(scene: SimpleNamespace) -> None:
    scene.clock.step = 1
    scene.probe.arm("delay", ["example.call"], "example.call", 10.0, batch=4)
    for _ in range(6):
        scene.probe.start()
        for _ in range(3):
            scene.module.call()
        scene.probe.stop()
    assert (entry(scene.probe, "call")["calls"], entry(scene.probe, "call")["batches"]) == (18, 4)


@pytest.mark.parametrize("mode", ["count", "time", "control", "delay"])
def test_threads_lose_no_call_and_see_no_error(scene: SimpleNamespace, mode: str) -> None:
    scene.clock.step = 1
    scene.probe.arm(mode, ["*"], "example.call", 3.0, batch=5)
    scene.probe.start()
    errors: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(20_000):
                scene.module.call()
                list(scene.module.delegate(int))
        except BaseException as error:
            errors.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert errors == []
    assert entry(scene.probe, "call")["calls"] == 60_000
    assert entry(scene.probe, "delegate")["calls"] == 180_000


def test_a_stratum_that_another_thread_has_closed_meanwhile_is_not_closed_again(
    scene: SimpleNamespace,
) -> None:
    scene.clock.step = 1
    scene.probe.arm("time", ["example.call"])
    scene.probe.start()
    for _ in range(64):
        scene.module.call()
    once = entry(scene.probe, "call")
    scene.probe._arming.states["example.call"]._close_stratum()
    assert once == entry(scene.probe, "call")


def test_a_probe_stopped_by_another_thread_in_the_middle_is_no_error(scene: SimpleNamespace) -> None:
    errors: list[BaseException] = []
    over = threading.Event()

    def work() -> None:
        try:
            while not over.is_set():
                scene.module.recursive(3, int)
        except BaseException as error:
            errors.append(error)

    scene.clock.step = 1
    thread = threading.Thread(target=work)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread.start()
    try:
        for turn in range(3000):
            if turn % 500 == 0:
                scene.probe.arm(["time", "delay", "count"][turn // 500 % 3], ["*"], "example.recursive", 5.0)
            scene.probe.start()
            scene.probe.stop()
    finally:
        over.set()
        thread.join()
        sys.setswitchinterval(interval)
    assert errors == []


def test_a_delay_interrupted_by_a_signal_leaves_the_probe_working(scene: SimpleNamespace) -> None:
    scene.probe.arm("delay", ["example.call"], "example.call", 10.0, batch=2)
    scene.probe.start()
    scene.module.call()

    def interrupted() -> int:
        raise KeyboardInterrupt

    states = sys.modules["_abs_audit_states"]
    states.clock, working = interrupted, states.clock  # type: ignore[attr-defined]
    with pytest.raises(KeyboardInterrupt):
        scene.module.call()
    states.clock, scene.clock.step = working, 1  # type: ignore[attr-defined]
    for _ in range(4):
        scene.module.call()
    assert (entry(scene.probe, "call")["calls"], entry(scene.probe, "call")["batches"]) == (4, 2)


def test_time_is_the_inclusive_time_of_the_calls(scene: SimpleNamespace) -> None:
    scene.probe.arm("time", ["*"])
    scene.probe.start()
    for _ in range(1000):
        scene.module.call(scene.clock.pass_(7))
    scene.clock.pass_(500)()
    assert (entry(scene.probe, "call")["calls"], entry(scene.probe, "call")["timed_ns"]) == (1000, 7000.0)


def test_recursion_is_timed_once(scene: SimpleNamespace) -> None:
    scene.probe.arm("time", ["*"])
    scene.probe.start()
    for _ in range(100):
        scene.module.recursive(9, scene.clock.pass_(10))
    assert (entry(scene.probe, "recursive")["calls"], entry(scene.probe, "recursive")["timed_ns"]) == (
        1000,
        10_000.0,
    )


def test_long_calls_are_all_timed_and_short_ones_in_a_sample(scene: SimpleNamespace) -> None:
    readings = {}
    for length in (100, 100_000):
        scene.probe.arm("time", ["example.call"])
        scene.probe.start()
        counting = Clock()
        counting.step = 0
        reads = [0]

        def clock(reads: list[int] = reads) -> int:
            reads[0] += 1
            return int(scene.clock.now)

        read_by(clock)
        for _ in range(8064):
            scene.module.call(scene.clock.pass_(length))
        read_by(scene.clock)
        readings[length] = reads[0]
        assert 8064 * length == entry(scene.probe, "call")["timed_ns"]
    # The first 64 calls are all timed, then one of eight short ones: 64 + 1000 samples of two readings, and
    # where calls are not known to be long of two until the next one, and of nine around two empty bodies.
    assert 13 * 64 - 2 + 2 * 8000 == readings[100_000]
    # After the very last call comes no other.
    assert readings[100] in {13 * 1064, 13 * 1064 - 1}


@pytest.mark.parametrize("period", [2, 4, 8, 16])
def test_a_pattern_in_step_with_the_sampling_does_not_bias_it(scene: SimpleNamespace, period: int) -> None:
    scene.probe.arm("time", ["example.call"])
    scene.probe.start()
    for number in range(40_000):
        scene.module.call(scene.clock.pass_(1000 if number % period == 0 else 0))
    expected = 1000 * 40_000 / period
    # 5000 samples of a share 1/period: the standard error is at most sqrt(15/5000) = 5.5 % of the truth.
    assert abs(entry(scene.probe, "call")["timed_ns"] / expected - 1) < 0.3


def test_a_processor_that_becomes_slower_makes_no_call_longer(scene: SimpleNamespace) -> None:
    """Reading the clock takes 20 ns where the probe is calibrated and 200 ns afterwards."""
    scene.clock.step = 20
    scene.probe.arm("time", ["example.call"])
    scene.probe.start()
    scene.clock.step = 200
    for _ in range(640):
        scene.module.call(scene.clock.pass_(100))
    assert entry(scene.probe, "call")["timed_ns"] == 640 * 100


def test_a_short_call_that_was_interrupted_stands_for_no_other(scene: SimpleNamespace) -> None:
    scene.probe.arm("time", ["example.call"])
    scene.probe.start()
    for number in range(20_000):
        scene.module.call(scene.clock.pass_(5_000_000 if number % 1000 == 999 else 100))
    # One of eight is timed: about three of the twenty, each as 50 us at most.
    assert entry(scene.probe, "call")["timed_ns"] <= 20_000 * 100 + 20 * 8 * 50_000


def test_what_was_cut_off_long_calls_is_told(scene: SimpleNamespace) -> None:
    """One of 400 calls takes a millisecond, 2.5 times what all others take; one of eight is timed."""
    scene.probe.arm("time", ["*"])
    scene.probe.start()
    for number in range(80_000):
        scene.module.call(scene.clock.pass_(1_000_000 if number % 400 == 399 else 1000))
    told = entry(scene.probe, "call")
    # Of the 200 long ones some 25 are timed, 20 % more or fewer.
    assert abs((told["timed_ns"] + told["cut_ns"]) / (80_000 * 3500) - 1) < 0.7
    assert told["cut_ns"] > told["timed_ns"] / 3


def call_seldom_long(scene: SimpleNamespace, every: int, long_ns: int, *, within: bool) -> None:
    """Make 50,000 calls of 100 ns, where one of so many, or what lies before it, takes that much longer."""
    scene.probe.start()
    for number in range(50_000):
        longer_ns = long_ns if number % every == every - 1 else 0
        scene.clock.now += 0 if within else longer_ns
        scene.module.call(scene.clock.pass_(100 + (longer_ns if within else 0)))


@pytest.mark.parametrize("within", [True, False])
def test_what_may_be_a_call_too_rare_for_the_sample_is_told(scene: SimpleNamespace, within: bool) -> None:
    """Ten calls of 50,000, or what lies before them, take three milliseconds: one of eight is timed."""
    scene.probe.arm("time", ["*"])
    call_seldom_long(scene, 5000, 3_000_000, within=within)
    told = entry(scene.probe, "call")
    assert told["timed_ns"] + told["cut_ns"] >= 6 * 3_000_000


@pytest.mark.parametrize("within", [True, False])
def test_where_few_long_calls_or_gaps_are_much_of_the_time_all_calls_are_timed(
    scene: SimpleNamespace, within: bool
) -> None:
    """A table of liars compacts itself each 500th time: the sample did not tell whose time that is."""
    scene.probe.arm("time", ["*"])
    # Nobody else had the processor.
    sys.modules["_abs_audit_timing"].process_time_ns = scene.clock  # type: ignore[attr-defined]
    call_seldom_long(scene, 500, 1_000_000, within=within)
    told = entry(scene.probe, "call")
    assert told["timed_ns"] == pytest.approx(50_000 * 100 + 100 * 1_000_000 * within, rel=0.1)
    assert told["cut_ns"] <= 10 * 1_000_000


def test_what_lies_between_timed_regions_may_be_no_call(scene: SimpleNamespace) -> None:
    scene.probe.arm("time", ["*"])
    for _ in range(5):
        scene.probe.start()
        for _ in range(2000):
            scene.module.call(scene.clock.pass_(100))
        scene.probe.stop()
        scene.clock.now += 3_000_000
    assert entry(scene.probe, "call")["cut_ns"] == 0


def test_the_probes_own_cost_is_taken_off(scene: SimpleNamespace) -> None:
    scene.clock.step = 20  # every reading takes time; nothing else does
    scene.probe.arm("time", ["*"])
    scene.probe.start()
    for _ in range(640):
        scene.module.call(scene.clock.pass_(1000))
    assert abs(entry(scene.probe, "call")["timed_ns"] / 640_000 - 1) < 0.01


def test_the_cost_of_probes_inside_a_timed_call_is_taken_off(scene: SimpleNamespace) -> None:
    scene.clock.step = 20
    scene.probe.arm("time", ["*"])
    scene.probe.start()

    def inner() -> None:
        for _ in range(50):
            scene.module.other()
        scene.clock.now += 1000

    for _ in range(30):
        scene.module.call(inner)
    # Without it, the 64 or so inner calls that are timed would add 20 ns or more each.
    assert abs(entry(scene.probe, "call")["timed_ns"] / 30_000 - 1) < 0.02


def test_a_suspended_generator_is_not_timed(scene: SimpleNamespace) -> None:
    scene.probe.arm("time", ["*"])
    scene.probe.start()
    for _ in range(10):
        for _ in scene.module.steps(scene.clock.pass_(5)):
            scene.clock.now += 1000
    assert (entry(scene.probe, "steps")["calls"], entry(scene.probe, "steps")["timed_ns"]) == (30, 200.0)


def test_a_delegating_generator_is_not_timed_while_it_is_suspended(scene: SimpleNamespace) -> None:
    scene.probe.arm("time", ["*"])
    scene.probe.start()
    for _ in range(10):
        for _ in scene.module.delegate(scene.clock.pass_(5)):
            scene.clock.now += 1000
    assert (entry(scene.probe, "delegate")["calls"], entry(scene.probe, "delegate")["timed_ns"]) == (
        30,
        300.0,
    )
    assert entry(scene.probe, "steps")["timed_ns"] == 200.0


def test_a_generator_resumed_by_throw_is_neither_counted_nor_left_entered(scene: SimpleNamespace) -> None:
    scene.probe.arm("time", ["*"])
    scene.probe.start()
    generator = scene.module.delegate(scene.clock.pass_(5))
    next(generator)
    with pytest.raises(ValueError):
        generator.throw(ValueError())
    scene.module.call(scene.clock.pass_(3))
    list(scene.module.delegate(scene.clock.pass_(5)))
    # The aborted one was at work for 2 · 5 ns, the complete one for 6 · 5 ns.
    assert (entry(scene.probe, "delegate")["calls"], entry(scene.probe, "delegate")["timed_ns"]) == (4, 40.0)
    assert entry(scene.probe, "steps")["timed_ns"] + 5 - 0 * 25 == 30.0


def test_what_a_generator_does_about_errors_and_its_end_is_counted_and_timed(scene: SimpleNamespace) -> None:
    generator = scene.module.careful(scene.clock.pass_(5))
    next(generator)
    scene.probe.arm("time", ["*"])
    scene.probe.start()
    generator.throw(KeyError)
    scene.clock.now += 1000
    next(generator)
    generator.close()
    assert (entry(scene.probe, "careful")["calls"], entry(scene.probe, "careful")["timed_ns"]) == (3, 20.0)


def test_a_suspended_coroutine_is_not_timed_and_others_are_meanwhile(scene: SimpleNamespace) -> None:
    scene.probe.arm("time", ["*"])
    scene.probe.start()

    async def event(action: Callable[[], None]) -> None:
        action()
        for _ in range(3):
            await asyncio.sleep(0)
        action()

    async def main() -> None:
        async def clutter() -> None:
            for _ in range(5):
                scene.clock.now += 1000
                await asyncio.sleep(0)

        five = scene.clock.pass_(5)
        await asyncio.gather(*(scene.module.waits(five, event) for _ in range(10)), clutter())

    asyncio.run(main())
    assert (entry(scene.probe, "waits")["calls"], entry(scene.probe, "waits")["timed_ns"]) == (20, 200.0)


def test_waiting_in_async_loops_and_managers_is_not_timed(scene: SimpleNamespace) -> None:
    scene.probe.arm("time", ["*"])
    scene.probe.start()

    class Slow:
        def __aiter__(self) -> "Slow":
            self.left = 3
            return self

        async def __anext__(self) -> int:
            await asyncio.sleep(0)
            if not self.left:
                raise StopAsyncIteration
            self.left -= 1
            return self.left

        async def __aenter__(self) -> None:
            await asyncio.sleep(0)

        async def __aexit__(self, *error: object) -> None:
            await asyncio.sleep(0)

    async def main() -> object:
        async def clutter() -> None:
            for _ in range(12):
                scene.clock.now += 1000
                await asyncio.sleep(0)

        return await asyncio.gather(scene.module.crowd(scene.clock.pass_(5), Slow(), Slow()), clutter())

    assert asyncio.run(main()) == [[2, 1, 0], None]
    assert (entry(scene.probe, "crowd")["calls"], round(entry(scene.probe, "crowd")["timed_ns"], 6)) == (
        1,
        15.0,
    )


def test_an_async_generator_is_timed_only_while_it_is_at_work(scene: SimpleNamespace) -> None:
    scene.probe.arm("time", ["*"])
    scene.probe.start()

    async def event(action: Callable[[], None]) -> None:
        await asyncio.sleep(0)
        action()

    async def main() -> None:
        async def clutter() -> None:
            scene.clock.now += 1000

        task = asyncio.create_task(clutter())
        async for _ in scene.module.stream(scene.clock.pass_(5), event):
            scene.clock.now += 100
        await task

    asyncio.run(main())
    assert (entry(scene.probe, "stream")["calls"], entry(scene.probe, "stream")["timed_ns"]) == (3, 20.0)


def awaited(
    scene: SimpleNamespace, main: Callable[[Callable[[], Any]], Any], name: str, rest_ns: int = 10**6
) -> tuple[float, float]:
    """Time a method in ten regions of an event loop's; return its time and how long it waited beside others.

    `main` is given what another thing than a task does while it is awaited: a millisecond passes.
    """

    async def rest() -> None:
        asyncio.get_running_loop().call_soon(scene.clock.pass_(rest_ns))
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    scene.probe.arm("time", [f"example.{name}"])
    with asyncio.Runner() as runner:
        for _ in range(10):
            scene.probe.start()
            runner.run(main(rest))
            scene.probe.stop()
            scene.clock.now += 10**6
    told = entry(scene.probe, name)
    return told["timed_ns"] / 10, told["waited_ns"] / 10


def test_a_coroutine_that_has_its_loop_alone_is_timed_from_its_call_to_its_return(
    scene: SimpleNamespace,
) -> None:
    async def main(rest: Callable[[], Any]) -> None:
        await scene.module.spread(scene.clock.pass_(5), rest)
        await rest()
        await scene.module.waits(scene.clock.pass_(5), lambda _: rest())

    assert awaited(scene, main, "spread") == (4_000_020.0, 0.0)
    assert awaited(scene, main, "waits") == (1_000_010.0, 0.0)


def test_a_short_wait_may_be_what_the_probe_does_about_it(scene: SimpleNamespace) -> None:
    async def main(rest: Callable[[], Any]) -> None:
        await scene.module.waits(scene.clock.pass_(5), lambda _: rest())

    assert awaited(scene, main, "waits", 3000) == (10.0, 3000.0)


def test_what_a_coroutine_waits_beside_other_tasks_is_told_apart(scene: SimpleNamespace) -> None:
    async def main(rest: Callable[[], Any]) -> None:
        waits = scene.module.waits(scene.clock.pass_(5), lambda _: rest())
        await asyncio.gather(waits, rest())
        await rest()

    # Two milliseconds pass while it is suspended, one of which is its own: which, no clock can say.
    assert awaited(scene, main, "waits") == (10.0, 2_000_000.0)


def test_what_is_awaited_in_a_comprehension_is_waited_for(scene: SimpleNamespace) -> None:
    async def main(rest: Callable[[], Any]) -> None:
        await asyncio.gather(scene.module.listed(scene.clock.pass_(5), rest), rest())

    assert awaited(scene, main, "listed") == (5.0, 4_000_000.0)
    assert entry(scene.probe, "listed")["calls"] == 10


def test_calls_that_wait_at_once_wait_once(scene: SimpleNamespace) -> None:
    async def main(rest: Callable[[], Any]) -> None:
        two = [scene.module.waits(scene.clock.pass_(5), lambda _: rest()) for _ in range(2)]
        await asyncio.gather(*two)

    assert awaited(scene, main, "waits") == (20.0, 2_000_000.0)


def test_what_tasks_do_that_nobody_awaits_is_not_the_call_that_made_them(scene: SimpleNamespace) -> None:
    async def main(rest: Callable[[], Any]) -> None:
        await scene.module.launch(scene.clock.pass_(5), rest)
        await rest()
        await rest()

    assert awaited(scene, main, "launch") == (5.0, 0.0)


def test_an_async_generator_waits_for_what_it_awaits_and_not_for_who_asks_it(scene: SimpleNamespace) -> None:
    async def main(rest: Callable[[], Any]) -> None:
        async for _ in scene.module.stream(scene.clock.pass_(5), lambda _: rest()):
            await rest()

    assert awaited(scene, main, "stream") == (1_000_015.0, 0.0)


def test_an_awaitable_of_ones_own_waits_too(scene: SimpleNamespace) -> None:
    async def main(rest: Callable[[], Any]) -> None:
        await scene.module.Later(rest())

    assert awaited(scene, main, "Later.__await__") == (1_000_000.0, 0.0)


def test_a_call_that_waits_across_regions_waits_inside_them_only(scene: SimpleNamespace) -> None:
    async def main() -> None:
        waits = scene.module.waits(scene.clock.pass_(5), lambda _: asyncio.Event().wait())
        waiting = asyncio.create_task(waits)
        for _ in range(3):
            scene.probe.start()
            await asyncio.sleep(0)
            scene.clock.now += 1000
            scene.probe.stop()
            scene.clock.now += 10**6
        waiting.cancel()

    scene.probe.arm("time", ["example.waits"])
    asyncio.run(main())
    assert (entry(scene.probe, "waits")["timed_ns"], entry(scene.probe, "waits")["waited_ns"]) == (
        5.0,
        3000.0,
    )


def test_a_body_that_lists_its_names_is_timed_without_a_name_of_ours(scene: SimpleNamespace) -> None:
    scene.probe.arm("time", ["*"])
    scene.probe.start()
    names = scene.module.hidden(scene.clock.pass_(9))
    assert list(names) == ["action"]
    assert entry(scene.probe, "hidden")["timed_ns"] == 9.0


def test_a_generator_that_outlives_its_region_leaves_nothing_entered(scene: SimpleNamespace) -> None:
    scene.probe.arm("time", ["*"])
    scene.probe.start()
    generator = scene.module.delegate(scene.clock.pass_(5))
    next(generator)
    scene.probe.stop()
    next(generator)
    scene.probe.start()
    assert list(generator) == []
    scene.module.recursive(0, scene.clock.pass_(4))
    list(scene.module.delegate(scene.clock.pass_(5)))
    # In the regions: 10 ns before the first suspension, 10 ns after the last; then the whole 30 ns.
    assert entry(scene.probe, "delegate")["timed_ns"] in {40.0, 50.0}
    assert entry(scene.probe, "recursive")["timed_ns"] == 4.0


def test_a_generator_made_before_its_region_ticks_inside_it(scene: SimpleNamespace) -> None:
    scene.probe.arm("count", ["*"])
    generator = scene.module.steps(int)
    next(generator)
    scene.probe.start()
    list(generator)
    assert entry(scene.probe, "steps")["calls"] == 2


def test_a_module_imported_later_joins_what_the_process_is_doing(tmp_path: Path) -> None:
    patch = instrumented("def late(): return 1\n")
    with imported(tmp_path, patch.files, "_abs_audit_probe") as (probe,):
        probe.arm("control", ["example.late"], batch=2)  # type: ignore[attr-defined]
        probe.start()  # type: ignore[attr-defined]
        with imported(tmp_path, {}, "example") as (module,):
            module.late()
            module.late()
        assert entry(probe, "late") == {"calls": 2, "batches": 1, "injected_ns": 0.0, "timed_ns": 0.0}


@pytest.mark.parametrize(
    ("mode", "batch", "expected"), [("slow", 1, "ABS_PROBE_MODE"), ("count", 0, "ABS_PROBE_BATCH")]
)
def test_a_wrong_order_is_refused(scene: SimpleNamespace, mode: str, batch: int, expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        scene.probe.arm(mode, ["*"], batch=batch)


DELAY = {"mode": "delay", "methods": "example.call", "slowed": "example.call", "batch": "7"}


def execute(folder: Path, program: str, **probe: str) -> subprocess.CompletedProcess[str]:
    patch = instrumented(SUBJECT)
    for name, text in patch.files.items():
        (folder / name).write_text(text)
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={**os.environ, **{f"ABS_PROBE_{name.upper()}": value for name, value in probe.items()}},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (
            {"mode": "control", "methods": "*", "batch": "64"},
            {"call": (70, 1, False), "other": (1, 0, False)},
        ),
        ({"mode": "count", "methods": "example.call\nexample.steps"}, {"call": (70, 0, False)}),
        ({**DELAY, "delay_ns": "1000"}, {"call": (70, 10, True)}),
    ],
)
def test_the_environment_arms_a_process_without_a_driver(
    tmp_path: Path, order: dict[str, str], expected: dict[str, tuple[int, int, bool]]
) -> None:
    program = "import example\nfor _ in range(70): example.call()\nexample.other()"
    done = execute(tmp_path, program, **order, tally=str(tmp_path / "tally"))
    assert (done.returncode, done.stderr) == (0, "")
    (path,) = tmp_path.glob("tally.*")
    methods = json.loads(path.read_text())["methods"]
    told = {
        name: (entry["calls"], entry["batches"], entry["injected_ns"] >= 60_000)
        for name, entry in ((name, methods[f"example.{name}"]) for name in expected)
    }
    assert expected == told


def test_an_order_that_cannot_be_read_is_an_error_that_names_the_setting(tmp_path: Path) -> None:
    done = execute(tmp_path, "import example", **DELAY, delay_ns="soon")
    assert "ABS_PROBE_DELAY_NS: expected a number, found 'soon'" in done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_starts_from_zero(tmp_path: Path) -> None:
    program = (
        "import example, os, sys\nexample.call()\n"
        "if os.fork() == 0:\n    example.other()\n    sys.exit()\nos.wait()"
    )
    done = execute(tmp_path, program, mode="count", methods="*", tally=str(tmp_path / "tally"))
    assert (done.returncode, done.stderr) == (0, "")
    tallies = [json.loads(path.read_text())["methods"] for path in tmp_path.glob("tally.*")]
    calls = sorted(
        (tallied["example.call"]["calls"], tallied["example.other"]["calls"]) for tallied in tallies
    )
    assert calls == [(0, 1), (1, 0)]


def test_the_runtime_needs_nothing_but_the_standard_library(tmp_path: Path) -> None:
    for name, text in runtime().items():
        (tmp_path / name).write_text(text)
    program = (
        "import sys, _abs_audit_probe as p; print(p.BUILD_ID, 'json' in sys.modules, 're' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "test False False\n"


def test_the_probe_keeps_the_protocol(tmp_path: Path) -> None:
    def process(settings: Mapping[str, str]) -> Ended:
        for old in tmp_path.glob("tally*"):
            old.unlink()
        probe = {name.removeprefix("ABS_PROBE_").lower(): value for name, value in settings.items()}
        program = f"import example\nfor _ in range({CALLS}): example.call()"
        done = execute(tmp_path, program, **probe, tally=str(tmp_path / "tally"))
        tallies = [json.loads(path.read_text()) for path in tmp_path.glob("tally.*")]
        return Ended(message=done.stderr, tally=tallies[0] if tallies else {})

    assert_the_protocol_is_kept(process, "example.call")
