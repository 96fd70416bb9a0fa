"""The runtime of Python's probes, a module at a time, and a clock for it."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from abs_audit.injectors import python as injector
from tests.support.loading import loaded

FOLDER = Path(injector.__file__).parent / "probe"


class Clock:
    """Moves by `step` nanoseconds at each reading, and when told."""

    def __init__(self, step: int = 0) -> None:
        self.now, self.step = 10**15, step

    def __call__(self) -> int:
        self.now += self.step
        return self.now


def runtime(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return a fresh module of the runtime, which those of it that are loaded later find."""
    return loaded(FOLDER / f"{name}.py", monkeypatch)


def called(state: Any, calls: int, body: Callable[[], object] = lambda: None) -> list[bool]:
    """Call as a site does; return at which calls something was due."""
    due = []
    for _ in range(calls):
        ends = state.tick() and state.due()
        due.append(bool(ends))
        body()
        if ends:
            ends()
    return due
