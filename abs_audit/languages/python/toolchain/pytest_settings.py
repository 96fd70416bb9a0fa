"""What a project's configuration says to pytest, wherever it stands."""

import shlex
from pathlib import Path
from typing import Any

from abs_audit.languages.python.toolchain.environment import project_table, setup_table


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
    return next((place for place in places if place), "")
