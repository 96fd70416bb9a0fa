"""Builds fixture subjects and runs them through the Go suite's door, as the harness does."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from abs_audit.execution.local import LocalExecutor
from abs_audit.injectors.go.injector import GoInjector
from abs_audit.interfaces import BuildSettings
from abs_audit.languages.go.suites.bench import GoBenchSuite
from abs_audit.model.experiment import Block, Execution, Workspace
from abs_audit.model.measurement import Trial
from abs_audit.model.subject import Discovery, Patch
from tests.support import executions
from tests.support.toolchains import go

SUBJECTS = Path(__file__).parents[2] / "fixtures" / "subjects"
SUITE = GoBenchSuite()
TEXTS = (".go", "go.mod", "go.work")


def settings(**environment: str) -> BuildSettings:
    """Return settings that share compiled packages with everything else on this machine."""
    compiled = os.environ.get("GOCACHE") or str(Path.home() / ".cache" / "go-build")
    return BuildSettings(
        interpreter=go(), requirements=(), paths=(), environment={"GOCACHE": compiled, **environment}
    )


def workspace(folder: Path, subject: str | None = None) -> Workspace:
    """Return a workspace with a copy of a fixture subject, or with an empty tree."""
    made = Workspace(root=folder / "workspaces" / "one")
    made.tree.parent.mkdir(parents=True)
    if subject is None:
        made.tree.mkdir()
    else:
        shutil.copytree(SUBJECTS / subject, made.tree)
    return made


def written(place: Workspace, files: dict[str, str]) -> Workspace:
    """Write files into the tree."""
    for name, text in files.items():
        path = place.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return place


def probed(place: Workspace, methods: Sequence[str]) -> Patch:
    """Give methods of the tree their probes."""
    sources = {
        path.relative_to(place.tree).as_posix(): path.read_text()
        for path in place.tree.rglob("*")
        if path.name.endswith(TEXTS)
    }
    patch = GoInjector().instrument(sources, methods)
    written(place, dict(patch.files))
    return patch


def prepared(place: Workspace, own: BuildSettings) -> Execution:
    """Fetch and build; return what became of the last command."""
    for command in SUITE.prepare(place, own):
        execution = LocalExecutor().execute(command)
        if execution.exit_code:
            break
    return execution


def listed(place: Workspace, own: BuildSettings) -> Discovery:
    """Discover as the harness does."""
    return executions.listed(SUITE, place, own)


def executed(place: Workspace, own: BuildSettings, blocks: Sequence[Block]) -> list[Trial]:
    """Execute blocks as the harness does, reading the records while they come."""
    return executions.executed(SUITE, place, own, blocks)
