"""What a project's configuration says to pytest, wherever it stands, and what a trace keeps of it."""

import shlex
from pathlib import Path
from typing import Any

from abs_audit.languages.python.toolchain.environment import project_table, setup_table

# Of plugins that measure, distribute or report, and of pytest's own manner of speaking.
MEASURING = "--cov --no-cov -n --numprocesses --dist --benchmark --junit --html --reruns --mypy --timeout"
SPEAKING = "-q -v --verbose --quiet --durations --tb --color -x --exitfirst --ff --maxfail --strict-config -W"
DROPPED = (*MEASURING.split(), *SPEAKING.split())
WITH_VALUE = (
    "-n -W --numprocesses --maxfail --dist --timeout --timeout-method --durations --durations-min "
    "--tb --color --cov --cov-report --cov-config --cov-fail-under --cov-context --junitxml --junit-xml "
    "--html --reruns --reruns-delay"
)
FOLDERS = ("tests", "test", "testing")


def default_options(root: Path) -> list[str]:
    """Return the options that pytest adds to its command line there."""
    options = pytest_setting(root, "addopts")
    return [str(part) for part in options] if isinstance(options, list) else shlex.split(str(options))


def pytest_setting(root: Path, name: str) -> Any:
    """Return a setting from the first file that has it, in the order in which pytest looks; else nothing."""
    files = ("pytest.ini", ".pytest.ini", "tox.ini")
    tool = project_table(root).get("tool", {}).get("pytest", {})
    places = [
        *(setup_table(root, file).get("pytest", name, fallback="") for file in files),
        # pytest 9 reads [tool.pytest] itself; older ones [tool.pytest.ini_options].
        tool.get(name),
        tool.get("ini_options", {}).get(name),
        setup_table(root).get("tool:pytest", name, fallback=""),
    ]
    return next((setting for setting in places if setting), "")


def options(root: Path) -> list[str]:
    """Return the options for a trace, the project's own set aside."""
    kept = f"addopts={shlex.join(_kept(default_options(root)))}"
    return ["-o", kept, "-o", "filterwarnings=", "-o", "xfail_strict=false"]


def test_folders(root: Path) -> list[str]:
    """Return where the tests lie; nothing where the project's own configuration says it."""
    if pytest_setting(root, "testpaths"):
        return []
    return [name for name in FOLDERS if (root / name).is_dir()]


def _kept(given: list[str]) -> list[str]:
    kept: list[str] = []
    dropped = ""
    for word in given:
        # A word after a dropped option is its value, unless it is an option itself.
        is_value = dropped in WITH_VALUE.split() and not word.startswith("-")
        dropped = word if word.startswith(DROPPED) else ""
        if not dropped and not is_value:
            kept.append(word)
    return kept
