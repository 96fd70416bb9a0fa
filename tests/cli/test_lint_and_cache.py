"""`lint` and `cache` as users call them: nothing of the subject is executed."""

import json
from pathlib import Path

import pytest

from abs_audit.execution.workspace import workspace
from tests.cli.conftest import Run
from tests.support.schemas import validate

SLEEPS = "import time\n\ndef test_poll(benchmark):\n    benchmark(lambda: time.sleep(1))\n"
ID = "sleep-timed:benchmarks/test_poll.py:test_poll"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    root = tmp_path / "lib"
    (root / "benchmarks").mkdir(parents=True)
    (root / "benchmarks" / "test_poll.py").write_text(SLEEPS)
    return root


def test_a_mistake_is_told_with_its_place_its_reason_and_its_remedy(run: Run, library: Path) -> None:
    code, out, _ = run("lint", str(library), "--fail")
    assert (1, True) == (code, "benchmarks/test_poll.py:4: test_poll: sleep-timed" in out)
    assert "hides every slowdown" in out
    assert "remove the sleep" in out


def test_an_accepted_mistake_fails_nothing_and_is_told_as_such(run: Run, library: Path) -> None:
    entry = f'[[accept]]\nid = "{ID}"\nreason = "it measures waiting"\nuntil = 2999-12-31\n'
    (library / "abs-audit.toml").write_text(entry)
    code, out, _ = run("lint", str(library), "--fail", "--json")
    document = json.loads(out)
    validate(document)
    assert (0, [], [ID]) == (code, document["lints"], [part["id"] for part in document["accepted"]])


def test_an_expired_entry_accepts_nothing(run: Run, library: Path) -> None:
    entry = f'[[accept]]\nid = "{ID}"\nreason = "it measures waiting"\nuntil = 2020-01-01\n'
    (library / "abs-audit.toml").write_text(entry)
    code, out, _ = run("lint", str(library), "--fail")
    assert (1, True) == (code, "accepted until 2020-01-01" in " ".join(out.split()))


def test_what_is_kept_is_listed_and_removed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ABS_AUDIT_CACHE", str(tmp_path / "cache"))
    with workspace(f"{tmp_path / 'lib'}\0framework") as opened:
        (opened.tree / "built").write_bytes(b"\1" * 3_000_000)
    code, out, _ = run("cache", "--json")
    document = json.loads(out)
    validate(document)
    assert (0, [str(tmp_path / "lib")]) == (code, [part["subject"] for part in document["workspaces"]])
    assert document["size_bytes"] >= 3_000_000
    assert (0, "Removed 1 workspace, 3 MB.\n") == run("cache", "--remove")[:2]
    assert (0, "Nothing is kept.\n") == run("cache")[:2]
