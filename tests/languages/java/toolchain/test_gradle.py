"""Which modules of a Gradle project hold benchmarks."""

from pathlib import Path

import pytest

from abs_audit.interfaces import BuildSettings
from abs_audit.languages.java.toolchain.gradle import GradleEnvironment, benchmark_modules
from abs_audit.model.experiment import Workspace
from tests.support.maven_trees import write_benchmark

SETTINGS = BuildSettings(interpreter=None, requirements=(), paths=(), environment={}, image="jdk")
CATALOGUE = 'harness = { module = "org.openjdk.jmh:jmh-core", version = "1.37" }\n'


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("own_build", [None, "dependencies { implementation libs.harness }"])
def test_a_module_whose_jmh_a_catalogue_names_has_benchmarks(tmp_path: Path, own_build: str | None) -> None:
    write(tmp_path / "gradle/libs.versions.toml", f"[libraries]\n{CATALOGUE}")
    write(tmp_path / "build.gradle", "subprojects { apply plugin: 'java' }")
    write_benchmark(tmp_path / "speed")
    (tmp_path / "core" / "src").mkdir(parents=True)
    if own_build:
        write(tmp_path / "speed/build.gradle.kts", own_build)
    assert ["speed"] == benchmark_modules(tmp_path)


def test_sources_that_use_jmh_are_no_module_where_no_build_names_it(tmp_path: Path) -> None:
    write(tmp_path / "build.gradle", "apply plugin: 'java'")
    write_benchmark(tmp_path)
    assert [] == benchmark_modules(tmp_path)


def test_where_gradle_cannot_be_fetched_there_is_a_way_without_it(tmp_path: Path) -> None:
    write(tmp_path / "tree" / "gradlew", "exit 1")
    fetching, building = GradleEnvironment(workspace=Workspace(root=tmp_path), settings=SETTINGS).building()
    assert ("[java] of abs-audit.toml" in fetching.advice, building.advice) == (True, "")
