"""Measures pyperf scripts: each runs in our process, and its Runner hands over what it would time."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from abs_audit.interfaces import BuildSettings
from abs_audit.languages.python.suites.files import python_files
from abs_audit.languages.python.suites.plan import DrivenSuite
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
    """Yield the scripts that start a Runner, among all files or those that the user names."""
    named = [root / path for path in paths] or [root]
    for path in named:
        for file in sorted(python_files(path)) if path.is_dir() else filter(Path.is_file, [path]):
            text = file.read_text(encoding="utf-8", errors="replace")
            if USES_RUNNER.search(text) and STARTS_RUNNER.search(text):
                yield file
