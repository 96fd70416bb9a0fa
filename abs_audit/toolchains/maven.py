"""Finds a JDK and Maven, and composes what builds the modules of a Maven project that hold JMH benchmarks."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from abs_audit.errors import UnfitEnvironmentError, UsageError
from abs_audit.model.experiment import Command, Workspace
from abs_audit.toolchains.maven_poms import benchmark_modules, complete_poms, overrides, profiles

BUILD_LIMIT_S = 3600.0
CLASS_PATH = "target/abs-audit-classpath.txt"
DEPENDENCY_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
# What would reject a copy for its looks, or takes time and makes nothing that is measured.
SWITCHED_OFF = (
    "skipTests",
    "animal.sniffer.skip",
    "checkstyle.skip",
    "cpd.skip",
    "enforcer.skip",
    "forbiddenapis.skip",
    "gpg.skip",
    "jacoco.skip",
    "japicmp.skip",
    "license.skip",
    "license.skipCheckLicense",
    "maven.javadoc.skip",
    "maven.source.skip",
    "pmd.skip",
    "rat.skip",
    "revapi.skip",
    "spotbugs.skip",
    "spotless.check.skip",
    "spotless.apply.skip",
    "sortpom.skip",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MavenEnvironment:
    """The JDK, Maven and the variables under which a workspace's subject is built and run."""

    workspace: Workspace
    interpreter: str | None
    """The user's own `java`; None: find one."""
    variables: Mapping[str, str]
    """The user's own additions."""
    image: str | None = None
    """The container image whose JDK and Maven they are; None: those of this machine."""

    @property
    def java(self) -> str:
        """The java command; raise UnfitEnvironmentError where there is none."""
        return self._tool("java")

    @property
    def javac(self) -> str:
        """The compiler beside it."""
        return self._tool("javac")

    def _tool(self, name: str) -> str:
        return name if self.image else str(java_home(self.interpreter) / "bin" / name)

    @property
    def _repository(self) -> Path:
        """What Maven fetched: for all workspaces, but for those of containers, which share nothing."""
        return (self.workspace.root if self.image else self.workspace.root.parents[1]) / "maven"

    def environment(self) -> dict[str, str]:
        """Return the variables of building and running."""
        home = {} if self.image else {"JAVA_HOME": str(java_home(self.interpreter))}
        return {
            "HOME": str(self.workspace.home),
            **home,
            **self.variables,
        }

    def _common(self, folder: Path) -> tuple[str, ...]:
        """Return mvn with the options that all commands in a folder have."""
        return (
            "mvn" if self.image else find_maven(),
            "--batch-mode",
            "--no-transfer-progress",
            f"-Dmaven.repo.local={self._repository}",
            *(f"-D{name}=true" for name in SWITCHED_OFF),
            *(f"-D{name}={value}" for name, value in overrides(folder).items()),
        )

    def _own_settings(self) -> dict[str, str]:
        """Return where the user's own settings for Maven lie; a container has none but the image's."""
        return {} if self.image else {"HOME": str(Path.home())}

    def maven(
        self, folder: Path, arguments: Sequence[str], purpose: str, limit_s: float = BUILD_LIMIT_S
    ) -> Command:
        """Compose a Maven command for any project; options given later win over the common ones."""
        return Command(
            argv=(*self._common(folder), *arguments),
            cwd=folder,
            env=self.environment() | self._own_settings(),
            limit_s=limit_s,
            results=None,
            network=True,
            purpose=purpose,
        )

    def modules(self) -> tuple[str, ...]:
        """Return the folders of the modules that use JMH, `.` for the root."""
        return tuple(benchmark_modules(self.workspace.tree))

    def class_path(self, module: str) -> str:
        """Return the class path of a module's benchmarks once it is built."""
        folder = self.workspace.tree / module
        listed = folder / CLASS_PATH
        entries = [str(folder / "target" / name) for name in ("classes", "test-classes")]
        if listed.is_file():
            entries.append(listed.read_text(encoding="utf-8").strip())
        return os.pathsep.join(entries)

    def building(self) -> Iterator[Command]:
        """Yield the build with network, which fetches all that is missing, and the one without."""
        if not (self.workspace.tree / "pom.xml").is_file():
            raise UsageError(
                f"{self.workspace.tree.name}: expected a pom.xml at the root; Gradle projects are not built "
                "yet: give it a pom.xml, or audit a Maven project"
            )
        complete_poms(self.workspace.tree, self.modules())
        arguments = [
            *self._common(self.workspace.tree),
            "--projects",
            ",".join(self.modules()),
            "--also-make",
            *(f"--activate-profiles={name}" for name in profiles(self.workspace.tree, self.modules())),
            "package",
            DEPENDENCY_PLUGIN,
            f"-Dmdep.outputFile={CLASS_PATH}",
            "-Dmdep.includeScope=test",
        ]
        for network in (True, False):
            yield Command(
                argv=(*arguments, *(() if network else ("--offline",))),
                cwd=self.workspace.tree,
                env=self.environment() | (self._own_settings() if network else {}),
                limit_s=BUILD_LIMIT_S,
                results=None,
                network=network,
                purpose="fetching what the build needs" if network else "building the benchmarks",
            )


def java_home(named: str | None) -> Path:
    """Return the folder of a JDK: of the user's own java, of JAVA_HOME, or of the java on the PATH."""
    candidates = [shutil.which(named)] if named else []
    if not named:
        home = os.environ.get("JAVA_HOME")
        candidates = [shutil.which("java", path=f"{home}/bin")] if home else []
        candidates.append(shutil.which("java"))
    for found in filter(None, candidates):
        folder = Path(found).resolve().parents[1]
        if (folder / "bin" / "javac").exists():
            return folder
    where = f"interpreter {named!r}" if named else "JAVA_HOME and PATH"
    raise UnfitEnvironmentError(
        f"{where}: expected a JDK with java and javac, found none; "
        "install one (Debian: openjdk-17-jdk-headless), or name its java with `interpreter` in abs-audit.toml"
    )


def find_maven() -> str:
    """Return the mvn command; raise UnfitEnvironmentError where there is none."""
    found = shutil.which("mvn")
    if found is None:
        raise UnfitEnvironmentError(
            "expected Maven (mvn) on the PATH, found none; install it (Debian: maven); "
            "see what is there with: abs-audit doctor"
        )
    return found
