"""What a site remembers in each mode: exact counts, and delays that add up."""

import os
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.support.python_probe import Clock, called, runtime

METHODS = ("pkg.first", "pkg.second")


@pytest.fixture
def states(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return runtime("states", monkeypatch)


@pytest.fixture
def elsewhere(states: ModuleType, tmp_path: Path) -> Any:
    path = tmp_path / "marks"
    path.write_bytes(bytes(states.Elsewhere.SLOTS))
    return states.Elsewhere(path, os.getpid())


@pytest.mark.parametrize("calls", [0, 1, 7, 1000])
def test_calls_are_counted_exactly_and_nothing_is_due(states: ModuleType, calls: int) -> None:
    state = states.Counting()
    assert [False] * calls == called(state, calls)
    assert (calls, 0, 0.0, 0.0) == (state.calls(), state.batches, state.injected_ns(), state.timed_ns())


@pytest.mark.parametrize(
    ("batch", "calls", "batches"), [(1, 3, 3), (2, 3, 1), (10, 9, 0), (10, 10, 1), (10, 25, 2)]
)
def test_each_batch_of_calls_is_delayed_at_its_last(
    states: ModuleType, monkeypatch: pytest.MonkeyPatch, batch: int, calls: int, batches: int
) -> None:
    monkeypatch.setattr(states, "clock", Clock(step=1))
    state = states.Delaying(50.0, batch)
    for number in range(1, calls + 1):
        before = state.batches
        if state.tick():
            state.due()
        assert (number % batch == 0) == (state.batches > before)
        # Asking how many there were does not move the position in the batch.
        assert number == state.calls() == state.calls()
    assert (batches, batches * 50.0 * batch) == (state.batches, state.injected_ns())


@pytest.mark.parametrize("step", [1, 70, 100, 290])
def test_what_a_delay_takes_too_long_the_next_ones_make_up_for(
    states: ModuleType, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    monkeypatch.setattr(states, "clock", Clock(step))
    state = states.Delaying(300.0, 1)
    for number in range(1, 20):
        state.due()
        # Each ends at a reading of the clock, and all of them together are too long by one of these at most.
        assert 300 * number <= state.injected_ns() < 300 * number + step


def test_an_interruption_is_made_up_for_up_to_a_bound_only(
    states: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(step=10**9)
    monkeypatch.setattr(states, "clock", clock)
    state = states.Delaying(1e7, 1)
    state.due()
    clock.step = 10**5
    injected = []
    for _ in range(5):
        before = state.injected_ns()
        state.due()
        injected.append(state.injected_ns() - before)
    # 20 ms carried on: two delays of 10 ms are left out (but for a reading), and no more.
    assert [1e5, 1e5] == injected[:2]
    assert all(8e6 <= took <= 1.1e7 for took in injected[3:])


def test_what_is_carried_on_can_be_forgotten(states: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "clock", Clock(step=200))
    state = states.Delaying(300.0, 1)
    state.due()
    state.forget_carried()
    state.due()
    assert 800.0 == state.injected_ns()


def test_a_control_delays_by_nothing_and_counts_its_batches(states: ModuleType) -> None:
    state = states.Delaying(0.0, 5).calibrate()
    called(state, 12)
    assert (12, 2, 0.0) == (state.calls(), state.batches, state.injected_ns())


def test_an_entry_is_counted_by_the_probed_method_that_it_came_from(states: ModuleType) -> None:
    frames = states.Frames()
    first, second = (states.Calling(name, frames) for name in METHODS)

    def inner() -> None:
        called(second, 1)

    called(first, 2, inner)
    called(second, 1)
    assert ({"": 2}, {METHODS[0]: 2, "": 1}) == (first.callers, second.callers)
    assert [] == frames.methods


def test_a_body_that_goes_on_after_a_suspension_is_entered_and_not_counted_again(states: ModuleType) -> None:
    frames = states.Frames()
    first, second = (states.Calling(name, frames) for name in METHODS)
    ends = first.tick() and first.due()
    ends()
    first.enter()
    called(second, 1)
    first.leave()
    assert ({"": 1}, {METHODS[0]: 1}) == (first.callers, second.callers)


def test_what_was_left_behind_without_a_word_ends_with_the_method_below_it(states: ModuleType) -> None:
    frames = states.Frames()
    first, second = (states.Calling(name, frames) for name in METHODS)
    ends = first.due()
    second.due()
    ends()
    # It has ended already: another end changes nothing.
    ends()
    assert [] == frames.methods


def test_other_threads_are_marked_while_a_region_is_open(states: ModuleType, elsewhere: Any) -> None:
    state = states.Watching(METHODS[0], elsewhere)

    def enter() -> None:
        worker = threading.Thread(target=called, args=(state, 1))
        worker.start()
        worker.join()

    called(state, 1)
    enter()
    assert "" == elsewhere.of(METHODS[0])
    elsewhere.open(True)
    called(state, 1)
    assert "" == elsewhere.of(METHODS[0])
    enter()
    assert ("threads", "", 4) == (elsewhere.of(METHODS[0]), elsewhere.of(METHODS[1]), state.calls())


def test_other_processes_are_marked_until_this_one_settles(elsewhere: Any) -> None:
    elsewhere.open(True)
    child = os.fork()
    if child == 0:
        elsewhere.note(elsewhere.slot(METHODS[0]), threading.get_ident())
        os._exit(0)
    os.waitpid(child, 0)
    assert ["processes", ""] == [elsewhere.of(method) for method in METHODS]
    elsewhere.settle(METHODS)
    assert ["", ""] == [elsewhere.of(method) for method in METHODS]


def test_slots_of_methods_are_never_that_of_the_region(elsewhere: Any) -> None:
    assert all(0 < elsewhere.slot(f"pkg.method_{number}") < elsewhere.SLOTS for number in range(1000))
