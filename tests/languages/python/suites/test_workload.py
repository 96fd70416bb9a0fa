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

    pretended = workload.Workload(None)
    pretended.iteration = iteration
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


@pytest.mark.parametrize(
    ("setup_s", "warmed"),
    [(0.0, 16), (0.001, 16), (0.015, 4), (0.2, 1)],
    ids=["no set-up", "a short one", "a long one", "one longer than a warm-up"],
)
def test_a_warm_up_of_calls_that_are_set_up_anew_takes_a_moment(
    workload: ModuleType, monkeypatch: pytest.MonkeyPatch, setup_s: float, warmed: int
) -> None:
    """Of seven benchmarks of packaging set-ups take .25 s an iteration, and under a millisecond is timed."""
    now_s, calls = [0.0], [0]

    def prepare() -> tuple[tuple[()], dict[str, object]]:
        now_s[0] += setup_s
        return (), {}

    def call() -> None:
        calls[0] += 1

    monkeypatch.setattr(workload, "perf_counter", lambda: now_s[0])
    arm = SimpleNamespace(open=lambda: None, close=lambda: None, **vars(ARM))
    workload.measure(
        workload.PreparedWorkload(call, prepare, lambda: None),
        {"invocations": 16, "target_s": 0.02, "iterations": 2, "warmup": 1},
        arm,
    )
    assert warmed + 2 * 16 == calls[0]
