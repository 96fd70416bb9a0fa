"""Finds a JDK, and the variables under which what it starts runs."""

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from abs_audit.errors import UnfitEnvironmentError
from abs_audit.languages.environment import Environment
from abs_audit.languages.files import file_text
from abs_audit.languages.java.toolchain.poms import usual_level
from abs_audit.model.experiment import Command

BUILD_LIMIT_S = 3600.0
PROFILER = "tools.profiler:async-profiler:4.2"
OWN_SETTINGS = [
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".m2/toolchains.xml",
    ".mavenrc",
    ".jdks",
    ".sdkman",
]
"""What Maven and Gradle read of a user, below the home folder."""

ELSEWHERE = (
    "where the build tool or a package cannot be had here, say in [java] of abs-audit.toml what is "
    "compiled, with which class path: it is measured without the build tool then (docs/configuration.md)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaEnvironment(Environment):
    """The JDK and the variables under which a workspace's subject is built and run."""

    def stack_profiler(self) -> tuple[str, ...]:
        """Return what the class path needs besides, so that stacks can be looked at, if it was to be had."""
        return ()

    @property
    def home(self) -> Path:
        """The folder of the JDK; raises UnfitEnvironmentError where there is none.

        It is a newer one beside the user's own where that cannot compile what the project asks for.
        """
        named = self.settings.interpreter
        own = java_home(named)
        return own if named else newer(usual_level(self.workspace.tree), own) or own

    def tool(self, name: str) -> str:
        """Return the command of a JDK, such as javac; raise UnfitEnvironmentError where there is none."""
        return name if self.settings.image else str(self.home / "bin" / name)

    def environment(self) -> dict[str, str]:
        """Return the variables of building and running."""
        home = {} if self.settings.image else {"JAVA_HOME": str(self.home)}
        return {"HOME": str(self.workspace.home), **home, **self._own_folders(), **self.settings.environment}

    def _own_folders(self) -> dict[str, str]:
        """Return what keeps files of JVMs, which know neither HOME nor TMPDIR, in the workspace."""
        if self.settings.image:
            return {}
        folder = self.workspace.temporary
        temporary = f" -Djava.io.tmpdir={folder} -XX:-UsePerfData" if folder.is_dir() else ""
        return {"JAVA_TOOL_OPTIONS": f"-Duser.home={self.workspace.home}{temporary}"}

    def settle_in(self) -> None:
        """Let build tools find the user's settings in the home that they have here; a container has none."""
        for name in () if self.settings.image else OWN_SETTINGS:
            own, here = Path.home() / name, self.workspace.home / name
            if own.exists() and not here.exists():
                here.parent.mkdir(parents=True, exist_ok=True)
                here.unlink(missing_ok=True)
                here.symlink_to(own)

    def fetching(
        self, argv: Iterable[str], folder: Path, purpose: str, limit_s: float = BUILD_LIMIT_S
    ) -> Command:
        """Compose a command of a build tool, for any project, that fetches what it needs."""
        self.settle_in()
        return Command(
            argv=tuple(argv),
            cwd=folder,
            env=self.environment(),
            limit_s=limit_s,
            network=True,
            purpose=purpose,
        )

    def builds(self, arguments: Sequence[str], level: int = 0) -> Iterator[Command]:
        """Yield a build with network, which fetches all that is missing, and the same without.

        `level`: of Java, that the project asks for. Maven and Gradle both know `--offline`.
        """
        self.settle_in()
        missing = "" if self.settings.image else enough_for(level, self.home)
        for network in (True, False):
            yield Command(
                argv=(*arguments, *(() if network else ("--offline",))),
                cwd=self.workspace.tree,
                env=self.environment(),
                limit_s=BUILD_LIMIT_S,
                network=network,
                if_needed=network,
                purpose="fetching what the build needs" if network else "building the benchmarks",
                advice="\n".join(filter(None, (missing, ELSEWHERE))) if network else "",
            )


def java_home(named: str | None) -> Path:
    """Return the folder of a JDK: of the user's own java, of JAVA_HOME, or of the java on the PATH."""
    home = os.environ.get("JAVA_HOME")
    usual = [shutil.which("java", path=f"{home}/bin") if home else None, shutil.which("java")]
    for executable in filter(None, [shutil.which(named)] if named else usual):
        folder = Path(executable).resolve().parents[1]
        if (folder / "bin" / "javac").exists():
            return folder
    where = f"interpreter {named!r}" if named else "JAVA_HOME and PATH"
    raise UnfitEnvironmentError(
        f"{where}: expected a JDK with java and javac, found none; "
        "install one (Debian: openjdk-17-jdk-headless), or name its java with `interpreter` in abs-audit.toml"
    )


def newer(level: int, home: Path) -> Path | None:
    """Return a JDK beside another one, for a level of Java that is above its own; None: there is none."""
    if not 0 < _version(home) < level:
        return None
    beside = (folder for folder in sorted(home.parent.iterdir()) if _version(folder) >= level)
    return next((folder for folder in beside if (folder / "bin" / "javac").exists()), None)


def enough_for(level: int, home: Path) -> str:
    """Return how to build what asks for a level of Java above that of a JDK; empty where it is enough."""
    version, beside = _version(home), newer(level, home)
    if not 0 < version < level:
        return ""
    advice = f"use --interpreter {beside or 'PATH'}/bin/java"
    told = f"it asks for Java {level}, and {home} is a JDK {version}: "
    return f"{told}{advice}" if beside else f"{told}install a newer one and {advice}"


def _version(home: Path) -> int:
    """Return the version of a JDK, such as 17; 0 where it does not tell."""
    told = re.search(r'(?m)^JAVA_VERSION="(?:1\.)?(\d+)', file_text(home / "release"))
    return int(told[1]) if told else 0


def listed_path(file: Path) -> list[str]:
    """Return the entries of a class path that a build wrote down; none where it did not."""
    text = file_text(file).strip()
    return text.split(os.pathsep) if text else []
