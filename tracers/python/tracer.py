"""Counts which API methods a downstream project's unit tests call, in an environment of its own."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from abs_audit.errors import ControlFailedError
from abs_audit.interfaces import BuildSettings, DownstreamCounts
from abs_audit.languages.python.toolchain.declarations import locked_versions
from abs_audit.languages.python.toolchain.environment import LENIENT, PythonEnvironment, source_roots
from abs_audit.languages.python.toolchain.pytest_settings import options, test_folders
from abs_audit.languages.python.toolchain.requirements import for_tests
from abs_audit.model.experiment import Command, Execution, Workspace
from abs_audit.tracers.python.definitions import definitions
from abs_audit.tracers.recorded import TESTING, RecordedCalls, last_lines, records, tests_told

RECORDER = Path(__file__).parent / "recorder"
TEST_LIMIT_S = 600.0
"""After so long the tests are interrupted, and what they called by then counts."""
ENDING_S = 120.0
"""For the report of tests that were interrupted; then they are killed."""
OUT_OF_TIME = "out-of-time"
"""What the recorder leaves where it interrupted the tests."""


class PythonTracer:
    """Runs pytest with a recorder that every interpreter of the test run loads."""

    side_by_side = True

    def release(self, workspace: Workspace, given: str, settings: BuildSettings) -> Sequence[Command]:
        """Return nothing: source archives on the index hardly ever hold the unit tests."""
        return ()

    def prepare(self, workspace: Workspace, library: Path, settings: BuildSettings) -> Sequence[Command]:
        """Compose an environment with the downstream, its test requirements and the library's copy."""
        environment = _environment(workspace, settings)
        declared = for_tests(workspace.tree)
        return (
            *environment.installation([*declared.required, "pytest"], declared.optional, _pins(workspace)),
            environment.addition(LENIENT, ["--no-deps", str(library)]),
        )

    def command(self, workspace: Workspace, library: Path, settings: BuildSettings) -> Command:
        """Compose the test run; a failing test does not spoil its trace."""
        environment = _environment(workspace, settings)
        *roots, whole = source_roots(library)
        # The library's folder comes last: its own `tests` must not hide those of the downstream.
        paths = [RECORDER, *roots, *source_roots(workspace.tree), whole]
        return Command(
            argv=(
                *(environment.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
                *("--continue-on-collection-errors", f"--junitxml={_report(workspace)}"),
                *options(workspace.tree),
                *test_folders(workspace.tree),
            ),
            cwd=workspace.tree,
            env=environment.environment()
            | {
                "PYTHONPATH": ":".join(map(str, paths)),
                "PYTHONHASHSEED": "0",
                "ABS_AUDIT_RECORD": str(records(workspace)),
                "ABS_AUDIT_TESTS_S": f"{TEST_LIMIT_S:g}",
                "ABS_AUDIT_REPORT": str(_report(workspace)),
                "ABS_AUDIT_LIBRARY": f"{library.resolve()}/",
                "ABS_AUDIT_DOWNSTREAM": f"{workspace.tree.resolve()}/",
            },
            limit_s=TEST_LIMIT_S + ENDING_S,
            purpose=TESTING,
        )

    def counts(self, workspace: Workspace, methods: Sequence[str], execution: Execution) -> DownstreamCounts:
        """Read what the recorder left; raise ControlFailedError where not a single test ran."""
        passed, failed = _tests(_report(workspace), execution)
        wanted = set(methods)
        recorded = RecordedCalls()
        for method, record in _calls(records(workspace)):
            if method in wanted:
                recorded.count(method, record["counts"])
                recorded.saw(method, record["samples"])
        interrupted = (records(workspace) / OUT_OF_TIME).exists()
        return recorded.counts(passed, failed, TEST_LIMIT_S if interrupted else None)


def _environment(workspace: Workspace, settings: BuildSettings) -> PythonEnvironment:
    """Return an environment of the downstream's own, whatever the user measures the library with."""
    return PythonEnvironment(workspace=workspace, settings=replace(settings, interpreter=None))


def _pins(workspace: Workspace) -> tuple[str, ...]:
    """Return pip's options for the versions that the downstream locked, nothing where it locked none."""
    versions = locked_versions(workspace.tree)
    if not versions:
        return ()
    workspace.results.mkdir(parents=True, exist_ok=True)
    path = workspace.results / "constraints.txt"
    path.write_text("".join(f"{line}\n" for line in versions), encoding="utf-8")
    return "-c", str(path)


def _report(workspace: Workspace) -> Path:
    return workspace.results / "tests.xml"


def _tests(report: Path, execution: Execution) -> tuple[int, int]:
    """Return how many tests passed and failed."""
    last = last_lines(execution.log.strip().splitlines())
    if execution.timed_out or not report.exists():
        ending = "ran into the time limit" if execution.timed_out else f"exit code {execution.exit_code}"
        raise ControlFailedError(
            f"its unit tests did not run to their end ({ending}); the last they said:\n{last}"
        )
    root = ElementTree.parse(report).getroot()  # noqa: S314 - written by pytest
    total, failed, skipped = tests_told(root.iter("testsuite"))
    if total == 0:
        raise ControlFailedError(f"its test run collected no test; the last it said:\n{last}")
    if total == failed + skipped:
        raise ControlFailedError(
            f"not one of its {total} tests passed, so what they called says nothing; "
            f"the last they said:\n{last}\n"
            "a downstream whose tests pass is needed; packages that they need: its own requirement files"
        )
    return total - failed - skipped, failed


def _calls(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every record with the id of the method that it counts."""
    named: dict[str, dict[tuple[str, int], str]] = {}
    for path in sorted(folder.glob("calls-*.json")):
        for record in json.loads(path.read_text(encoding="utf-8")):
            file = record["file"]
            if file not in named:
                named[file] = definitions(Path(file))
            method = named[file].get((record["name"], record["line"]))
            if method is not None:
                yield method, record
