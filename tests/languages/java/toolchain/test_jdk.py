"""Which JDK there is, and which one a project asks for."""

from pathlib import Path

import pytest

from abs_audit.interfaces import BuildSettings
from abs_audit.languages.java.toolchain.jdk import JavaEnvironment, enough_for
from abs_audit.model.experiment import Workspace


def jdk(folder: Path, version: str) -> Path:
    """Make what tells of a JDK."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "javac").write_text("")
    (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return folder


@pytest.mark.parametrize(
    ("version", "level"), [("17.0.15", 17), ("17.0.15", 0), ("1.8.0_402", 8), ("26-ea", 25)]
)
def test_a_jdk_is_enough_for_its_own_level_and_for_older_ones(
    tmp_path: Path, version: str, level: int
) -> None:
    assert "" == enough_for(level, jdk(tmp_path / "jdk", version))


def test_one_that_does_not_tell_its_version_is_taken_for_enough(tmp_path: Path) -> None:
    assert "" == enough_for(99, tmp_path)


def test_a_newer_one_beside_it_is_named_with_the_option_that_takes_it(tmp_path: Path) -> None:
    old = jdk(tmp_path / "b17", "17.0.15")
    jdk(tmp_path / "a11", "11.0.2")
    assert enough_for(21, old).startswith(f"it asks for Java 21, and {old} is a JDK 17: install ")
    jdk(tmp_path / "c21", "21.0.2")
    assert f"--interpreter {tmp_path}/c21/bin/java" in enough_for(21, old)


@pytest.mark.parametrize(
    ("asked", "named", "taken"),
    [
        ("<properties><java.version>21</java.version></properties>", "", "c21"),
        ("<properties><java.version>21</java.version></properties>", "b17/bin/java", "b17"),
        ("<properties><java.version>11</java.version></properties>", "", "b17"),
        ("<properties><java.version>99</java.version></properties>", "", "b17"),
        (
            "<profiles><profile><properties><java.version>21</java.version></properties></profile></profiles>",
            "",
            "b17",
        ),
    ],
    ids=["a newer level", "one is named", "an older level", "there is none", "a profile's level"],
)
def test_a_newer_one_beside_it_is_taken_where_the_project_asks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str, named: str, taken: str
) -> None:
    for name, version in (("b17", "17.0.15"), ("c21", "21.0.2")):
        java = jdk(tmp_path / name, version) / "bin" / "java"
        java.write_text("#!/bin/sh")
        java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "b17"))
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "pom.xml").write_text(f"<project>{asked}</project>")
    interpreter = str(tmp_path / named) if named else None
    settings = BuildSettings(interpreter=interpreter, requirements=(), paths=(), environment={})
    environment = JavaEnvironment(workspace=Workspace(root=tmp_path), settings=settings)
    assert tmp_path / taken == environment.home
    assert str(tmp_path / taken) == environment.environment()["JAVA_HOME"]
