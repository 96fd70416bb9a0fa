"""Composes how a Maven project's unit tests are executed with the audited version of a library."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from abs_audit.errors import UsageError
from abs_audit.languages.java.toolchain.extensions import keep_quiet
from abs_audit.languages.java.toolchain.maven import MavenEnvironment
from abs_audit.languages.java.toolchain.poms import join, poms
from abs_audit.model.experiment import Command
from abs_audit.tracers.recorded import FETCHING, TEST_LIMIT_S, TESTING

# What cannot be installed is said in the log: then the version that the downstream names itself is traced.
LENIENT = '"$@" || echo "abs-audit: the library could not be installed; the released one is traced" >&2'
RUNNING = ("--fail-at-end", "-DskipTests=false", "-Dmaven.test.failure.ignore=true")
# Surefire looks only then for what executes a project's kind of tests, when it is about to execute some.
NO_TEST = ("-Dtest=*#noTestIsCalledThis", "-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false")
NOT_COPIED = shutil.ignore_patterns(".git", "target", "node_modules")


@dataclass(frozen=True, slots=True, kw_only=True)
class MavenTests:
    """Installs the library, and tells the downstream to use it."""

    environment: MavenEnvironment

    def preparing(self, library: Path) -> Iterator[Command]:
        """Yield what installs the library, and what compiles the tests."""
        workspace = self.environment.workspace
        copy = workspace.root / "library"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(library, copy, ignore=NOT_COPIED, symlinks=True)
        for folder in (copy, workspace.tree):
            keep_quiet(folder)
        if (library / "pom.xml").is_file():
            _point_at(workspace.tree, library)
        install = self.environment.maven(copy, ["--fail-at-end", *_projects(copy), "install"], FETCHING)
        yield replace(install, argv=("sh", "-c", LENIENT, "sh", *install.argv))
        yield self.environment.maven(workspace.tree, [*RUNNING, *NO_TEST, "test"], FETCHING)

    def testing(self) -> Command:
        """Compose the test run."""
        tree = self.environment.workspace.tree
        return self.environment.maven(tree, [*RUNNING, "test"], TESTING, limit_s=TEST_LIMIT_S)


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
        join(pom, pom.project.iter("dependency"), coordinates)
        pom.write(downstream)
