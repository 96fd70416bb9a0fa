"""Which of a project's own pytest options a trace keeps: what is needed to run, nothing that reports."""

import shlex
from pathlib import Path

from abs_audit.languages.python.toolchain.pytest_settings import default_options, pytest_setting

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
