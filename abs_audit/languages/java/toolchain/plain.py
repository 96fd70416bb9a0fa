"""Composes what compiles a suite that is given as sources and class path: no build tool of its own."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import SubElement

from abs_audit.errors import UsageError
from abs_audit.languages.java.toolchain.jdk import BUILD_LIMIT_S, listed_path
from abs_audit.languages.java.toolchain.maven import CLASS_PATH, LISTER, MavenEnvironment
from abs_audit.languages.java.toolchain.poms import REPLACEMENT, own_project
from abs_audit.model.experiment import Command
from abs_audit.model.subject import SourceBuild

_COORDINATES = re.compile(r"[\w.-]+(:[\w.-]+){2,4}")
JMH = tuple(f"org.openjdk.jmh:{name}:{REPLACEMENT}" for name in ("jmh-core", "jmh-generator-annprocess"))
PROCESSOR = "org.openjdk.jmh.generators.BenchmarkProcessor"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainEnvironment(MavenEnvironment):
    """The JDK and the variables of a suite whose sources and class path the user has named.

    Maven fetches what the class path names by its coordinates, and JMH where that is not among it.
    """

    build: SourceBuild

    def modules(self) -> tuple[str, ...]:
        """Return the one module that the sources are compiled to."""
        return (".",)

    @property
    def _folder(self) -> Path:
        """Where the classes and the project of what is fetched lie: beside the copy."""
        return self.workspace.beside("plain")

    def class_path(self, module: str) -> str:
        """Return the compiled classes, what the user has named and what was fetched, in this order."""
        return os.pathsep.join([str(self._folder / "classes"), *self._libraries()])

    def _libraries(self) -> list[str]:
        named = [str(path) for entry in self.build.class_path for path in self._matching(entry)]
        return [*named, *listed_path(self._folder / CLASS_PATH)]

    def _matching(self, entry: str) -> list[Path]:
        """Return the files or folders of the checkout that are meant; what Maven fetches is none."""
        if _COORDINATES.fullmatch(entry) or Path(entry).is_absolute():
            return []
        return sorted(self.workspace.tree.glob(entry))

    def _require_class_path(self) -> None:
        """Raise UsageError for what is not there: a compiler would name all that uses it instead."""
        absent = [
            f"[java] class_path: expected a file or folder of the checkout, a glob that finds one, or "
            f"group:artifact:version; found no {entry!r}"
            for entry in self.build.class_path
            if not _COORDINATES.fullmatch(entry) and not self._matching(entry)
        ]
        if absent and self.workspace.tree.is_dir():
            raise UsageError.of(absent)

    def building(self) -> Iterator[Command]:
        """Yield the fetching of the class path and the compiling of all sources at once."""
        self._require_class_path()
        (self._folder / "classes").mkdir(parents=True, exist_ok=True)
        self._write_project()
        yield self.maven(self._folder, [LISTER, f"-Dmdep.outputFile={CLASS_PATH}"], "fetching the class path")
        yield self.profiling()
        sources = self._folder / "sources.txt"
        sources.write_text("\n".join(f'"{path.as_posix()}"' for path in self._sources()), encoding="utf-8")
        yield Command(
            argv=(
                self.tool("javac"),
                *("-g", "-nowarn", "-processor", PROCESSOR),
                *("-d", str(self._folder / "classes")),
                *("-cp", os.pathsep.join(self._libraries())),
                *self.build.options,
                f"@{sources}",
            ),
            cwd=self.workspace.tree,
            env=self.environment(),
            limit_s=BUILD_LIMIT_S,
            purpose="building the benchmarks",
        )

    def _sources(self) -> Iterator[Path]:
        """Yield the files to compile; raise UsageError for a folder that is not there."""
        for name in self.build.sources:
            folder = self.workspace.tree / name
            if folder.parent.is_dir() and not folder.is_dir():
                raise UsageError(f"[java] sources: expected a folder of the checkout, found no {name!r}")
            # All of it becomes one unnamed module.
            yield from sorted(set(folder.rglob("*.java")) - set(folder.rglob("module-info.java")))

    def _write_project(self) -> None:
        """Write the project whose only purpose is that Maven resolves what it depends on."""
        project = own_project("plain")
        dependencies = SubElement(project, "dependencies")
        named = [entry for entry in self.build.class_path if _COORDINATES.fullmatch(entry)]
        given = {entry.rpartition(":")[0] for entry in named}
        for entry in [*named, *(artifact for artifact in JMH if artifact.rpartition(":")[0] not in given)]:
            group, artifact, *middle, version = entry.split(":")
            dependency = SubElement(dependencies, "dependency")
            names = ("groupId", "artifactId", "version", *("type", "classifier")[: len(middle)])
            for name, value in zip(names, (group, artifact, version, *middle), strict=True):
                SubElement(dependency, name).text = value
        ElementTree.ElementTree(project).write(self._folder / "pom.xml", encoding="utf-8")
