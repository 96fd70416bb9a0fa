"""A container is removed although its engine refuses at first, and nobody waits for one that is gone."""

from unittest.mock import Mock

import pytest
from docker.errors import APIError, NotFound

from abs_audit.execution import container
from abs_audit.execution.container import REMOVAL_PAUSE_S, REMOVAL_S, remove

REFUSED = APIError("it is being ended")
TIMES = int(REMOVAL_S / REMOVAL_PAUSE_S)


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    slept_s: list[float] = []
    clock = Mock(sleep=slept_s.append, monotonic=lambda: sum(slept_s))
    monkeypatch.setattr(container, "time", clock)


@pytest.mark.parametrize(
    ("answers", "asked"),
    [
        ([None], 1),
        ([REFUSED, REFUSED, None], 3),
        ([REFUSED, NotFound("gone")], 2),
        ([OSError("no engine answers")], 1),
        ([REFUSED] * TIMES, TIMES),
    ],
)
def test_a_refused_removal_is_asked_for_again(answers: list[Exception | None], asked: int) -> None:
    left_behind = Mock(remove=Mock(side_effect=answers))

    remove(left_behind)

    assert asked == left_behind.remove.call_count
