"""Bad input: one clear message, the right exit code, no traceback, nothing lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).parent / "abs-audit"


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


def abs_audit(folder: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [str(PROGRAM), *arguments],
        cwd=folder,
        env={**os.environ, "ABS_AUDIT_CACHE": str(folder / "cache")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert "" == done.stdout
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["list", "nowhere"], "nowhere: expected a directory"),
        (["list", "lib", "--suite", "junit"], "--suite junit: no such framework; expected one of"),
        (["list", "lib", "--nonsense"], "No such option"),
        (["nonsense"], "No such command"),
        (["stability", "lib", "--cpus", "all"], "--cpus all: expected numbers such as 1 or 0,2"),
        (["score", "lib", "--methods", "none.json"], "none.json: cannot read the methods file"),
        (["score", "lib", "--methods", "cut.json"], "cut.json:1: expected JSON"),
        (["score", "lib", "--methods", "list.json"], "list.json: methods[0]: expected a method id"),
        (["score", "lib", "--methods", "empty.txt"], "empty.txt: expected at least one method id"),
        (["score", "lib"], "which methods? Give them with --methods FILE"),
        (["score", "lib", "--slowdown", "-1"], "--slowdown -1: expected a number above 0"),
        (["score", "lib", "--slowdown", "nan"], "--slowdown nan: expected a number above 0"),
        (["select", "lib", "--budget", "soon"], "--budget soon: expected a time such as 60s"),
        (["select", "lib", "--budget", "9s"], "no score of lib as it stands is recorded"),
        (["trace", "lib"], "which downstream projects?"),
        (["report", "lib"], "no such session"),
        (["list", "lib", "--session", "none.txt"], "none.txt: expected a session file"),
        (["inject", "lib", "--method", "pkg.rendr", "--slowdown", "1"], "did you mean 'pkg.render'?"),
    ],
)
def test_a_wrong_word_is_answered_with_what_was_expected(
    tmp_path: Path, checkout: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "cut.json").write_text('{"methods": [{"method": "pkg')
    (tmp_path / "list.json").write_text('{"methods": [{"name": "pkg.render"}]}')
    (tmp_path / "empty.txt").write_text("\n\n")
    (tmp_path / "none.txt").write_text("no session " * 500)

    code, stderr = abs_audit(tmp_path, *arguments)

    assert (2, True) == (code, message in " ".join(stderr.split()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("slowdwon = 0.5\n", "unknown key 'slowdwon'; did you mean 'slowdown'?"),
        ("slowdown = -1\n", "slowdown = -1: input should be greater than 0"),
        ("slowdown = [\n", "abs-audit.toml: expected TOML"),
    ],
)
def test_a_wrong_configuration_is_named_with_its_file(
    tmp_path: Path, checkout: Path, text: str, message: str
) -> None:
    (checkout / "abs-audit.toml").write_text(text)

    code, stderr = abs_audit(tmp_path, "list", "lib")

    assert (2, True) == (code, "abs-audit.toml" in stderr and message in " ".join(stderr.split()))


def test_two_configurations_at_once_are_refused(tmp_path: Path, checkout: Path) -> None:
    (checkout / "abs-audit.toml").write_text("top = 5\n")
    with (checkout / "pyproject.toml").open("a") as stream:
        stream.write("[tool.abs-audit]\ntop = 6\n")

    code, stderr = abs_audit(tmp_path, "list", "lib")

    assert (2, True) == (code, "are both present: keep one of them" in " ".join(stderr.split()))


def test_a_checkout_without_a_suite_says_what_was_looked_for(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()

    code, stderr = abs_audit(tmp_path, "list", "lib")

    assert (2, True) == (code, "no benchmark suite found; looked for asv, pytest-benchmark, pyperf" in stderr)


@pytest.mark.parametrize(
    "command",
    "init doctor list trace stability inject score sensitivity redundancy select stubs audit report".split(),
)
def test_every_command_knows_the_common_options(tmp_path: Path, command: str) -> None:
    done = subprocess.run(
        [str(PROGRAM), command, "--help"],
        env={**os.environ, "COLUMNS": "200", "TERM": "dumb"},
        capture_output=True,
        text=True,
        check=True,
    )
    for option in ("--session", "--config", "--json", "--seed", "--quiet", "-q", "--verbose", "-v"):
        assert option in done.stdout
