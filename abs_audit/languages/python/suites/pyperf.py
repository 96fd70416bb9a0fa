"""Measures pyperf scripts: each runs in our process, and its Runner hands over what it would time."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from abs_audit.interfaces import BuildSettings
from abs_audit.languages.python.suites.files import python_files
from abs_audit.languages.python.suites.plan import DrivenSuite
from abs_audit.languages.python.toolchain.layout import imported_as
from abs_audit.model.experiment import Command, Workspace

REQUIREMENTS = ("pyperf",)
USES_RUNNER = re.compile(r"^\s*(import|from)\s+pyperf\b", re.MULTILINE)
STARTS_RUNNER = re.compile(r"\bRunner\s*\(")


class PyperfSuite(DrivenSuite):
    """The suite door for scripts that use `pyperf.Runner`."""

    name = "pyperf"

    def detect(self, root: Path) -> bool:
        """Tell whether any script starts a pyperf Runner."""
        return next(_scripts(root, ()), None) is not None

    def prepare(self, workspace: Workspace, settings: BuildSettings) -> Sequence[Command]:
        """Compose the environment: the subject, what its benchmarks need, and pyperf."""
        scripts = _scripts(workspace.tree, settings.paths)
        return self._plan(workspace, settings).preparation(REQUIREMENTS, scripts)

    def details(self, workspace: Workspace, settings: BuildSettings) -> dict[str, list[str]]:
        """Return the scripts; each runs up to what it would time."""
        tree = workspace.tree
        return {"paths": [path.relative_to(tree).as_posix() for path in _scripts(tree, settings.paths)]}


def _scripts(root: Path, paths: Sequence[str]) -> Iterator[Path]:
    """Yield the scripts that start a Runner, among all files or those that the user names.

    Those of a suite may leave that to a module that they share, in a folder above theirs.
    """
    texts = {file: file.read_text(encoding="utf-8", errors="replace") for file in _files(root, paths)}
    starting = [
        file for file, text in texts.items() if USES_RUNNER.search(text) and STARTS_RUNNER.search(text)
    ]
    shared = [
        (file.parent, re.compile(rf"^(from|import)\s+{re.escape(imported_as(file))}\b", re.MULTILINE))
        for file in starting
        if file.parent != root
    ]
    for file, text in texts.items():
        imports = any(file.is_relative_to(folder) and line.search(text) for folder, line in shared)
        if imports or file in starting:
            yield file


def _files(root: Path, paths: Sequence[str]) -> Iterator[Path]:
    for path in [root / path for path in paths] or [root]:
        yield from sorted(python_files(path)) if path.is_dir() else filter(Path.is_file, [path])
