"""A suite that is given as sources and class path."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from abs_audit.errors import UsageError
from abs_audit.interfaces import BuildSettings
from abs_audit.languages.java.suites.jmh import JmhSuite
from abs_audit.languages.java.toolchain.maven import CLASS_PATH
from abs_audit.model.experiment import Command, Workspace
from abs_audit.model.subject import SourceBuild


def commands(folder: Path, build: SourceBuild) -> Sequence[Command]:
    """Compose the build of a copy, in a container so that no JDK is looked for."""
    settings = BuildSettings(
        interpreter=None, requirements=(), paths=(), environment={}, image="jdk", java=build
    )
    place = Workspace(root=folder)
    place.home.mkdir(exist_ok=True)
    return JmhSuite().prepare(place, settings)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in ("src/a/A.java", "src/module-info.java", "jmh/a/B.java", "lib/x.jar", "lib/y.jar"):
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return tmp_path


def test_sources_are_compiled_at_once_with_what_was_named_and_fetched(copy: Path) -> None:
    build = SourceBuild(sources=("src", "jmh"), class_path=("lib/*.jar", "g:a:1.0"), options=("-Xlint",))
    commands(copy, build)
    fetched = copy / "plain" / CLASS_PATH
    fetched.parent.mkdir(parents=True)
    fetched.write_text("/repository/a.jar")
    fetching, _, compiling, _ = commands(copy, build)
    assert (True, False) == (fetching.network, compiling.network)
    jars = [str(copy / "tree" / "lib" / name) for name in ("x.jar", "y.jar")]
    class_path = compiling.argv[compiling.argv.index("-cp") + 1]
    assert [*jars, "/repository/a.jar"] == class_path.split(os.pathsep)
    assert "-Xlint" in compiling.argv
    listed = Path(compiling.argv[-1].removeprefix("@")).read_text().splitlines()
    assert [f'"{copy}/tree/src/a/A.java"', f'"{copy}/tree/jmh/a/B.java"'] == listed


def test_jmh_is_fetched_unless_the_class_path_names_it(copy: Path) -> None:
    named = ("org.openjdk.jmh:jmh-core:1.21", "g:a:jar:tests:2")
    commands(copy, SourceBuild(sources=("src",), class_path=named))
    project = ElementTree.parse(copy / "plain" / "pom.xml").getroot()
    dependencies = [[part.text for part in dependency] for dependency in project.iter("dependency")]
    assert [
        ["org.openjdk.jmh", "jmh-core", "1.21"],
        ["g", "a", "2", "jar", "tests"],
        ["org.openjdk.jmh", "jmh-generator-annprocess", "1.37"],
    ] == dependencies


@pytest.mark.parametrize("entry", ["lib/z*.jar", "lib/z.jar", "/lib/x.jar", "g:a"])
def test_what_the_class_path_names_and_is_not_there_is_told(copy: Path, entry: str) -> None:
    """The compiler had 68 errors of what it was to have held."""
    with pytest.raises(UsageError, match=f"class_path: expected .*; found no '{re.escape(entry)}'"):
        commands(copy, SourceBuild(sources=("src",), class_path=("lib/x.jar", entry)))


def test_a_folder_that_is_not_there_is_named(copy: Path) -> None:
    with pytest.raises(UsageError, match="sources: expected a folder of the checkout, found no 'sources'"):
        commands(copy, SourceBuild(sources=("sources",)))
