"""The program where streams, folders and limits are not what they usually are."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run, checkout, run

__all__ = ["checkout", "run"]

PROGRAM = Path(sys.executable).parent / "abs-audit"
GOOD = "benchmark,value\n" + "a,1.0\na,1.1\na,0.9\n" * 5
COMMANDS = {"--version": 0, "--help": 0, "export good.csv": 0, "export none.db": 2}
FEWEST_FILES = 12


@pytest.fixture
def folder(tmp_path: Path, checkout: Path) -> Path:
    (tmp_path / "good.csv").write_text(GOOD)
    return tmp_path


def shell(folder: Path, line: str, unbuffered: str = "") -> tuple[int, str]:
    """Execute a line of a shell, in which $PROGRAM is ours; return its exit code and what was said."""
    variables = {
        **os.environ,
        "ABS_AUDIT_CACHE": str(folder / "cache"),
        "PROGRAM": str(PROGRAM),
        "PYTHONUNBUFFERED": unbuffered,
    }
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    return done.returncode, done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("command", ["--version", "export good.csv", "variability good.csv"])
def test_an_answer_that_finds_no_room_is_no_bug(folder: Path, command: str, unbuffered: str) -> None:
    code, said = shell(folder, f"$PROGRAM {command} > /dev/full", unbuffered)
    assert (6, True) == (code, "No space left on device; make room" in said)


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&- <&-"])
@pytest.mark.parametrize(("command", "code"), COMMANDS.items())
def test_streams_that_are_closed_change_no_exit_code(
    folder: Path, command: str, code: int, closed: str
) -> None:
    assert code == shell(folder, f"$PROGRAM {command} {closed}")[0]


def test_no_file_takes_the_place_of_a_closed_stream(folder: Path) -> None:
    """What is printed would be written into the session otherwise."""
    assert 0 == shell(folder, "$PROGRAM import good.csv --session s.db <&- >&- 2>&-")[0]
    assert (0, "") == shell(folder, "$PROGRAM export --session s.db > out.csv")


def limited(number: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))


@pytest.mark.parametrize("number", [FEWEST_FILES, 16, 20])
def test_too_few_open_files_are_told(folder: Path, number: int) -> None:
    done = subprocess.run(
        [str(PROGRAM), "list", "lib", "--interpreter", sys.executable],
        cwd=folder,
        env={**os.environ, "ABS_AUDIT_CACHE": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limited(number),
    )
    assert done.returncode in {0, 6}, done.stderr
    assert 0 == done.returncode or "`ulimit -n`" in done.stderr


@pytest.mark.parametrize("place", ["lib", "lib/cache", "lib/a/b"])
def test_copies_never_lie_in_what_they_are_copies_of(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("ABS_AUDIT_CACHE", place)
    code, _, message = run("list", "lib")
    assert (2, True) == (code, "lies in the checkout" in message)
    assert not (folder / place / "workspaces").exists()


def test_relative_names_of_cache_and_interpreter_are_those_of_the_current_folder(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ABS_AUDIT_CACHE", "elsewhere/cache")
    (folder / "venv").symlink_to(Path(sys.executable).parents[1])
    name = f"venv/bin/{Path(sys.executable).name}"
    code, out, message = run("list", "lib", "--interpreter", name)
    assert (0, True) == (code, "test_render" in out), message
    assert (folder / "elsewhere" / "cache" / "workspaces").is_dir()


def test_a_relative_interpreter_of_the_configuration_is_one_of_the_checkout(run: Run, folder: Path) -> None:
    (folder / "lib" / "abs-audit.toml").write_text("interpreter = 'venv/bin/python'\n")
    _, out, _ = run("config", "show", "lib")
    assert f"interpreter = {folder / 'lib' / 'venv/bin/python'}" in out.replace('"', "").replace("'", "")
