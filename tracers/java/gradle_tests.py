"""Composes how a Gradle project's unit tests are executed with the audited version of a library."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from abs_audit.languages.java.toolchain.gradle import GradleEnvironment
from abs_audit.languages.java.toolchain.jdk import BUILD_LIMIT_S
from abs_audit.model.experiment import Command
from abs_audit.tracers.recorded import FETCHING, TEST_LIMIT_S, TESTING

SCRIPT = Path(__file__).with_name("testing.gradle")
BUILD_FILES = ("settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts")
CLASSES = ("target/classes", "build/classes/*/main", "build/resources/main")
"""Where Maven and Gradle leave what they compile, below the folder of a module."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GradleTests:
    """Puts the classes of the library first on the class path of the tests."""

    environment: GradleEnvironment

    def preparing(self, library: Path) -> Iterator[Command]:
        """Copy what was compiled of the library, and yield what compiles the tests."""
        shutil.rmtree(self._library, ignore_errors=True)
        built = (folder for pattern in CLASSES for folder in sorted(library.rglob(pattern)))
        for number, folder in enumerate(built):
            shutil.copytree(folder, self._library / str(number))
        yield self._gradle("absAuditTestClasses", purpose=FETCHING)

    def testing(self) -> Command:
        """Compose the test run."""
        return self._gradle("--offline", "test", purpose=TESTING, limit_s=TEST_LIMIT_S)

    @property
    def _library(self) -> Path:
        return self.environment.workspace.root / "library"

    def _gradle(self, *arguments: str, purpose: str, limit_s: float = BUILD_LIMIT_S) -> Command:
        folders = map(str, sorted(self._library.iterdir())) if self._library.is_dir() else ()
        library = f"-Dabs-audit.library={os.pathsep.join(folders)}"
        return self.environment.gradle(SCRIPT, [library, "--continue", *arguments], purpose, limit_s)
