"""What is kept between commands can be seen, limited and emptied; what is in use stays."""

import os
from pathlib import Path

import pytest

from abs_audit.execution.cache import beyond, kept, remove, unused_since
from abs_audit.execution.workspace import LOCK, workspace


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ABS_AUDIT_CACHE", str(tmp_path / "cache"))


def used(subject: str, at: float, size: int = 0) -> Path:
    """Make a workspace that was opened at a time and holds a file of some size."""
    with workspace(f"{subject}\0framework") as opened:
        (opened.tree / "built").write_bytes(b"\1" * size)
        os.utime(opened.root / LOCK, (at, at))
    return opened.root


def test_each_workspace_names_its_checkout_and_its_size_the_longest_unused_first() -> None:
    new, old = used("new", at=2e9, size=100_000), used("old", at=1e9)
    entries = kept()
    assert [(old, "old"), (new, "new")] == [(entry.path, entry.subject) for entry in entries]
    assert 100_000 <= entries[1].size_bytes < 200_000


def test_no_cache_holds_nothing() -> None:
    assert [] == kept()


def test_what_is_in_use_is_not_removed() -> None:
    idle = used("idle", at=1e9)
    with workspace("busy\0framework") as busy:
        assert [idle] == [entry.path for entry in remove(kept())]
        assert busy.root.exists()
    assert not idle.exists()


def test_the_longest_unused_go_until_the_others_fit() -> None:
    first, second, _ = (
        used(name, at=at, size=300_000) for name, at in (("a", 1e9), ("b", 1.1e9), ("c", 1.2e9))
    )
    entries = kept()
    # Each takes 300,000 bytes and some blocks more: two do not fit into 500,000.
    assert [first, second] == [entry.path for entry in beyond(entries, 500_000)]
    assert [] == beyond(entries, 10**9)


def test_age_is_counted_from_the_last_opening() -> None:
    old = used("old", at=1e9)
    with workspace("new\0framework"):
        pass
    assert [old] == [entry.path for entry in unused_since(kept(), 86_400)]
