"""A container is removed although its engine refuses at first, and nobody waits for one that is gone."""

from unittest.mock import Mock

import pytest
from docker.errors import APIError, NotFound

from abs_audit.execution.container import REMOVALS, remove

REFUSED = APIError("it is being ended")


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)


@pytest.mark.parametrize(
    ("answers", "asked"),
    [
        ([None], 1),
        ([REFUSED, REFUSED, None], 3),
        ([REFUSED, NotFound("gone")], 2),
        ([OSError("no engine answers")], 1),
        ([REFUSED] * REMOVALS, REMOVALS),
    ],
)
def test_a_refused_removal_is_asked_for_again(answers: list[Exception | None], asked: int) -> None:
    container = Mock(remove=Mock(side_effect=answers))

    remove(container)

    assert asked == container.remove.call_count
