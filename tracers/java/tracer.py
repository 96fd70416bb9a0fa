"""Counts which API methods a downstream project's unit tests call, through an agent in their JVMs."""

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from abs_audit.errors import ControlFailedError
from abs_audit.interfaces import BuildSettings, DownstreamCounts
from abs_audit.languages.java.toolchain.class_path import own_classes
from abs_audit.languages.java.toolchain.gradle import GradleEnvironment
from abs_audit.languages.java.toolchain.ids import Ids
from abs_audit.languages.java.toolchain.maven import MavenEnvironment
from abs_audit.model.experiment import Command, Execution, Workspace
from abs_audit.tracers.java.gradle_tests import BUILD_FILES, GradleTests
from abs_audit.tracers.java.maven_tests import MavenTests
from abs_audit.tracers.recorded import RecordedCalls, none_ran, records, tests_told

AGENT = Path(__file__).parent / "agent"
REPORTS = ("surefire-reports/TEST-*.xml", "build/test-results/**/TEST-*.xml")
EPILOGUES = ("[ERROR] To see the full stack trace", "* Try:")
"""Begin what Maven and Gradle say of any failure."""


class JavaTracer:
    """Has the downstream use the library's copy, and runs its tests with the agent."""

    # All of them install the library in one local repository.
    side_by_side = False

    def release(self, workspace: Workspace, given: str, settings: BuildSettings) -> Sequence[Command]:
        """Return nothing: a repository of artefacts holds no unit tests."""
        return ()

    def prepare(self, workspace: Workspace, library: Path, settings: BuildSettings) -> Sequence[Command]:
        """Compose the agent, what has the library take the place of a release, and compiling the tests."""
        tests, agent = _tests_of(workspace, settings), workspace.root / "agent"
        shutil.rmtree(agent, ignore_errors=True)
        shutil.copytree(AGENT, agent)
        packages = {name.rpartition("/")[0].replace("/", ".") for name in own_classes(library)}
        _packages(workspace).write_text("\n".join(sorted(packages)), encoding="utf-8")
        maven = MavenEnvironment(workspace=workspace, settings=settings)
        return (maven.maven(agent, ["package"], "building the recorder"), *tests.preparing(library))

    def command(self, workspace: Workspace, library: Path, settings: BuildSettings) -> Command:
        """Compose the test run; a failing test does not spoil its trace."""
        composed = _tests_of(workspace, settings).testing()
        agent = f"-javaagent:{workspace.root / 'agent' / 'target' / 'tracer.jar'}"
        variables = {
            "JAVA_TOOL_OPTIONS": f"{composed.env.get('JAVA_TOOL_OPTIONS', '')} {agent}".strip(),
            "ABS_AUDIT_RECORD": str(records(workspace)),
            "ABS_AUDIT_DOWNSTREAM": str(workspace.tree.resolve()),
            "ABS_AUDIT_PACKAGES": str(_packages(workspace)),
        }
        return replace(composed, env={**composed.env, **variables}, network=False)

    def counts(self, workspace: Workspace, methods: Sequence[str], execution: Execution) -> DownstreamCounts:
        """Read what the agents left; raise ControlFailedError where not a single test ran."""
        reports = (path for pattern in REPORTS for path in workspace.tree.rglob(pattern))
        passed, failed = _counted(reports, execution)
        ids = Ids(methods)
        recorded = RecordedCalls()
        for path in sorted(records(workspace).glob("calls-*.tsv")):
            for line in path.read_text(encoding="utf-8").splitlines():
                owner, name, descriptor, *rest = line.split("\t")
                method = ids.find(owner, name, descriptor)
                if method is not None:
                    recorded.count(method, map(int, rest[:3]))
                    recorded.saw(method, rest[3:])
        return recorded.counts(passed, failed)


def _packages(workspace: Workspace) -> Path:
    return workspace.root / "packages.txt"


def _tests_of(workspace: Workspace, settings: BuildSettings) -> MavenTests | GradleTests:
    """Return what executes a project's unit tests; raise ControlFailedError where nothing is known to."""
    if (workspace.tree / "pom.xml").is_file():
        return MavenTests(environment=MavenEnvironment(workspace=workspace, settings=settings))
    if any((workspace.tree / name).is_file() for name in BUILD_FILES):
        return GradleTests(environment=GradleEnvironment(workspace=workspace, settings=settings))
    raise ControlFailedError("expected a Maven or Gradle project: a pom.xml or build.gradle at its root")


def _counted(reports: Iterable[Path], execution: Execution) -> tuple[int, int]:
    """Return how many tests passed and failed; raise ControlFailedError where none ran."""
    roots = (ElementTree.parse(path).getroot() for path in reports)  # noqa: S314 - written by build tools
    total, failed, skipped = tests_told(roots)
    if total == 0:
        said = execution.log
        for epilogue in EPILOGUES:
            said = said.partition(epilogue)[0]
        raise none_ran(execution, said.strip().splitlines())
    return total - failed - skipped, failed
