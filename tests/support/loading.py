"""Modules of ours that belong to no package: what is laid beside a subject's own code."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from abs_audit.languages.python import suites

DRIVER = Path(suites.__file__).parent / "driver"


def loaded(path: Path, monkeypatch: pytest.MonkeyPatch | None = None) -> ModuleType:
    """Return a fresh module; with `monkeypatch` those that are loaded later find it by its name."""
    spec = importlib.util.spec_from_file_location(f"_abs_audit_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    if monkeypatch is not None:
        monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module
