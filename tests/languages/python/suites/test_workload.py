"""How often the driver calls what it measures."""

from types import ModuleType, SimpleNamespace

import pytest

from tests.support.loading import DRIVER, loaded

ARM = SimpleNamespace(begin=lambda: None, tally=lambda: None)


@pytest.fixture(scope="module")
def workload() -> ModuleType:
    """Return the driver's module; it belongs to no package of ours."""
    return loaded(DRIVER / "workload.py")


def measured(workload: ModuleType, call_s: float, **step: object) -> tuple[int, dict[str, object]]:
    """Measure calls that take so long by a clock that nobody waits for; return their number, too."""
    calls: list[int] = []

    def iteration(invocations: int, _: object) -> float:
        calls.append(invocations)
        return call_s

    pretended = SimpleNamespace(fewest=1, iteration=iteration)
    record = workload.measure(
        pretended, {"invocations": None, "target_s": 0.02, "iterations": 1, "warmup": 1, **step}, ARM
    )
    return sum(calls), record


def test_a_call_of_a_minute_is_made_once_to_find_out_how_long_it_takes(workload: ModuleType) -> None:
    """One of attrs takes 100 s, and took 300 s to be calibrated."""
    calls, record = measured(workload, 100.0)
    assert (1, 1, [100.0]) == (calls, record["invocations"], record["values"])


def test_what_is_asked_for_is_made_however_long_it_takes(workload: ModuleType) -> None:
    assert 3 == measured(workload, 100.0, invocations=1, iterations=2)[0]
    assert 5 == measured(workload, 100.0, iterations=3)[0]


def test_a_short_call_is_looked_at_twice_and_doubled_until_the_target(workload: ModuleType) -> None:
    calls, record = measured(workload, 0.01)
    assert (2, [0.01]) == (record["invocations"], record["values"])
    assert 1 + 1 + 2 + 2 + 2 == calls
