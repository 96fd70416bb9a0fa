"""A copy's Maven tells nobody of its builds."""

from pathlib import Path

import pytest

from abs_audit.languages.java.toolchain.extensions import keep_quiet

EXTENSIONS = """<extensions{}>
  <extension><groupId>com.gradle</groupId><artifactId>develocity-maven-extension</artifactId></extension>
  <extension><groupId>fr.jcgay</groupId><artifactId>maven-profiler</artifactId></extension>
  <extension><artifactId>common-custom-user-data-maven-extension</artifactId></extension>
</extensions>
"""
SPACED = EXTENSIONS.format(' xmlns="http://maven.apache.org/EXTENSIONS/1.0.0"')


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "tree" / ".mvn").mkdir(parents=True)
    return tmp_path / "tree" / ".mvn" / "extensions.xml"


@pytest.mark.parametrize("text", [EXTENSIONS.format(""), SPACED])
def test_extensions_that_tell_of_builds_are_left_out_and_no_others(file: Path, text: str) -> None:
    file.write_text(text)
    keep_quiet(file.parents[1])
    assert file.read_text().count("<extension>") == 1
    assert "maven-profiler" in file.read_text()


@pytest.mark.parametrize("text", ["<extensions><extension/></extensions>", "no XML"])
def test_what_has_none_of_them_stays_as_it_is(file: Path, text: str) -> None:
    file.write_text(text)
    keep_quiet(file.parents[1])
    assert file.read_text() == text


def test_a_project_without_extensions_gets_none(file: Path) -> None:
    keep_quiet(file.parents[1])
    assert not file.exists()


def test_no_link_leads_out_of_the_copy(file: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.xml"
    outside.write_text(SPACED)
    file.symlink_to(outside)
    keep_quiet(file.parents[1])
    assert outside.read_text() == SPACED
