"""Counts which API methods a Go project's unit tests call, against a recording copy of the library."""

import json
import re
import shutil
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from abs_audit.errors import ControlFailedError
from abs_audit.interfaces import BuildSettings, DownstreamCounts
from abs_audit.languages.go.toolchain.commands import GoEnvironment
from abs_audit.languages.go.toolchain.modules import import_path, lost_replacements, texts
from abs_audit.model.experiment import Command, Execution, Workspace
from abs_audit.tracers.go.recording import FOLDER, recording
from abs_audit.tracers.recorded import FETCHING, TEST_LIMIT_S, TESTING, RecordedCalls, none_ran, records

RECORDER = Path(__file__).parent / "recorder"
FUNCTIONS = "abs_audit_functions.txt"
RELEASE = re.compile(r"[\w~-]+(\.[\w~-]+)+(/[\w.~-]+)*@[\w.+-]+")
# Leaves out what needs no copy, and what a go command must not see in a module that it replaces.
NOT_COPIED = shutil.ignore_patterns(".git", "vendor", "node_modules", "go.work", "go.work.sum")


class GoTracer:
    """Replaces the library by a copy whose functions report their callers, and runs `go test`."""

    side_by_side = True

    def release(self, workspace: Workspace, given: str, settings: BuildSettings) -> Sequence[Command]:
        """Compose what downloads `module/path@version` and prints where its sources are."""
        if not RELEASE.fullmatch(given):
            return ()
        command = GoEnvironment(workspace=workspace, settings=settings).go_command
        return (
            command(workspace.root, ["mod", "download", given], f"downloading {given}"),
            command(workspace.root, ["list", "-m", "-f", "{{.Dir}}", given], f"looking {given} up"),
        )

    def prepare(self, workspace: Workspace, library: Path, settings: BuildSettings) -> Sequence[Command]:
        """Make the recording copy, and compose what builds the downstream's tests against it."""
        copy = _copied(workspace, library)
        command = GoEnvironment(workspace=workspace, settings=settings).go_command
        lost = [f"-dropreplace={path}" for path in lost_replacements(workspace.tree)]
        composed = [
            command(workspace.tree, ["mod", "edit", *lost, f"-replace={_module(library)}={copy}"], FETCHING),
            # What is missing for one package must not cost the others their trace.
            command(workspace.tree, ["mod", "tidy", "-e"], FETCHING),
        ]
        if not (workspace.tree / "go.mod").is_file():
            composed.insert(0, command(workspace.tree, ["mod", "init", _module(workspace.tree)], FETCHING))
        return composed

    def command(self, workspace: Workspace, library: Path, settings: BuildSettings) -> Command:
        """Compose the test run; a failing test does not spoil its trace."""
        composed = GoEnvironment(workspace=workspace, settings=settings).go_command(
            workspace.tree, ["test", "-json", "-count=1", "-vet=off", "./..."], TESTING, limit_s=TEST_LIMIT_S
        )
        variables = {
            "ABS_AUDIT_RECORD": str(records(workspace)),
            "ABS_AUDIT_DOWNSTREAM": _module(workspace.tree),
        }
        return replace(composed, env={**composed.env, **variables}, network=False)

    def counts(self, workspace: Workspace, methods: Sequence[str], execution: Execution) -> DownstreamCounts:
        """Read what the recorder left; raise ControlFailedError where not a single test ran."""
        passed, failed = _tests(execution)
        names = _names(_copy(workspace) / FUNCTIONS, methods)
        recorded = RecordedCalls()
        for path in sorted(records(workspace).glob("calls-*.counts")):
            for method, numbers in zip(names, struct.iter_unpack("<3q", _whole(path, names)), strict=True):
                if method is not None:
                    recorded.count(method, numbers)
        for path in sorted(records(workspace).glob("arguments-*.txt")):
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                number, _, text = line.partition(" ")
                method = names[int(number)]
                if method is not None:
                    recorded.saw(method, [text])
        return recorded.counts(passed, failed)


def _copy(workspace: Workspace) -> Path:
    return workspace.root / "library"


def _copied(workspace: Workspace, library: Path) -> Path:
    copy = _copy(workspace)
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(library, copy, ignore=NOT_COPIED, symlinks=True)
    # Read before the recorder lies in it, which must not report its own calls.
    made = recording(texts(copy))
    shutil.copytree(RECORDER, copy / FOLDER, dirs_exist_ok=True)
    for path, text in made.files.items():
        (copy / path).write_text(text, encoding="utf-8")
    (copy / FUNCTIONS).write_text("\n".join(map("\t".join, made.ids)), encoding="utf-8")
    return copy


def _module(root: Path) -> str:
    """Return the path of a module as its go.mod or its sources tell it."""
    return import_path(texts(root))


def _whole(path: Path, names: Sequence[str | None]) -> bytes:
    """Return the counts of a process; one word more stands behind them, so that no table is empty."""
    data = path.read_bytes()
    if len(data) != 8 * (3 * len(names) + 1):
        raise ControlFailedError(
            f"{path.name}: expected counts of {len(names)} functions, found another size"
        )
    return data[:-8]


def _names(path: Path, methods: Sequence[str]) -> list[str | None]:
    """Return the id of each recorded function, None where it is not one of `methods`.

    One that is not asked about by its own id is known by the id under which another type alone inherits it.
    """
    asked_about = set(methods)
    names: list[str | None] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        own, *heirs = line.split("\t")
        asked = [own] if own in asked_about else [heir for heir in heirs if heir in asked_about]
        names.append(asked[0] if len(asked) == 1 else None)
    return names


def _tests(execution: Execution) -> tuple[int, int]:
    """Return how many tests passed and failed; raise ControlFailedError where none ran."""
    ends: Counter[str] = Counter()
    said: list[str] = []
    for event in _events(execution.output):
        if event.get("Test") and event.get("Action") in {"pass", "fail"}:
            ends[event["Action"]] += 1
        elif event.get("Action") in {"output", "build-output"}:
            said.append(event.get("Output", "").rstrip())
    if not ends:
        raise none_ran(execution, said or execution.log.splitlines())
    return ends["pass"], ends["fail"]


def _events(output: str) -> Iterator[dict[str, str]]:
    for line in output.splitlines():
        if line.startswith("{"):
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                continue
