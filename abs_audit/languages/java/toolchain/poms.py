"""What the pom.xml files of a Maven project say of its benchmarks, and what they must be told."""

import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from packaging.version import InvalidVersion, Version

# The first JMH that starts on JDK 17 by itself, and what older ones are replaced by where a property allows.
STARTS_ON_17 = Version("1.21")
REPLACEMENT = "1.37"
ANNOTATIONS = {"groupId": "javax.annotation", "artifactId": "javax.annotation-api", "version": "1.3.2"}
# The oldest language level that JDK 17 still compiles.
OLDEST_LEVEL = 8
# What is executed from here on makes nothing that is compiled: a build would be as long as the benchmarks.
AFTER_COMPILING = {"test", "prepare-package", "package"}

_LEVEL = re.compile(r"(1\.)?([5-7])")
_OLD_LEVEL = re.compile(r"1\.[5-8]|[5-8]")
_PROPERTY = re.compile(r"\$\{([^}]+)\}")
_ANY_LEVEL = re.compile(r"(?:1\.)?(\d{1,2})")
_NAMES_LEVEL = re.compile(r"(java|jdk)(version)?|.*\b((java|jdk)\.version|source|target|release|targetjdk)")
_ABOUT_LEVEL = re.compile(r"java|jdk|source|target|release|compiler")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pom:
    """A pom.xml."""

    folder: str
    """Relative to the tree; `.` for its root."""
    project: Element
    """Its root element; the names below it have no namespaces."""

    def write(self, tree: Path) -> None:
        """Replace the file in a copy by what the element holds now, where that is something else."""
        path = tree / self.folder / "pom.xml"
        there = parsed(path.read_bytes())
        if there is None or ElementTree.tostring(there) != ElementTree.tostring(self.project):
            ElementTree.ElementTree(self.project).write(path, encoding="utf-8")

    def texts(self, path: str) -> list[str]:
        """Return what the elements at a path hold, without blanks; empty ones are left out."""
        return [text for element in self.project.iterfind(path) if (text := text_of(element))]

    def properties(self) -> Iterator[tuple[str, str]]:
        """Yield the properties that the project and its profiles define."""
        blocks = self.project.iter("properties")
        return ((element.tag, text_of(element)) for block in blocks for element in block)

    @property
    def coordinates(self) -> tuple[str, str]:
        """Group and name; the group may be the parent's."""
        return self._own("groupId"), text_of(self.project.find("artifactId"))

    @property
    def version(self) -> str:
        """As it is written, perhaps with properties in it; it may be the parent's."""
        return self._own("version")

    def filled(self, element: Element | None) -> str:
        """Return what an element holds, with the project's own properties filled in."""
        values = {"project.version": self.version, "project.groupId": self.coordinates[0]}
        values |= dict(self.properties())
        return _PROPERTY.sub(lambda match: values.get(match[1], match[0]), text_of(element))

    def named(self, element: Element) -> tuple[str, str]:
        """Return the group and the name that an element holds, such as a dependency."""
        return self.filled(element.find("groupId")), self.filled(element.find("artifactId"))

    def _own(self, name: str) -> str:
        return text_of(self.project.find(name)) or text_of(self.project.find(f"parent/{name}"))

    @property
    def uses_jmh(self) -> bool:
        """Whether it depends on JMH, rather than only managing its version."""
        managed = {
            id(element) for block in self.project.iter("dependencyManagement") for element in block.iter()
        }
        return any(
            text_of(dependency.find("artifactId")) == "jmh-core"
            for dependency in self.project.iter("dependency")
            if id(dependency) not in managed
        )


def text_of(element: Element | None) -> str:
    """Return what an element holds, without blanks around it; empty for none."""
    return (element.text or "").strip() if element is not None else ""


def poms(tree: Path, deep: bool = True) -> Iterator[Pom]:
    """Yield each pom.xml that is XML, the root's first; not deep: no other."""
    for folder, below, names in os.walk(tree):
        below[:] = sorted(set(below) - {"target", "src", ".git", "node_modules"}) if deep else []
        if "pom.xml" in names:
            project = parsed(Path(folder, "pom.xml").read_bytes())
            if project is not None:
                yield Pom(folder=Path(folder).relative_to(tree).as_posix(), project=project)


def parsed(text: str | bytes) -> Element | None:
    """Return the root element, its names without namespaces; None where Maven will say what is wrong."""
    try:
        # Expat itself refuses entities that grow without bound.
        project = ElementTree.fromstring(text)  # noqa: S314
    except ElementTree.ParseError:
        return None
    for element in project.iter():
        element.tag = element.tag.rpartition("}")[2]
    return project


def complete_poms(tree: Path, modules: Sequence[str]) -> None:
    """Make what was written in the days of Java 8 fit for a JDK of today, in the copy's own pom.xml files.

    Benchmarks get the annotations that left the JDK with Java 11: generated sources are marked with one of
    them. What is said as such, and not by a property (`overrides`), is raised: language levels, JMH.
    """
    written = list(poms(tree))
    old = any(
        _ABOUT_LEVEL.search(element.tag.lower()) and _OLD_LEVEL.fullmatch(text_of(element))
        for pom in written
        for element in pom.project.iter()
    )
    siblings = {pom.coordinates: pom.version for pom in written}
    for pom in written:
        _raise_levels(pom)
        _raise_jmh(pom)
        _skip_executing(pom)
        # A module that nobody builds keeps the parent of another release, which may be had nowhere.
        join(pom, pom.project.iterfind("parent"), siblings)
        if pom.folder in modules:
            join(pom, pom.project.iter("dependency"), siblings)
            _leave_uninstalled(pom, siblings)
            if old:
                _annotate(pom)
        pom.write(tree)


def _annotate(pom: Pom) -> None:
    """Add the annotations to what a project depends on, where they are missing."""
    dependencies = pom.project.find("dependencies")
    there = ANNOTATIONS["artifactId"] in pom.texts("dependencies/dependency/artifactId")
    if dependencies is not None and not there:
        added = SubElement(dependencies, "dependency")
        for name, value in ANNOTATIONS.items():
            SubElement(added, name).text = value


def _raise_levels(pom: Pom) -> None:
    """Raise the levels that the compiler is told and that are too old for it."""
    told = (element for settings in pom.project.iter("configuration") for element in settings)
    for element in told:
        level = _LEVEL.fullmatch(text_of(element))
        if level and element.tag in {"source", "target", "release"}:
            element.text = f"{level[1] or ''}{OLDEST_LEVEL}"


def _raise_jmh(pom: Pom) -> None:
    """Replace versions of JMH that do not start on a JDK of today."""
    for dependency in pom.project.iter("dependency"):
        version, group = dependency.find("version"), text_of(dependency.find("groupId"))
        if version is not None and group == "org.openjdk.jmh" and _is_older(text_of(version)):
            version.text = REPLACEMENT


def _skip_executing(pom: Pom) -> None:
    """Leave out programs that a build would start once everything is compiled, such as the benchmarks."""
    for plugin in pom.project.iter("plugin"):
        named = text_of(plugin.find("artifactId")) == "exec-maven-plugin"
        for execution in plugin.iterfind("executions/execution") if named else ():
            if text_of(execution.find("phase")) in AFTER_COMPILING:
                settings = execution.find("configuration")
                settings = SubElement(execution, "configuration") if settings is None else settings
                skip = settings.find("skip")
                (SubElement(settings, "skip") if skip is None else skip).text = "true"


def join(pom: Pom, named: Iterable[Element], siblings: Mapping[tuple[str, str], str]) -> None:
    """Let parent or dependencies of a project be of the versions that they have here.

    Benchmarks that nobody builds with the rest name the release of their day, and would measure that.
    """
    for element in named:
        version = element.find("version")
        beside = siblings.get(pom.named(element), "")
        if version is not None and beside not in {"", pom.filled(version)} and "${" not in beside:
            version.text = beside


def _leave_uninstalled(pom: Pom, siblings: Container[tuple[str, str]]) -> None:
    """Remove what installs another project of the checkout as a file: that is built here."""
    for plugin in pom.project.iter("plugin"):
        installed = {pom.named(settings) for settings in plugin.iter("configuration")}
        for executions in plugin.iterfind("executions"):
            for execution in list(executions):
                goals = map(text_of, execution.iter("goal"))
                if "install-file" in goals and any(name in siblings for name in installed):
                    executions.remove(execution)


def own_project(name: str, **more: str) -> Element:
    """Return a project of ours, to which Maven is to do something."""
    project = Element("project")
    given = {"modelVersion": "4.0.0", "groupId": "abs-audit", "artifactId": name, "version": "1", **more}
    for tag, value in given.items():
        SubElement(project, tag).text = value
    return project


def overrides(tree: Path) -> dict[str, str]:
    """Return properties to set: language levels that are too old to compile, JMH that is too old to start."""
    written = list(poms(tree))
    declared = {name: value for pom in written for name, value in pom.properties()}
    changed: dict[str, str] = {}
    for name, value in declared.items():
        level = _LEVEL.fullmatch(value)
        if level and _ABOUT_LEVEL.search(name.lower()):
            changed[name] = f"{level[1] or ''}{OLDEST_LEVEL}"
        elif "jmh" in name.lower() and _is_older(value):
            changed[name] = REPLACEMENT
    if any(pom.folder == "." and pom.texts(".//plugin/configuration/release") for pom in written):
        return changed
    # What Maven takes where a project says nothing, or says it in a way that older plugins do not know.
    release = declared.get("maven.compiler.release", "")
    usual = release if re.fullmatch(r"[\d.]+", release) else str(OLDEST_LEVEL)
    for name in ("maven.compiler.source", "maven.compiler.target"):
        if name not in declared:
            changed[name] = usual
    return changed


def level(tree: Path) -> int:
    """Return the highest level of Java that a project names, such as 17; 0: none."""
    return _highest_level(element for pom in poms(tree) for element in pom.project.iter())


def usual_level(tree: Path) -> int:
    """Return the level of Java that the root's pom.xml asks for whatever its profile; 0: none."""
    parts = (part for pom in poms(tree, deep=False) for part in pom.project if part.tag != "profiles")
    return _highest_level(element for part in parts for element in part.iter())


def _highest_level(elements: Iterable[Element]) -> int:
    named = (text_of(element) for element in elements if _NAMES_LEVEL.fullmatch(element.tag.lower()))
    return max((int(match[1]) for match in map(_ANY_LEVEL.fullmatch, named) if match), default=0)


def _is_older(version: str) -> bool:
    try:
        return Version(version) < STARTS_ON_17
    except InvalidVersion:
        return False
