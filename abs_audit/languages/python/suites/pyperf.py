"""Measures pyperf scripts: each runs in our process, and its Runner hands over what it would time."""

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from abs_audit.interfaces import BuildSettings
from abs_audit.languages.python.suites.files import python_files
from abs_audit.languages.python.suites.plan import DriverPlan
from abs_audit.languages.records import read_discovery, read_trials
from abs_audit.model.experiment import Block, Command, Execution, Workspace
from abs_audit.model.measurement import Trial
from abs_audit.model.subject import Discovery

REQUIREMENTS = ("pyperf",)
USES_RUNNER = re.compile(r"^\s*(import|from)\s+pyperf\b", re.MULTILINE)
STARTS_RUNNER = re.compile(r"\bRunner\s*\(")


class PyperfSuite:
    """The suite door for scripts that use `pyperf.Runner`."""

    name = "pyperf"

    def detect(self, root: Path) -> bool:
        """Tell whether any script starts a pyperf Runner."""
        return next(_scripts(root, ()), None) is not None

    def prepare(self, workspace: Workspace, settings: BuildSettings) -> Sequence[Command]:
        """Compose the environment: the subject, what its benchmarks need, and pyperf."""
        scripts = _scripts(workspace.tree, settings.paths)
        return self._plan(workspace, settings).preparation(REQUIREMENTS, scripts)

    def discover(self, workspace: Workspace, settings: BuildSettings) -> Command:
        """Compose a run of every script up to what it would time."""
        paths = [
            path.relative_to(workspace.tree).as_posix() for path in _scripts(workspace.tree, settings.paths)
        ]
        return self._plan(workspace, settings).discovery({"paths": paths})

    def discovery(self, execution: Execution) -> Discovery:
        """Read the listing."""
        return read_discovery(execution, self.name)

    def commands(
        self, workspace: Workspace, settings: BuildSettings, blocks: Sequence[Block]
    ) -> Sequence[Command]:
        """Compose what executes the blocks in their order."""
        return self._plan(workspace, settings).executions(blocks, {})

    def trials(self, blocks: Sequence[Block], output: str) -> Sequence[Trial]:
        """Read the driver's records."""
        return read_trials(blocks, output)

    def filter(self, benchmarks: Iterable[str]) -> str:
        """Return the names, each quoted for a shell; pyperf itself has no filter."""
        return shlex.join(benchmarks)

    def _plan(self, workspace: Workspace, settings: BuildSettings) -> DriverPlan:
        return DriverPlan(framework=self.name, workspace=workspace, settings=settings)


def _scripts(root: Path, paths: Sequence[str]) -> Iterator[Path]:
    """Yield the scripts that start a Runner, among all files or those that the user names."""
    named = [root / path for path in paths] or [root]
    for path in named:
        for file in sorted(python_files(path)) if path.is_dir() else [path]:
            text = file.read_text(encoding="utf-8", errors="replace")
            if USES_RUNNER.search(text) and STARTS_RUNNER.search(text):
                yield file
