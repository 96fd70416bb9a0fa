from pathlib import Path

import pytest

from tests.support.search_desk import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A place to search from; what it copies goes into the test's own folder."""
    monkeypatch.setenv("ABS_AUDIT_CACHE", str(tmp_path / "cache"))
    return Desk(folder=tmp_path)
