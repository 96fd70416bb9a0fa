"""What a suite may do to this machine, tried by a program that does not wish it well."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from abs_audit.errors import UnfitEnvironmentError
from abs_audit.execution import local
from abs_audit.execution.local import LocalExecutor
from abs_audit.execution.sandbox import Level, mounts
from abs_audit.execution.supervised import best_level
from abs_audit.execution.workspace import workspace
from abs_audit.model.experiment import Command, Execution, Sandbox, Workspace

needs_namespaces = pytest.mark.skipif(
    best_level() is not Level.NAMESPACES,
    reason="no user namespaces here; see: sysctl user.max_user_namespaces",
)
ATTEMPTS = """
import os, socket, sys
from pathlib import Path

def tried(name, attempt):
    try:
        attempt()
        print(name, "done")
    except OSError:
        print(name, "refused")

shared = Path("/dev/shm/abs-audit-test")
root, outside, notes = map(Path, sys.argv[1:4])
tried("workspace", lambda: (root / "tree" / "made").write_text("x"))
tried("temporary", lambda: Path(os.environ["TMPDIR"], "made").write_text("x"))
tried("shared memory", lambda: (shared.touch(), shared.unlink()))
tried("outside", lambda: (outside / "made").write_text("x"))
tried("times", lambda: os.utime(outside / "kept", (1, 1)))
tried("mode", lambda: (outside / "kept").chmod(0o777))
tried("removal", lambda: (outside / "kept").unlink())
tried("notes", lambda: notes.write_text("x"))
tried("program", lambda: Path(sys.argv[4]).open("a").close())
server = socket.create_server(("127.0.0.1", 0))
tried("loopback", lambda: socket.create_connection(server.getsockname()))
tried("network", lambda: socket.create_connection(("127.0.0.1", int(sys.argv[5])), 2))
"""


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("ABS_AUDIT_CACHE", str(tmp_path / "cache"))
    with workspace("a subject") as found:
        (found.root / "manifest.json").write_text("[]")
        yield found


def attempt(opened: Workspace, outside: Path, port: int, sandbox: Sandbox) -> Execution:
    outside.mkdir(exist_ok=True)
    (outside / "kept").write_text("kept")
    paths = (opened.root, outside, opened.root / "manifest.json", local.__file__)
    command = Command(
        argv=(sys.executable, "-c", ATTEMPTS, *map(str, paths), str(port)),
        cwd=opened.tree,
        env={},
        limit_s=60,
        results=opened.results / "none",
        network=False,
        purpose="a test",
    )
    return LocalExecutor(sandbox=sandbox).execute(command)


def answers(execution: Execution) -> dict[str, str]:
    assert not execution.exit_code, execution.log
    return dict(line.rsplit(" ", 1) for line in execution.output.splitlines())


@needs_namespaces
def test_a_suite_writes_to_its_workspace_alone_and_has_no_network(opened: Workspace, tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        found = answers(attempt(opened, tmp_path / "checkout", port, Sandbox.STRICT))

    allowed = {"workspace", "temporary", "shared memory", "loopback"}
    assert {name: "done" if name in allowed else "refused" for name in found} == found
    assert "kept" == (tmp_path / "checkout" / "kept").read_text()


@pytest.mark.skipif(best_level() is Level.NONE, reason="neither user namespaces nor Landlock here")
def test_landlock_keeps_a_suite_from_writing_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "best_level", lambda: Level.LANDLOCK)
    shared = Path(os.environ.get("TMPDIR", "/tmp"))
    elsewhere = Path("/var/tmp") / f"abs-audit-{os.getpid()}"
    program = f"open('made', 'w'); import os; os.mkdir({str(elsewhere)!r})"
    command = Command(
        argv=(sys.executable, "-c", program),
        cwd=tmp_path,
        env={"TMPDIR": str(shared)},
        limit_s=60,
        results=None,
        network=False,
        purpose="a test",
    )
    done = LocalExecutor(sandbox=Sandbox.AUTO).execute(command)

    assert (1, True, False) == (done.exit_code, (tmp_path / "made").exists(), elsewhere.exists())
    assert "PermissionError" in done.log


def test_strict_refuses_where_a_suite_cannot_be_confined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "best_level", lambda: Level.LANDLOCK)
    with pytest.raises(UnfitEnvironmentError, match=r"--sandbox strict: .* --runner container"):
        LocalExecutor(sandbox=Sandbox.STRICT)


@pytest.mark.parametrize(("network", "writable"), [(True, True), (False, False)])
def test_what_fetches_may_write_to_the_caches_that_the_user_names(
    opened: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, network: bool, writable: bool
) -> None:
    named = tmp_path / "packages"
    named.mkdir()
    monkeypatch.setenv("UV_CACHE_DIR", str(named))
    command = Command(
        argv=("true",),
        cwd=opened.tree,
        env={},
        limit_s=60,
        results=opened.results / "none",
        network=network,
        purpose="a test",
    )
    assert writable == ((str(named), str(named), True) in mounts(command))


def test_what_builds_rust_may_keep_what_it_fetches_and_change_no_program(
    opened: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cargo = tmp_path / "cargo"
    (cargo / "bin").mkdir(parents=True)
    monkeypatch.setenv("CARGO_HOME", str(cargo))
    command = Command(
        argv=("true",), cwd=opened.tree, env={}, limit_s=60, results=None, network=True, purpose="a test"
    )
    writable = {path for _, path, free in mounts(command) if free and Path(path).is_relative_to(cargo)}
    assert {str(cargo / "git"), str(cargo / "registry")} == writable
