"""Traces a downstream as `trace` does: prepared and tested on this machine, the library left as it is."""

from dataclasses import dataclass
from pathlib import Path

from abs_audit.execution.local import LocalExecutor
from abs_audit.interfaces import BuildSettings, Tracer
from abs_audit.model.experiment import Command, Execution, Workspace


@dataclass(frozen=True)
class Traced:
    """What was executed to prepare the tests, and what became of them."""

    prepared: list[tuple[Command, Execution]]
    tested: Execution


def traced(tracer: Tracer, workspace: Workspace, library: Path, settings: BuildSettings) -> Traced:
    before = _contents(library)
    prepared = []
    for command in tracer.prepare(workspace, library, settings):
        done = LocalExecutor().execute(command)
        assert 0 == done.exit_code, done.log
        prepared.append((command, done))
    tested = LocalExecutor().execute(tracer.command(workspace, library, settings))
    assert before == _contents(library)
    return Traced(prepared=prepared, tested=tested)


def _contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
