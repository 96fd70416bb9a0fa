"""What the pom.xml files of a Maven project say of its benchmarks, and what they must be told."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from packaging.version import InvalidVersion, Version

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
_PROFILES = re.compile(r"<profiles>.*?</profiles>", re.DOTALL)
_PROFILE = re.compile(r"<profile>(.*?)</profile>", re.DOTALL)
_ID = re.compile(r"<id>\s*([^<\s]+)\s*</id>")
_MODULE = re.compile(r"<module>\s*([^<\s]+)\s*</module>")


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


def profiles(tree: Path, modules: Sequence[str]) -> list[str]:
    """Return the profiles that bring in modules which the project leaves out otherwise."""
    found = []
    for folder, text in poms(tree):
        usual = _MODULE.findall(_PROFILES.sub("", text))
        for profile in _PROFILE.findall(text):
            named = _ID.search(profile)
            brings = [Path(folder, one).as_posix() for one in _MODULE.findall(profile) if one not in usual]
            needed = any(f"{module}/".startswith(f"{one}/") for one in brings for module in modules)
            if named and needed:
                found.append(named[1])
    return list(dict.fromkeys(found))
