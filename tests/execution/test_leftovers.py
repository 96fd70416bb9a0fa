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
