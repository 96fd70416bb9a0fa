"""A session that was measured on hosts that die is the session of hosts that do not."""

import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from tests.execution.test_cluster import PROGRAMS, Hosts, hosts, port

__all__ = ["hosts", "port"]

SUBJECT = Path(__file__).parents[2] / "fixtures" / "subjects" / "pytest_benchmark"
TRIAL = "SELECT block, position, benchmark, status FROM trial"


def started(folder: Path, *options: str) -> "subprocess.Popen[str]":
    """Begin the same measurement of the same subject, with a session of its own."""
    folder.mkdir()
    variables = {"ABS_AUDIT_CACHE": str(folder / "cache"), "ABS_AUDIT_INTERPRETER": sys.executable}
    return subprocess.Popen(
        [str(PROGRAMS / "abs-audit"), "stability", str(SUBJECT), "--runs", "6", "--json", *options],
        cwd=folder,
        env={**os.environ, **variables, "ABS_AUDIT_ITERATION_S": "0.05"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def recorded(folder: Path, query: str = TRIAL) -> list[tuple[object, ...]]:
    path = folder / ".abs-audit" / "session.db"
    if not path.exists():
        return []
    with closing(sqlite3.connect(path, timeout=30)) as session:
        tables = [name for (name,) in session.execute("SELECT name FROM sqlite_master")]
        return sorted(session.execute(query).fetchall()) if "trial" in tables else []


def lasting(trials: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """Return the trials without those that are made where a first look met a busy moment."""
    return [one for one in trials if not str(one[0]).startswith("calibration/look")]


def waited_for(measuring: "subprocess.Popen[str]", folder: Path, trials: int) -> None:
    deadline = time.monotonic() + 120
    while len(recorded(folder)) < trials:
        assert measuring.poll() is None, measuring.communicate()
        assert time.monotonic() < deadline, "no trial is recorded"
        time.sleep(0.1)


def test_a_session_measured_through_faults_equals_one_without(hosts: Hosts, tmp_path: Path) -> None:
    workers = [hosts.start_worker(), hosts.start_worker()]
    # Beside each other: what is compared is which trials there are, and the one waits for hosts meanwhile.
    quiet = started(tmp_path / "quiet")
    faulty = started(tmp_path / "faulty", "--cluster", hosts.address)
    waited_for(faulty, tmp_path / "faulty", 8)
    workers[0].kill()
    waited_for(faulty, tmp_path / "faulty", 16)
    hosts.scheduler.kill()
    hosts.scheduler.wait()
    hosts.start_scheduler()
    hosts.start_worker()
    _, log = faulty.communicate(timeout=240)
    assert 0 == faulty.returncode, log
    _, log = quiet.communicate(timeout=240)
    assert 0 == quiet.returncode, log
    found = recorded(tmp_path / "faulty")
    assert lasting(recorded(tmp_path / "quiet")) == lasting(found)
    assert {"ok"} == {status for *_, status in found}
    # Every trial of a cluster says where it was made, but for none it says it twice.
    placed = recorded(tmp_path / "faulty", "SELECT block, position FROM place")
    assert [one[:2] for one in found] == placed
