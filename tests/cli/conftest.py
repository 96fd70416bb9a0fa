"""The program, executed in this process."""

import signal
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import typer.main

from abs_audit.cli.main import CODES, main

Run = Callable[..., tuple[int, str, str]]
# Two thirds of a command that is refused; a process of users makes its tree of commands once.
COMMANDS = cache(typer.main.get_command)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Run]:
    """Execute the program in an empty folder; return exit code, standard output and messages."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ABS_AUDIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(typer.main, "get_command", COMMANDS)
    handlers = {number: signal.getsignal(number) for number in CODES}

    def execute(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["abs-audit", *arguments])
        code: str | int | None = 0
        try:
            main()
        except SystemExit as left:
            code = left.code
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return int(code or 0), out, " ".join(err.split())

    yield execute
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A library with one method and a pytest-benchmark suite."""
    root = tmp_path / "lib"
    (root / "pkg").mkdir(parents=True)
    (root / "benchmarks").mkdir()
    (root / "pyproject.toml").write_text('[project]\nname = "pkg"\nversion = "1"\n')
    (root / "pkg" / "__init__.py").write_text("def render(text):\n    return text.upper()\n")
    (root / "benchmarks" / "test_it.py").write_text(
        "from pkg import render\n\ndef test_render(benchmark):\n    benchmark(render, 'a')\n"
    )
    return root
