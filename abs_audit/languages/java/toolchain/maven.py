"""Finds Maven, and composes what builds the modules of a Maven project that hold JMH benchmarks."""

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from abs_audit.advising import advised
from abs_audit.errors import UnfitEnvironmentError
from abs_audit.languages.java.toolchain.extensions import keep_quiet
from abs_audit.languages.java.toolchain.jdk import BUILD_LIMIT_S, PROFILER, JavaEnvironment, listed_path
from abs_audit.languages.java.toolchain.poms import complete_poms, level, overrides
from abs_audit.languages.java.toolchain.reactor import aggregated, benchmark_modules, needs_tests, profiles
from abs_audit.model.experiment import Command

CLASS_PATH = "target/abs-audit-classpath.txt"
GENERATED = "target/abs-audit-jmh"
"""What JMH's processor made after a build that left it out."""
PROCESSING = Path(__file__).with_name("processing.sh")
QUICKLY = "-XX:TieredStopAtLevel=1"
"""A build ends before its own code is compiled well: that took more than half of commons-lang's."""
NO_PROCESSOR = "expected jmh-generator-annprocess among what the module with the benchmarks depends on"
# Takes a newer Maven where a plugin refuses the one that was found.
SCRIPT = Path(__file__).with_name("maven.sh")
DEPENDENCY_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
LISTER, GETTER = f"{DEPENDENCY_PLUGIN}:build-classpath", f"{DEPENDENCY_PLUGIN}:get"
# Short calls are told by the clock alone without it.
UNLESS_THERE = '[ -e "$0" ] || "$@" || echo "abs-audit: no stack profiler is to be had here" >&2'
# What would reject a copy for its looks or for the lack of a repository, or takes time and makes nothing that
# is measured.
SWITCHED_OFF = """animal.sniffer checkstyle cpd cyclonedx enforcer fmt forbiddenapis formatter gpg impsort
jacoco japicmp license maven.gitcommitid maven.javadoc maven.source pmd rat revapi sortpom spdx spotbugs
spotless.apply spotless.check spring-javaformat"""
# These set the skip of each check by a property of their own. That of dependencies skips what lists the class
# path, too; as a check that may not fail it is none.
PARENTS = ("air", "basepom")
CHECKS = ("skip-all=true", "skip-dependency=false", "fail-dependency=false")


@dataclass(frozen=True, slots=True, kw_only=True)
class MavenEnvironment(JavaEnvironment):
    """The JDK, Maven and the variables under which a workspace's subject is built and run."""

    def _common(self, folder: Path) -> tuple[str, ...]:
        """Return mvn with the options that all commands in a folder have."""
        return (
            *(("mvn",) if self.settings.image else self._found(folder)),
            "--batch-mode",
            "--no-transfer-progress",
            f"-Dmaven.repo.local={self.fetched('maven')}",
            *("-DskipTests=true", "-Dlicense.skipCheckLicense=true"),
            # A plugin that puts more into a jar must not find there what it put into it in the build before.
            "-Dmaven.jar.forceCreation=true",
            *(f"-D{parent}.check.{switch}" for parent in PARENTS for switch in CHECKS),
            *(f"-D{name}.skip=true" for name in SWITCHED_OFF.split()),
            *(f"-D{name}={value}" for name, value in overrides(folder).items()),
        )

    def _found(self, folder: Path) -> tuple[str, ...]:
        """Return what starts Maven; a project's own wrapper knows itself which Maven it needs."""
        maven = find_maven(folder)
        if len(maven) > 1:
            return maven
        kept, mark = self.fetched("maven").parent, self.workspace.root / "needs-newer-maven"
        return ("sh", str(SCRIPT), str(kept), str(mark), *maven)

    def environment(self) -> dict[str, str]:
        """Return the variables of building and running; a project's own Maven is fetched once."""
        own = {"MAVEN_USER_HOME": str(self.fetched("mavens")), "MAVEN_OPTS": QUICKLY}
        return {**own, **super(MavenEnvironment, self).environment()}

    def maven(
        self, folder: Path, arguments: Sequence[str], purpose: str, limit_s: float = BUILD_LIMIT_S
    ) -> Command:
        """Compose a Maven command for any project; options given later win over the common ones."""
        return self.fetching([*self._common(folder), *arguments], folder, purpose, limit_s)

    def modules(self) -> tuple[str, ...]:
        """Return the folders of the modules that use JMH, `.` for the root."""
        return tuple(benchmark_modules(self.workspace.tree))

    def class_path(self, module: str) -> str:
        """Return the class path of a module's benchmarks once it is built."""
        folder = self.workspace.tree / module
        entries = [str(folder / name) for name in ("target/classes", "target/test-classes", GENERATED)]
        return os.pathsep.join([*entries, *listed_path(folder / CLASS_PATH)])

    def stack_profiler(self) -> tuple[str, ...]:
        """Return where async-profiler lies, once it is fetched."""
        group, artifact, version = PROFILER.split(":")
        folder = self.fetched("maven").joinpath(*group.split("."), artifact, version)
        return (str(folder / f"{artifact}-{version}.jar"),)

    def profiling(self) -> Command:
        """Compose what fetches it, unless it is there."""
        arguments = ["--non-recursive", GETTER, f"-Dartifact={PROFILER}", "-Dtransitive=false"]
        getting = self.maven(self.workspace.tree, arguments, "fetching a profiler")
        return replace(getting, argv=("sh", "-c", UNLESS_THERE, *self.stack_profiler(), *getting.argv))

    def building(self) -> Iterator[Command]:
        """Yield the build with network, which fetches what is missing, the one without, and JMH's part."""
        tree, modules = self.workspace.tree, self.modules()
        complete_poms(tree, modules)
        keep_quiet(tree)
        for module in modules:
            _remove_generated(tree / module)
        aggregator, named = aggregated(tree, modules), profiles(tree, modules)
        arguments = [
            *self._common(tree),
            *([f"--file={aggregator}"] if aggregator else []),
            "--projects",
            ",".join(modules),
            "--also-make",
            *(f"--activate-profiles={name}" for name in named),
            # One that is there for benchmarks may execute them, too.
            *(["-Dexec.skip=true"] if named else []),
            *(() if needs_tests(tree, modules) else ("-Dmaven.test.skip=true",)),
            "package",
            # What could not be had once may be there now; else Maven remembers for a day that it was not.
            "--update-snapshots",
            LISTER,
            f"-Dmdep.outputFile={CLASS_PATH}",
            "-Dmdep.includeScope=test",
        ]
        yield self.profiling()
        yield from self.builds(arguments, level(tree))
        yield Command(
            # As text, since a container has no files of ours.
            argv=("sh", "-c", PROCESSING.read_text(encoding="utf-8"), "sh", self.tool("javac"), *modules),
            cwd=tree,
            env=self.environment(),
            limit_s=BUILD_LIMIT_S,
            purpose="looking for benchmarks in the classes",
            advice=NO_PROCESSOR,
        )


def _remove_generated(module: Path) -> None:
    """Remove the sources that JMH generated in an earlier build.

    Before 3.10 Maven's compiler plugin hands them to the compiler again, and JMH refuses to write them anew.
    """
    for folder in list((module / "target").glob("generated-*sources/*/**/jmh_generated")):
        shutil.rmtree(folder)


def find_maven(folder: Path) -> tuple[str, ...]:
    """Return what starts Maven: the mvn command, or what a project has of its own.

    Raise UnfitEnvironmentError where there is neither.
    """
    on_path = shutil.which("mvn")
    if on_path is not None:
        return (on_path,)
    if (folder / "mvnw").is_file():
        return ("sh", str(folder / "mvnw"))
    raise UnfitEnvironmentError(
        "expected Maven (mvn) on the PATH or mvnw in the checkout, found neither; "
        f"install it (Debian: maven); see what is there with: {advised('doctor')}"
    )
