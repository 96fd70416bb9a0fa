"""What others left of a timed region."""

from math import nan
from pathlib import Path
from time import process_time
from types import ModuleType

import pytest

from abs_audit.languages.probe_protocol import tally_of
from tests.support.loading import DRIVER, loaded


@pytest.fixture(scope="module")
def probing() -> ModuleType:
    """Return the driver's module; it belongs to no package of ours."""
    return loaded(DRIVER / "probing.py")


@pytest.mark.parametrize(
    ("queued_ns", "spent_s", "waits", "interruptions", "left_ns"),
    [
        # 30 ms: 10 of work, 5 of sleep, and 15 that others took while it would have gone on.
        (15e6, 0.01, 1, 4, 15e6),
        # As long as nothing says how much of it was sleep, all of it counts as taken, or nothing.
        (nan, 0.01, 1, 4, 10e6),
        (nan, 0.01, 4, 1, 30e6),
        # What never waits of its own accord is known by its time on a processor, even under a quota.
        (0.0, 0.01, 0, 4, 10e6),
        (0.0, 0.03, 0, 0, 30e6),
        (40e6, 0.01, 1, 4, 0.0),
        # A moment between the readings of both clocks at the end is the processor's alone.
        (nan, 0.031, 0, 0, 30e6),
    ],
)
def test_what_a_benchmark_waits_for_was_not_taken_from_it(
    probing: ModuleType, queued_ns: float, spent_s: float, waits: int, interruptions: int, left_ns: float
) -> None:
    assert left_ns == probing.own_ns(30e6, 1e9 * spent_s, queued_ns, waits, interruptions)


@pytest.mark.parametrize(
    "queue", ["", " ", "0 0 0", "5 7 1"], ids=["no file", "empty", "not counted", "counted"]
)
def test_a_system_that_does_not_count_the_queue_is_one_without_it(
    probing: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, queue: str
) -> None:
    """Containers and other kernels."""
    path = tmp_path / "schedstat"
    if queue:
        path.write_text(f"{queue}\n")
    monkeypatch.setattr(probing.Regions, "QUEUE", str(path))
    arm = probing.Unprobed()
    assert (7 if queue.startswith("5") else nan) == pytest.approx(arm._regions._queued_ns(), nan_ok=True)
    arm.open()
    end = process_time() + 0.01
    while process_time() < end:
        pass
    arm.close()
    told = arm.tally()
    assert 9e6 < told["cpu_ns"] <= told["wall_ns"]
    assert told["cpu_ns"] / told["wall_ns"] == pytest.approx(tally_of(told).on_processor)
    arm.begin()
    assert (0, 0) == (arm.tally()["cpu_ns"], arm.tally()["wall_ns"])


def test_without_any_count_nothing_is_known(probing: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "getrusage", None)
    arm = probing.Unprobed()
    arm.open()
    arm.close()
    assert 1.0 == tally_of(arm.tally()).on_processor
