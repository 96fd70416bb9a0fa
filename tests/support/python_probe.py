"""The runtime of Python's probes, a module at a time, and a clock for it."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from abs_audit.injectors import python as injector

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
    spec = importlib.util.spec_from_file_location(f"_abs_audit_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


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
