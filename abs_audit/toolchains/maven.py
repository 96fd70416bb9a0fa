"""Finds a JDK and Maven, and composes what builds the modules of a Maven project that hold JMH benchmarks."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from abs_audit.errors import UnfitEnvironmentError, UsageError
from abs_audit.model.experiment import Command, Workspace

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
# The first JMH that starts on JDK 17 by itself, and what older ones are replaced by where a property allows.
STARTS_ON_17 = Version("1.21")
REPLACEMENT = "1.37"
ANNOTATIONS = (
    "<dependency><groupId>javax.annotation</groupId><artifactId>javax.annotation-api</artifactId>"
    "<version>1.3.2</version></dependency>"
)
# The oldest language level that JDK 17 still compiles.
OLDEST_LEVEL = 8

_PROPERTY = re.compile(r"<([\w.-]+)>\s*([\w.-]+)\s*</\1>")
_PROPERTIES = re.compile(r"<properties>(.*?)</properties>", re.DOTALL)
_USES_JMH = re.compile(r"<artifactId>\s*jmh-core\s*</artifactId>")
_MANAGED = re.compile(r"<dependencyManagement>.*?</dependencyManagement>", re.DOTALL)
_IS_PARENT = re.compile(r"<packaging>\s*pom\s*</packaging>")
_LEVEL = re.compile(r"(1\.)?([5-7])")
_ABOUT_LEVEL = re.compile(r"java|jdk|source|target|release|compiler")
_ABOUT_JMH = re.compile(r"jmh")


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


def complete_poms(tree: Path, modules: Sequence[str]) -> None:
    """Give benchmarks of the days of Java 8 the annotations that left the JDK with Java 11.

    Writes into the copy's own pom.xml of each module: generated sources are marked with one of them.
    """
    if not _is_old(tree):
        return
    for module in modules:
        path = tree / module / "pom.xml"
        text = path.read_text(encoding="utf-8")
        managed = _MANAGED.search(text)
        place = next(
            (
                found.end()
                for found in re.finditer("<dependencies>", text)
                if managed is None or not managed.start() < found.start() < managed.end()
            ),
            None,
        )
        if place is not None and "javax.annotation-api" not in text:
            path.write_text(text[:place] + ANNOTATIONS + text[place:], encoding="utf-8")


def _is_old(tree: Path) -> bool:
    """Tell whether a project names a language level of at most 8."""
    return any(
        _ABOUT_LEVEL.search(name.lower()) and re.fullmatch(r"1\.[5-8]|[5-8]", value)
        for _, text in poms(tree)
        for name, value in _PROPERTY.findall(text)
    )


def poms(tree: Path) -> Iterator[tuple[str, str]]:
    """Yield the folder and the text of each pom.xml, the root's first."""
    for folder, below, names in os.walk(tree):
        below[:] = sorted(one for one in below if one not in {"target", "src", ".git", "node_modules"})
        if "pom.xml" in names:
            path = Path(folder, "pom.xml")
            text = re.sub(
                r"<!--.*?-->", "", path.read_text(encoding="utf-8", errors="replace"), flags=re.DOTALL
            )
            yield path.parent.relative_to(tree).as_posix(), text


def benchmark_modules(tree: Path) -> list[str]:
    """Return the modules that depend on JMH, not only manage its version.

    What a parent depends on, the modules below it inherit; those that use it are meant.
    """
    found, parents = [], list[str]()
    for folder, text in poms(tree):
        depends = _USES_JMH.search(_MANAGED.sub("", text)) is not None
        if _IS_PARENT.search(text):
            parents += [folder] if depends else []
        elif depends or (any(_is_below(folder, one) for one in parents) and _measures(tree / folder)):
            found.append(folder)
    return found


def _is_below(folder: str, parent: str) -> bool:
    return parent == "." or folder.startswith(f"{parent}/")


def _measures(module: Path) -> bool:
    """Tell whether a module's own sources use JMH."""
    sources = (module / "src").rglob("*.java")
    return any("org.openjdk.jmh" in path.read_text(encoding="utf-8", errors="replace") for path in sources)


def overrides(tree: Path) -> dict[str, str]:
    """Return properties to set: language levels that are too old to compile, JMH that is too old to start."""
    declared = {
        name: value
        for _, text in poms(tree)
        for block in _PROPERTIES.findall(text)
        for name, value in _PROPERTY.findall(block)
    }
    found: dict[str, str] = {}
    for name, value in declared.items():
        level = _LEVEL.fullmatch(value)
        if level and _ABOUT_LEVEL.search(name.lower()):
            found[name] = f"{level[1] or ''}{OLDEST_LEVEL}"
        elif _ABOUT_JMH.search(name.lower()) and _is_older(value):
            found[name] = REPLACEMENT
    # What Maven takes where a project says nothing, or says it in a way that older plugins do not know.
    usual = declared.get("maven.compiler.release", str(OLDEST_LEVEL))
    for name in ("maven.compiler.source", "maven.compiler.target"):
        if name not in declared:
            found[name] = usual
    return found


def _is_older(version: str) -> bool:
    try:
        return Version(version) < STARTS_ON_17
    except InvalidVersion:
        return False


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
