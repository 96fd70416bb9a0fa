"""Whose classes benchmarks execute."""

import zipfile
from pathlib import Path

import pytest

from abs_audit.languages.java.toolchain.class_path import foreign
from abs_audit.model.experiment import Workspace


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    """Return a workspace whose copy declares two classes and one in a test."""
    made = Workspace(root=tmp_path / "workspace")
    write(made.tree, "src/main/java/org/example/Shelf.java", "package org.example;\nclass Shelf {}\n")
    write(made.tree, "core/src/main/java/org/example/Book.java", "// old\npackage org.example ;\n")
    write(made.tree, "src/test/java/org/example/Other.java", "package org.example;\n")
    write(made.tree, "src/main/java/org/example/package-info.java", "package org.example;\n")
    return made


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def jar(path: Path, *names: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return str(path)


def test_a_release_that_stands_for_the_checkout_is_named(place: Workspace, tmp_path: Path) -> None:
    release = jar(tmp_path / "lib-2.1.9.jar", "org/example/Shelf.class", "org/example/Shelf$Row.class")
    other = jar(tmp_path / "jmh.jar", "org/openjdk/Main.class", "META-INF/MANIFEST.MF")
    assert (
        "it measures lib-2.1.9.jar instead of this checkout: org.example.Shelf comes from there"
        == foreign(place, [other, release])
    )
    assert "" == foreign(place, [other])


def test_what_the_checkout_builds_hides_what_comes_later(place: Workspace, tmp_path: Path) -> None:
    release = jar(tmp_path / "lib-2.1.9.jar", "org/example/Shelf.class", "org/example/Book.class")
    write(place.tree, "target/classes/org/example/Shelf.class", "")
    core = jar(place.tree / "core" / "target" / "core.jar", "org/example/Book.class")
    classes = str(place.tree / "target" / "classes")
    assert "" == foreign(place, [classes, core, release])
    assert "lib-2.1.9.jar" in foreign(place, [release, classes, core])
    assert "" == foreign(place, [classes, release]), "half of a jar is no edition"
    plain = place.root / "plain" / "classes"
    write(plain, "org/example/Book.class", "")
    assert "" == foreign(place, [str(plain), classes, release])


def test_a_jar_that_has_a_class_of_the_same_name_among_others_is_no_edition(
    place: Workspace, tmp_path: Path
) -> None:
    mixed = jar(
        tmp_path / "all.jar", "org/example/Shelf.class", *(f"a/A{number}.class" for number in range(3))
    )
    assert "" == foreign(place, [mixed, str(tmp_path / "absent.jar"), str(tmp_path / "jar")])


def test_what_is_fetched_into_a_container_is_not_what_it_builds(place: Workspace) -> None:
    release = jar(place.root / "maven" / "lib-2.1.9.jar", "org/example/Shelf.class")
    assert "lib-2.1.9.jar" in foreign(place, [release])
