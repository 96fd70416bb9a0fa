"""Composes what builds the modules of a Gradle project that hold JMH benchmarks, by its own Gradle."""

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from abs_audit.errors import UnfitEnvironmentError
from abs_audit.languages.files import file_text
from abs_audit.languages.java.toolchain.jdk import BUILD_LIMIT_S, PROFILER, JavaEnvironment, listed_path
from abs_audit.languages.java.toolchain.reactor import measures
from abs_audit.model.experiment import Command

SCRIPT = Path(__file__).parent / "class_path.gradle"
TASK = "absAuditClassPath"
CLASS_PATH = "build/abs-audit-classpath.txt"
_BUILD_FILES = ("build.gradle", "build.gradle.kts")
# What speaks for all modules; a version catalogue gives JMH any name.
_SHARED_FILES = (*_BUILD_FILES, "gradle/libs.versions.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class GradleEnvironment(JavaEnvironment):
    """The JDK, Gradle and the variables under which a workspace's subject is built and run."""

    def modules(self) -> tuple[str, ...]:
        """Return the folders of the modules that use JMH, `.` for the root."""
        return tuple(benchmark_modules(self.workspace.tree))

    def class_path(self, module: str) -> str:
        """Return the class path of a module's benchmarks once it is built."""
        return os.pathsep.join(listed_path(self.workspace.tree / module / CLASS_PATH))

    def building(self) -> Iterator[Command]:
        """Yield the build with network, which fetches all that is missing, and the one without."""
        yield from self.builds([*self._common(SCRIPT), f"-Dabs-audit.profiler={PROFILER}", TASK])

    def gradle(
        self, script: Path, arguments: Sequence[str], purpose: str, limit_s: float = BUILD_LIMIT_S
    ) -> Command:
        """Compose a command of Gradle's with an initialisation script, for any project."""
        return self.fetching([*self._common(script), *arguments], self.workspace.tree, purpose, limit_s)

    def _common(self, script: Path) -> tuple[str, ...]:
        """Return Gradle with the options that all commands have.

        The daemon and the configuration cache stay off: nothing of a build may outlive it, and the tasks of
        scripts belong to no project.
        """
        return (
            *self._found(),
            *("--no-daemon", "--console=plain", "-Dorg.gradle.configuration-cache=false"),
            *(f"--gradle-user-home={self.fetched('gradle')}", f"--init-script={script}"),
        )

    def _found(self) -> tuple[str, ...]:
        """Return the project's own Gradle, or the machine's; raise UnfitEnvironmentError without either."""
        if (self.workspace.tree / "gradlew").is_file():
            return ("sh", str(self.workspace.tree / "gradlew"))
        executable = "gradle" if self.settings.image else shutil.which("gradle")
        if executable is None:
            raise UnfitEnvironmentError(
                "expected gradlew in the checkout or Gradle (gradle) on the PATH, found neither; "
                "let the project have its own with: gradle wrapper"
            )
        return (executable,)


def benchmark_modules(tree: Path) -> list[str]:
    """Return the modules that have a source set for JMH, or sources that use it where a build names it."""
    shared = any("jmh" in file_text(tree / name) for name in _SHARED_FILES)
    modules = []
    for folder, below, _ in os.walk(tree):
        below[:] = sorted(set(below) - {"build", ".git", ".gradle", "node_modules"})
        if "src" in below:
            below.remove("src")
            build, module = "".join(file_text(Path(folder, name)) for name in _BUILD_FILES), Path(folder)
            if (build and (module / "src" / "jmh").is_dir()) or (
                (shared or "jmh" in build) and measures(module)
            ):
                modules.append(module.relative_to(tree).as_posix())
    return modules
