"""What a killed run left behind is gone when the next one begins."""

import os
import subprocess
import sys
from pathlib import Path
from typing import IO

import psutil
import pytest

from abs_audit.execution import supervisor
from abs_audit.execution.leftovers import MARK
from abs_audit.execution.workspace import workspace
from abs_audit.model.experiment import LONGEST_TEMPORARY, Workspace

ASLEEP = (sys.executable, "-c", "import time; print(flush=True); time.sleep(600)")


def test_processes_and_temporary_files_of_a_dead_run_are_gone_in_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ABS_AUDIT_CACHE", str(tmp_path))
    with workspace("subject") as first, workspace("another") as other:
        pass
    processes = []
    for root in (first.root, other.root):
        left = subprocess.Popen(ASLEEP, stdout=subprocess.PIPE, env={**os.environ, MARK: str(root)})
        assert left.stdout is not None
        left.stdout.readline()
        processes.append(left)
    first.temporary.mkdir()
    (first.temporary / "pip-unpack").write_text("half")

    with workspace("subject"):
        assert [] == list(first.temporary.iterdir())
    assert not first.temporary.exists()
    assert [False, True] == [psutil.pid_exists(left.pid) for left in processes]
    for left in processes:
        left.kill()
        left.communicate()


def test_what_an_interruption_let_escape_is_ended_before_its_temporary_files_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal that comes while a command is being started: it goes on, and writes on."""
    monkeypatch.setenv("ABS_AUDIT_CACHE", str(tmp_path))
    writing = (
        "import itertools, os\nfor n in itertools.count(): os.makedirs(f'{n}/{n}'); n or print(flush=True)"
    )
    with pytest.raises(KeyboardInterrupt), workspace("subject") as opened:
        left = subprocess.Popen(
            (sys.executable, "-c", writing),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, MARK: str(opened.root)},
            cwd=opened.temporary,
        )
        assert left.stdout is not None
        left.stdout.readline()
        raise KeyboardInterrupt
    goes_on = psutil.pid_exists(left.pid)
    left.kill()
    left.communicate()
    assert (False, False) == (goes_on, opened.temporary.exists())


def test_temporary_files_lie_in_the_workspace_unless_sockets_would_have_too_long_names() -> None:
    short, long = Workspace(root=Path("/w/0123")), Workspace(root=Path("/" + "w" * 80) / "0123")
    assert Path("/w/0123/tmp") == short.temporary
    assert len(str(long.temporary)) <= LONGEST_TEMPORARY


def test_workspaces_of_one_name_in_two_caches_share_no_temporary_folder() -> None:
    """What ends first would take it from under the other, and what another user made cannot be written to."""
    caches = (Path("/w") / (name * 80) for name in "ab")
    assert len({Workspace(root=cache / "0123").temporary for cache in caches}) == 2


def test_a_process_that_ends_while_it_is_looked_at_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    child = subprocess.Popen(["sleep", "60"])

    def opened(path: str, *arguments: object, **options: object) -> IO[bytes]:
        stream: IO[bytes] = open(path, *arguments, **options)  # type: ignore[call-overload] # noqa: PTH123, SIM115
        if path == f"/proc/{child.pid}/stat":
            child.kill()
            child.wait()
        return stream

    monkeypatch.setattr(supervisor, "open", opened, raising=False)
    assert child.pid not in supervisor._descendants()
