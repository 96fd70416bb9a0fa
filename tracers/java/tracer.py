"""Counts which API methods a downstream Maven project's unit tests call, through an agent in their JVMs."""

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from abs_audit.errors import ControlFailedError, UsageError
from abs_audit.interfaces import BuildSettings, DownstreamCounts
from abs_audit.languages.java.toolchain.class_path import own_classes
from abs_audit.languages.java.toolchain.ids import Ids
from abs_audit.languages.java.toolchain.maven import MavenEnvironment
from abs_audit.languages.java.toolchain.poms import join, poms
from abs_audit.model.experiment import Command, Execution, Workspace
from abs_audit.tracers.recorded import FETCHING, RecordedCalls, none_ran, records, tests_told

AGENT = Path(__file__).parent / "agent"
TEST_LIMIT_S = 1800.0
# What cannot be installed is said in the log: then the version that the downstream names itself is traced.
LENIENT = '"$@" || echo "abs-audit: the library could not be installed; the released one is traced" >&2'
TESTING = ("--fail-at-end", "-DskipTests=false", "-Dmaven.test.failure.ignore=true")
# Surefire looks only then for what executes a project's kind of tests, when it is about to execute some.
NO_TEST = ("-Dtest=*#noTestIsCalledThis", "-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false")
EPILOGUE = "[ERROR] To see the full stack trace"
"""Begins what Maven says of any failure."""
NOT_COPIED = shutil.ignore_patterns(".git", "target", "node_modules")


class JavaTracer:
    """Installs the library, tells the downstream to use it, and runs its tests with the agent."""

    # All of them install the library in one local repository.
    side_by_side = False

    def release(self, workspace: Workspace, given: str, settings: BuildSettings) -> Sequence[Command]:
        """Return nothing: a repository of artefacts holds no unit tests."""
        return ()

    def prepare(self, workspace: Workspace, library: Path, settings: BuildSettings) -> Sequence[Command]:
        """Compose the agent, the installation of the library, and the compiling of the tests."""
        if not (workspace.tree / "pom.xml").is_file():
            raise ControlFailedError("expected a Maven project with a pom.xml at its root")
        environment = MavenEnvironment(workspace=workspace, settings=settings)
        agent, copy = workspace.root / "agent", workspace.root / "library"
        for source, target in ((AGENT, agent), (library, copy)):
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target, ignore=NOT_COPIED, symlinks=True)
        packages = {name.rpartition("/")[0].replace("/", ".") for name in own_classes(library)}
        _packages(workspace).write_text("\n".join(sorted(packages)), encoding="utf-8")
        _point_at(workspace.tree, library)
        install = environment.maven(copy, ["--fail-at-end", *_projects(copy), "install"], FETCHING)
        return (
            environment.maven(agent, ["package"], "building the recorder"),
            replace(install, argv=("sh", "-c", LENIENT, "sh", *install.argv)),
            environment.maven(workspace.tree, [*TESTING, *NO_TEST, "test"], FETCHING),
        )

    def command(self, workspace: Workspace, library: Path, settings: BuildSettings) -> Command:
        """Compose the test run; a failing test does not spoil its trace."""
        composed = MavenEnvironment(workspace=workspace, settings=settings).maven(
            workspace.tree, [*TESTING, "test"], "running the unit tests", limit_s=TEST_LIMIT_S
        )
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
        passed, failed = _tests(workspace.tree, execution)
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


def _projects(copy: Path) -> list[str]:
    """Leave out modules that only measure or show: nobody depends on them."""
    folders = [pom.folder for pom in poms(copy) if re.search(r"(benchmark|jmh|example|-it$)", pom.folder)]
    return ["--projects", ",".join(f"!{folder}" for folder in folders)] if folders else []


def _point_at(downstream: Path, library: Path) -> None:
    """Have the downstream's copy depend on the audited version, wherever its poms name another."""
    named = (pom for pom in poms(library) if all((*pom.coordinates, pom.version)))
    coordinates = {pom.coordinates: pom.version for pom in named}
    if not coordinates:
        raise UsageError(
            "the library's pom.xml tells no coordinates: expected groupId, artifactId and version"
        )
    for pom in poms(downstream):
        join(pom, coordinates)
        pom.write(downstream)


def _tests(tree: Path, execution: Execution) -> tuple[int, int]:
    """Return how many tests passed and failed; raise ControlFailedError where none ran."""
    reports = tree.rglob("surefire-reports/TEST-*.xml")
    roots = (ElementTree.parse(path).getroot() for path in reports)  # noqa: S314 - written by surefire
    total, failed, skipped = tests_told(roots)
    if total == 0:
        raise none_ran(execution, execution.log.partition(EPILOGUE)[0].strip().splitlines())
    return total - failed - skipped, failed
