from pathlib import Path

import pytest

from tests.support.search_context import CommandContext


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandContext:
    """A place to search from; what it copies goes into the test's own folder."""
    monkeypatch.setenv("ABS_AUDIT_CACHE", str(tmp_path / "cache"))
    return CommandContext(folder=tmp_path)
