"""Sessions that are damaged, foreign, full or read-only: the right message and exit code, nothing lost."""

import shutil
import sqlite3
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.errors import AbsAuditError, MismatchError, UnfitEnvironmentError, UsageError
from abs_audit.execution.local import LocalExecutor
from abs_audit.execution.sandbox import Level
from abs_audit.execution.supervised import best_level
from abs_audit.experiment.session import ResultKind, Session
from abs_audit.model.experiment import Command, Sandbox
from tests.experiment.test_session import BLOCK, TRIAL

WORDS = ResultKind("words", list[str])


def recorded(path: Path, trials: int = 60) -> Path:
    session = Session(path)
    for number in range(trials):
        session.record("context", BLOCK, replace(TRIAL, block=f"runs/1/{number}", values=(0.1,) * 200))
    session.store("context", WORDS, ["kept"])
    session.close()
    return path


def read(path: Path) -> object:
    session = Session(path)
    try:
        return [
            session.trials("context", "runs/1/7"),
            *session.unslowed(),
            *session.samples(),
            session.load("context", WORDS),
            session.spent("context"),
        ]
    finally:
        session.close()


def test_a_session_with_damaged_pages_never_shows_as_a_bug(tmp_path: Path) -> None:
    whole = recorded(tmp_path / "whole.db").read_bytes()
    errors = []
    for page in range(0, len(whole), 4096):
        path = tmp_path / f"{page}.db"
        path.write_bytes(whole[:page] + b"\xa5" * 4096 + whole[page + 4096 :])
        try:
            read(path)
        except AbsAuditError as error:
            errors.append(error)
    assert 3 < len(errors)
    assert {2, 5} >= {int(error.exit_code) for error in errors}
    assert all("name another file with --session" in str(error) for error in errors)


@pytest.mark.parametrize("size", [15, 100, 4096, 30_000])
def test_a_truncated_session_is_said_to_be_damaged(tmp_path: Path, size: int) -> None:
    path = recorded(tmp_path / "session.db")
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises((UsageError, MismatchError), match="--session"):
        read(path)


def test_other_columns_are_those_of_another_version(tmp_path: Path) -> None:
    path = recorded(tmp_path / "session.db")
    with sqlite3.connect(path) as database:
        database.execute("ALTER TABLE result RENAME COLUMN document TO text")
    with pytest.raises(MismatchError, match="another version of abs-audit"):
        read(path)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE trial SET sample = x'00' WHERE block = 'runs/1/7'",
        "UPDATE trial SET status = 'odd' WHERE block = 'runs/1/7'",
        "UPDATE trial SET tally = '{' WHERE block = 'runs/1/7'",
        "UPDATE result SET document = '{\"a\": 1}'",
    ],
)
def test_a_record_that_cannot_be_read_is_damage(tmp_path: Path, change: str) -> None:
    path = recorded(tmp_path / "session.db")
    with sqlite3.connect(path) as database:
        database.execute(change)
    with pytest.raises(UsageError, match="damaged"):
        read(path)


def test_a_full_disk_keeps_what_was_recorded_and_says_so(tmp_path: Path) -> None:
    path = recorded(tmp_path / "session.db")
    session = Session(path)
    (pages,) = session._database.execute("PRAGMA page_count").fetchone()
    session._database.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(UnfitEnvironmentError, match=r"cannot record \(database or disk is full\)"):
        for number in range(1000):
            session.record("later", BLOCK, replace(TRIAL, block=str(number), values=(0.1,) * 200))
    assert ["kept"] == session.load("context", WORDS)


@pytest.mark.skipif(best_level() is not Level.NAMESPACES, reason="nothing is read-only to root without them")
@pytest.mark.parametrize("logged", [False, True])
def test_read_only_media_can_be_read_and_not_recorded_to(tmp_path: Path, logged: bool) -> None:
    media, here = tmp_path / "media", tmp_path / "here"
    media.mkdir()
    here.mkdir()
    path = recorded(media / "whole.db")
    if logged:
        # As a killed program leaves it: the newest records are in the log only.
        killed = Session(path)
        killed.store("context", WORDS, ["newest"])
        for suffix in ("", "-wal", "-shm"):
            shutil.copy(f"{path}{suffix}", media / f"session.db{suffix}")
        path = media / "session.db"
    program = (
        "import sys\nfrom pathlib import Path\n"
        "from tests.experiment.test_damaged_sessions import *\n"
        "path = Path(sys.argv[1])\nprint(read(path)[-2:])\n"
        "try: Session(path).store('context', WORDS, ['new'])\n"
        "except AbsAuditError as error: print(int(error.exit_code), error)\n"
    )
    command = Command(
        argv=(sys.executable, "-c", program, str(path)),
        cwd=here,
        env={"PYTHONPATH": ":".join(filter(None, sys.path)), "PYTHONDONTWRITEBYTECODE": "1"},
        limit_s=120,
        results=None,
        network=False,
        purpose="a test",
    )
    done = LocalExecutor(sandbox=Sandbox.STRICT).execute(command)
    word = "newest" if logged else "kept"
    first, second = done.output.splitlines() or [done.log, ""]
    assert f"[['{word}'], (60, " in first
    assert second.startswith("6 ")
    assert "can be read but not written" in second


@pytest.mark.parametrize("code", [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_BUSY_RECOVERY])
def test_a_session_is_opened_as_soon_as_nobody_is_closing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """SQLite itself waits for who writes, but not for who takes the log of changes away or reads it."""
    path, opened, tries = recorded(tmp_path / "session.db"), Session._opened, []

    def busy_twice(session: Session) -> sqlite3.Connection:
        tries.append(session)
        if len(tries) <= 2:
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = code
            raise error
        return opened(session)

    monkeypatch.setattr(Session, "_opened", busy_twice)
    assert 60 == Session(path).spent("context")[0]
    assert 3 == len(tries)


def test_two_runs_at_once_record_all(tmp_path: Path) -> None:
    path = tmp_path / "session.db"

    def run(name: str) -> None:
        session = Session(path)
        for number in range(30):
            session.record(name, BLOCK, replace(TRIAL, block=str(number)))
        session.close()

    threads = [threading.Thread(target=run, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [30] * 4 == [Session(path).spent(name)[0] for name in "abcd"]


def test_an_empty_file_that_a_user_names_is_refused_and_stays_empty(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.touch()
    with pytest.raises(UsageError, match=r"notes\.db: expected a session file .* found an empty file"):
        Session(path)
    assert 0 == path.stat().st_size
