"""Measures pytest-benchmark suites, and CodSpeed suites, which pytest-benchmark's fixture serves as well.

Trap: pytest-benchmark's *round* is our iteration and its *iteration* our invocation.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from abs_audit.interfaces import BuildSettings
from abs_audit.languages.python.suites.files import python_files
from abs_audit.languages.python.suites.plan import DrivenSuite
from abs_audit.languages.python.toolchain.pytest_settings import default_options, pytest_setting
from abs_audit.model.experiment import Command, Workspace

REQUIREMENTS = ("pytest", "pytest-benchmark>=4")
# Of those named after benchmarks pytest collects by itself hardly any; their suites name them.
TEST_FILES = re.compile(r"(tests?_.*|(.*_)?tests?|.*bench.*)\.py")
USES_FIXTURE = r"\bdef\s+({names})\w*\s*\([^)]*\b(codspeed_)?benchmark\b|\bmark\.(codspeed_)?benchmark\b"
FIXTURE = r"\bfixture\b[^\n]*\n(\s*@[^\n]*\n)*\s*(async\s+)?"
PREFIXES = ("test", "bench")
"""What names of benchmarks begin with, beside what the project says."""
# Options that a suite may need in order to be collected at all; the rest is coverage, reports and selection.
KEPT_OPTIONS = (
    *("--import-mode", "--ignore", "--ignore-glob", "--confcutdir", "--asyncio-mode", "--ds", "--dc", "-p"),
    *("--benchmark-disable-gc", "--benchmark-timer"),
)
DROPPED_PLUGIN = re.compile(
    r"(no:)?(pytest[-_])?(benchmark|codspeed|cov|xdist|randomly|random_order|timeout)"
)


class PytestBenchmarkSuite(DrivenSuite):
    """The suite door for pytest-benchmark and CodSpeed."""

    name = "pytest-benchmark"

    def detect(self, root: Path) -> bool:
        """Tell whether any test file uses the `benchmark` fixture or marker."""
        return next(using_files(root), None) is not None

    def prepare(self, workspace: Workspace, settings: BuildSettings) -> Sequence[Command]:
        """Compose the environment: the subject, what its suite needs, and pytest-benchmark."""
        return self._plan(workspace, settings).preparation(REQUIREMENTS, using_files(workspace.tree))

    def details(self, workspace: Workspace, settings: BuildSettings) -> dict[str, Any]:
        """Return what may hold benchmarks, for pytest's own collection."""
        tree = workspace.tree
        paths = settings.paths or [path.relative_to(tree).as_posix() for path in using_files(tree)]
        return {"paths": list(paths), "options": kept_options(tree)}


def using_files(tree: Path) -> Iterator[Path]:
    """Yield test files that use the fixture, or that lie below a conftest.py which wraps it."""
    files = sorted(python_files(tree))
    anywhere, used = re.compile(USES_FIXTURE.format(names="")), _used(tree)
    wrappers = [path.parent for path in files if path.name == "conftest.py" and _mentions(path, anywhere)]
    for path in files:
        if TEST_FILES.fullmatch(path.name) and (
            _mentions(path, used) or any(path.is_relative_to(folder) for folder in wrappers)
        ):
            yield path


def _used(tree: Path) -> re.Pattern[str]:
    """Return how fixtures, and functions that pytest collects by their name, use the fixture.

    What else has a parameter of its name may be a helper of another framework.
    """
    setting = pytest_setting(tree, "python_functions")
    collected = setting if isinstance(setting, list) else str(setting).split()
    prefixes = [*PREFIXES, *(str(pattern).partition("*")[0] for pattern in collected)]
    named = USES_FIXTURE.format(names="|".join(map(re.escape, prefixes)))
    return re.compile(f"{named}|{FIXTURE}{USES_FIXTURE.format(names='')}")


def _mentions(path: Path, used: re.Pattern[str]) -> bool:
    return used.search(path.read_text(encoding="utf-8", errors="replace")) is not None


def kept_options(tree: Path) -> list[str]:
    """Return those of the project's default pytest options that decide what can be collected."""
    kept: list[str] = []
    words = iter(default_options(tree))
    for word in words:
        name, _, value = word.partition("=")
        if name.startswith("-p") and len(name) > 2 and not name.startswith("--"):
            name, value = "-p", word[2:].strip()
        if name not in KEPT_OPTIONS:
            continue
        if not value and name != "--benchmark-disable-gc":
            value = next(words, "")
        if name == "-p":
            kept += [] if DROPPED_PLUGIN.match(value) else ["-p", value]
        else:
            kept.append(f"{name}={value}" if value else name)
    return kept
