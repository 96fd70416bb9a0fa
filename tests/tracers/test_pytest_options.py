"""Which of a downstream's own pytest options its traced tests keep."""

from pathlib import Path

import pytest

from abs_audit.languages.python.toolchain.pytest_settings import options

KEPT = {
    "-s -rP --showlocals": "-s -rP --showlocals",
    "-v --cov --cov-report term -s": "-s",
    "--cov src --cov-config tools/coverage.toml -p plugin": "-p plugin",
    "--cov=src --cov-report=term --asyncio-mode=auto": "--asyncio-mode=auto",
    "--junitxml report.xml --reruns 2 --color yes -m 'not slow'": "-m 'not slow'",
    "-q tests": "tests",
}


@pytest.mark.parametrize("given", KEPT)
def test_what_reports_is_dropped_with_its_values(tmp_path: Path, given: str) -> None:
    (tmp_path / "pytest.ini").write_text(f"[pytest]\naddopts = {given}\n")
    assert options(tmp_path)[1] == f"addopts={KEPT[given]}"
