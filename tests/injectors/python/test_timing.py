"""What a site estimates in mode `time`: times that stand for all calls, and for what passes between them."""

import itertools
from types import ModuleType

import pytest

from tests.support.python_probe import Clock, called, runtime


@pytest.fixture
def timing(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    runtime("states", monkeypatch)
    return runtime("timing", monkeypatch)


@pytest.mark.parametrize(
    ("each_ns", "calls", "timed"),
    [
        # The first 64 calls, and long ones, are all timed.
        (1_000, 64, 64),
        (1_000_000, 640, 640),
        # Of short ones one of eight then.
        (1_000, 64 + 8 * 64, 128),
        (100, 64 + 8 * 640, 704),
    ],
)
def test_the_time_of_all_calls_is_estimated_from_those_that_are_timed(
    timing: ModuleType, monkeypatch: pytest.MonkeyPatch, each_ns: int, calls: int, timed: int
) -> None:
    clock = Clock()
    monkeypatch.setattr(timing, "clock", clock)
    state = timing.Timing(timing.Ledger(), blank=False)

    def body() -> None:
        clock.now += each_ns

    called(state, calls, body)
    assert (calls, timed) == (state.calls(), state._closed_timed + state._timed)
    # The last ones belong to a block of eight in which none was timed yet.
    assert (pytest.approx(calls * each_ns, abs=7 * each_ns), 0.0) == (state.timed_ns(), state.cut_ns())
    # Nothing is ever cut off the first calls and off long ones: their interruptions are in their time.
    assert pytest.approx(each_ns * (64 if each_ns < 10_000 else calls)) == state.uncut_ns()


def test_only_outermost_calls_are_timed(timing: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(timing, "clock", clock)
    state = timing.Timing(timing.Ledger(), blank=False)

    def body() -> None:
        clock.now += 500

    def outer() -> None:
        called(state, 3, body)

    called(state, 1, outer)
    assert (4, 1500.0) == (state.calls(), state.timed_ns())


def test_what_passes_between_short_calls_is_estimated_from_what_follows_those_that_are_timed(
    timing: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither what empty bodies show nor what probes of others take is a part of it."""
    clock, ledger = Clock(), timing.Ledger()
    monkeypatch.setattr(timing, "clock", clock)
    state = timing.Timing(ledger)

    def apart() -> None:
        clock.now += 350
        ledger.spent += 50

    for _ in range(64 + 8 * 64):
        called(state, 1)
        apart()
    assert pytest.approx((64 + 8 * 64) * 300, rel=0.02) == state.apart_ns()


def test_between_two_regions_nothing_is_timed_nor_where_calls_are_long(
    timing: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, ledger = Clock(), timing.Ledger()
    monkeypatch.setattr(timing, "clock", clock)
    short, long = timing.Timing(ledger), timing.Timing(ledger)
    for _ in range(9):
        called(short, 1)
        clock.now += 300
    ledger.ended = float("inf")
    clock.now += 10**6
    called(short, 1)
    # Eight passed within the region, and stand for ten calls.
    assert pytest.approx(10 * 300) == short.apart_ns()

    def body() -> None:
        clock.now += 10**5

    called(long, 100, body)
    assert 0 == long.apart_ns()


def test_what_probes_of_others_take_inside_calls_is_told_beside_them(
    timing: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, ledger = Clock(), timing.Ledger()
    monkeypatch.setattr(timing, "clock", clock)
    state = timing.Timing(ledger, blank=False)

    def body() -> None:
        clock.now += 350
        ledger.spent += 50

    called(state, 64 + 8 * 64, body)
    calls = 64 + 8 * 64
    assert (state.timed_ns(), state.inside_ns()) == pytest.approx((calls * 300, calls * 50), rel=0.02)


def test_an_end_without_a_beginning_is_none(timing: ModuleType) -> None:
    state = timing.Timing(timing.Ledger(), blank=False)
    state.leave()
    state.rejoin()
    state.leave()
    assert (0, 0.0) == (state.calls(), state.timed_ns())


def test_a_short_call_that_was_interrupted_stands_for_itself_only(
    timing: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(timing, "clock", clock)
    state = timing.Timing(timing.Ledger(), blank=False)
    lengths = itertools.chain(itertools.repeat(100, 64), itertools.repeat(10**8))

    def body() -> None:
        clock.now += next(lengths)

    called(state, 64 + 8, body)
    longest = timing.Timing._SCHEDULER_NS
    assert pytest.approx(64 * 100 + 8 * longest) == state.timed_ns()
    assert pytest.approx(10**8 - longest) == state.cut_ns()


def test_a_long_call_that_was_timed_before_hides_none_that_was_not(
    timing: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is measured is the difference between the end of an iteration and the end of its warm-up."""
    clock, long_ns = Clock(), 10**7
    monkeypatch.setattr(timing, "clock", clock)
    state = timing.Timing(timing.Ledger(), blank=False)

    def call(number: int, length_ns: int, *, timed: bool) -> None:
        def body() -> None:
            clock.now += length_ns

        for _ in range(number):
            state.drawn = lambda: timed
            called(state, 1, body)

    for _ in range(3):
        call(64, 100, timed=True)
    call(1, long_ns, timed=True)
    warmed_ns = state.cut_ns()
    call(1, long_ns, timed=False)
    call(1, 100, timed=True)
    assert state.cut_ns() - warmed_ns >= long_ns


def test_a_calibrated_ledger_has_spent_nothing_yet(timing: ModuleType) -> None:
    ledger = timing.calibrated_ledger()
    assert 0.0 == ledger.spent
    assert all(abs(cost) < 1e6 for cost in (ledger.nested, ledger.untimed, ledger.timed))


@pytest.mark.parametrize("size", [1, 2, 8])
def test_one_of_each_block_is_drawn(timing: ModuleType, size: int) -> None:
    drawn = timing._one_of_each(size, bytes(range(256)))
    blocks = [drawn[start : start + size] for start in range(0, len(drawn), size)]
    assert [byte % size for byte in range(256)] == [block.index(True) for block in blocks]
    assert {1} == {sum(block) for block in blocks}


@pytest.mark.parametrize("begin", range(0, 2000, 200))
def test_an_interruption_while_a_probe_learns_its_cost_is_no_part_of_it(
    timing: ModuleType, monkeypatch: pytest.MonkeyPatch, begin: int
) -> None:
    readings = itertools.count(begin)
    # Each reading takes 100 ns, and each two thousandth 5 ms.
    times = itertools.accumulate(100 + 5_000_000 * (number % 2000 == 0) for number in readings)
    monkeypatch.setattr(timing, "clock", times.__next__)
    ledger = timing.calibrated_ledger()
    assert 0 <= ledger.untimed <= ledger.timed < 1000
