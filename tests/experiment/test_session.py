"""The session: a trial is recorded whole or not at all, once, and found again."""

import json
import os
import signal
import sqlite3
from array import array
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from abs_audit.analyses.score.record import KIND
from abs_audit.errors import MismatchError, UsageError
from abs_audit.experiment.session import ResultKind, Session
from abs_audit.model.experiment import UNPROBED, Block, Step
from abs_audit.model.measurement import MethodTally, Status, Tally, Trial
from tests.support.builders import cell
from tests.support.recorded_scores import record

STEP = Step(arm=UNPROBED, invocations=3, target_s=0.1, iterations=2, warmup=0)
BLOCK = Block(id="runs/1/b", benchmark="b", steps=(STEP, STEP), limit_s=1.0)
TRIAL = Trial(
    block=BLOCK.id,
    position=1,
    status=Status.OK,
    reason="",
    invocations=3,
    values=(0.1, 1 / 3, 1e-9),
    tally=Tally(
        build_id="abc",
        methods={"m": MethodTally(calls=1, setup_calls=2, batches=3, injected_s=0.5, timed_s=0.25)},
    ),
    wall_s=0.2,
)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path / ".abs-audit" / "session.db")


def test_a_recorded_trial_comes_back_exactly_as_it_was(session: Session) -> None:
    session.record("context", BLOCK, TRIAL)

    assert {1: TRIAL} == session.trials("context", BLOCK.id)


def test_a_trial_is_recorded_once_and_the_first_record_stays(session: Session) -> None:
    session.record("context", BLOCK, TRIAL)
    session.record("context", BLOCK, replace(TRIAL, values=(9.0,)))

    assert TRIAL.values == session.trials("context", BLOCK.id)[1].values


def test_trials_of_another_context_are_not_found(session: Session) -> None:
    session.record("context", BLOCK, TRIAL)

    assert {} == session.trials("another", BLOCK.id)


def test_a_session_opened_again_still_has_everything(session: Session) -> None:
    session.record("context", BLOCK, TRIAL)
    session.close()

    assert {1: TRIAL} == Session(session.path).trials("context", BLOCK.id)
    assert (1, 0.2) == Session(session.path).spent("context")


def test_the_folder_of_a_session_keeps_itself_out_of_version_control(session: Session) -> None:
    assert "*\n" == (session.path.parent / ".gitignore").read_text()


def test_what_a_killed_process_left_of_a_session_it_was_making_goes_at_the_next_start(tmp_path: Path) -> None:
    path, others = tmp_path / "a[b].db", ["a[b].db.bak", "a[b].db.1.2.txt", f"a[b].db.{os.getpid()}.7"]
    child = os.fork()
    if not child:
        os.link = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        Session(path)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    left = [file.name for file in tmp_path.iterdir()]
    for name in (*others, f"{left[0]}-journal"):
        (tmp_path / name).touch()

    Session(path).close()

    assert len(left) == 1
    assert {file.name for file in tmp_path.iterdir()} == {path.name, *others}


def test_what_was_recorded_last_is_the_newest_though_the_clock_was_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, numbers = tmp_path / "session.db", ResultKind("kind", int)
    for hour, context in ((9, "morning"), (7, "later"), (8, "last")):
        monkeypatch.setattr("time.time", lambda now=hour: 3600.0 * now)
        session = Session(path)
        session.store(context, numbers, hour)
        session.close()

    assert list(Session(path).every(numbers)) == ["last", "later", "morning"]


def test_a_file_that_is_no_session_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but somebody's notes" * 100)

    with pytest.raises(UsageError, match=r"notes\.txt: expected a session file"):
        Session(path)

    assert path.read_text().startswith("not a database")


def of_format_2(path: Path) -> None:
    """Turn the session into one of format 2 that holds the trial, executed whole as `p.B`."""
    tally = {"calls": 1, "setup_calls": 2, "batches": 3, "paid_s": 0.5, "timed_s": 0.25, "owed_s": None}
    with sqlite3.connect(path) as database:
        database.executescript(
            "DROP TABLE trial; UPDATE about SET value = '2' WHERE name = 'format'; CREATE TABLE trial ("
            "context TEXT NOT NULL, block TEXT NOT NULL, position INTEGER NOT NULL, benchmark TEXT NOT NULL,"
            "kind TEXT NOT NULL, step TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,"
            "invocations INTEGER NOT NULL, higher_is_better INTEGER NOT NULL, sample BLOB NOT NULL,"
            "tally TEXT, wall_s REAL NOT NULL, recorded_at REAL NOT NULL,"
            "PRIMARY KEY (context, block, position)) WITHOUT ROWID"
        )
        step = TypeAdapter(Step).dump_json(STEP).decode()
        key = ("context", BLOCK.id, 1, "b", "cells", step, "ok", "p.B", 3, 0)
        kept = (
            array("d", TRIAL.values).tobytes(),
            json.dumps({"build_id": "abc", "methods": {"m": tally}}, separators=(",", ":")),
        )
        database.execute(f"INSERT INTO trial VALUES ({', '.join('?' * 14)})", (*key, *kept, 0.2, 1.0))
    database.close()


def test_a_session_of_format_2_is_brought_to_the_present_one(session: Session) -> None:
    session.close()
    of_format_2(session.path)

    for _ in range(2):
        opened = Session(session.path)
        assert replace(TRIAL, executed_whole="p.B") == opened.trials("context", BLOCK.id)[1]
        opened.record("context", BLOCK, replace(TRIAL, position=0))
        opened.close()


def test_a_score_of_format_3_is_brought_to_the_present_one(session: Session) -> None:
    before = record(cell("m", "b"))
    session.store("context", KIND, before)
    session.close()
    with sqlite3.connect(session.path) as database:
        (document,) = database.execute("SELECT document FROM result").fetchone()
        written = json.loads(document)
        for part in ("evidence", "result"):
            written[part]["cells"] = written[part]["cells"]["listed"]
        database.execute("UPDATE result SET document = ?", (json.dumps(written),))
        database.execute("ALTER TABLE trial DROP COLUMN outside_s")
        database.execute("UPDATE about SET value = '3' WHERE name = 'format'")
    database.close()

    opened = Session(session.path)
    assert before == opened.load("context", KIND)
    opened.close()


def test_a_session_of_another_format_is_refused(session: Session) -> None:
    session.close()
    with sqlite3.connect(session.path) as database:
        database.execute("UPDATE about SET value = '99' WHERE name = 'format'")

    with pytest.raises(MismatchError, match="written in format 99"):
        Session(session.path)
