"""What pom.xml files say, and what they are told."""

import re
from pathlib import Path

from abs_audit.languages.java.toolchain.poms import complete_poms, level, overrides
from tests.support.maven_trees import tree


def test_levels_and_versions_that_are_too_old_are_replaced(tmp_path: Path) -> None:
    properties = "<properties><java.level>1.6</java.level><jmh.version>1.14</jmh.version></properties>"
    tree(tmp_path, root=properties)
    assert {
        "java.level": "1.8",
        "jmh.version": "1.37",
        "maven.compiler.source": "8",
        "maven.compiler.target": "8",
    } == overrides(tmp_path)
    own = "<maven.compiler.source>${level}</maven.compiler.source>"
    own += "<maven.compiler.target>${level}</maven.compiler.target>"
    tree(tmp_path, root=f"<properties><level>17</level>{own}</properties>")
    assert {} == overrides(tmp_path)
    # Plugins for other languages read these properties, too: vavr's generator failed with 8.
    told = "<plugin><configuration><release>${java.version}</release></configuration></plugin>"
    tree(tmp_path, root=f"<properties><java.version>21</java.version></properties><build>{told}</build>")
    assert {} == overrides(tmp_path)


def test_a_jmh_that_does_not_start_on_a_jdk_of_today_is_replaced_in_the_copy(tmp_path: Path) -> None:
    jmh = "<dependency><groupId>org.openjdk.jmh</groupId><version>{}</version></dependency>"
    other = "<dependency><groupId>junit</groupId><version>1.16</version></dependency>"
    tree(tmp_path, root=f"<dependencies>{jmh.format('1.16')}{other}</dependencies>", new=jmh.format("1.36"))
    complete_poms(tmp_path, ["."])
    versions = re.findall("<version>(.*?)</version>", (tmp_path / "pom.xml").read_text())
    assert ["1.37", "1.16"] == versions
    assert "1.36" in (tmp_path / "new" / "pom.xml").read_text()


def test_benchmarks_that_name_a_release_of_what_lies_beside_them_depend_on_that_instead(
    tmp_path: Path,
) -> None:
    """HdrHistogram's took release 2.1.9: no probe was entered, and all methods were called unreached."""
    library = "<groupId>g</groupId><artifactId>lib</artifactId><version>2.2.3-SNAPSHOT</version>"
    own = "<groupId>g</groupId><artifactId>bench</artifactId><version>2.1.9</version>"
    told = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"
    named = [("g", "lib", "${project.version}"), ("g", "lib", "${known}"), ("g", "lib", "${unknown}")]
    named += [("other", "lib", "1"), ("${project.groupId}", "lib", "2.0"), ("g", "${library}", "2.1")]
    properties = "<properties><known>2.2.3-SNAPSHOT</known><library>lib</library></properties>"
    dependencies = "".join(told.format(*names) for names in named)
    bench = f"{own}{properties}<dependencies>{dependencies}</dependencies>"
    tree(tmp_path, root=library, bench=bench, core=bench)
    complete_poms(tmp_path, ["bench"])
    given = re.findall("</artifactId><version>(.*?)</version>", (tmp_path / "bench/pom.xml").read_text())
    here = "2.2.3-SNAPSHOT"
    assert ["2.1.9", here, "${known}", here, "1", here, here] == given
    assert f"<project>{bench}</project>" == (tmp_path / "core" / "pom.xml").read_text()


def test_a_parent_that_lies_beside_is_of_its_version_here(tmp_path: Path) -> None:
    """One of bucket4j's modules, which no benchmark needs, keeps the parent of the release before."""
    told = "<groupId>g</groupId><artifactId>{}</artifactId><version>{}</version>"
    parents = [("parent", "8.18"), ("parent", "8.19"), ("apache", "8.18")]
    modules = [f"<parent>{told.format(*parent)}</parent><artifactId>m</artifactId>" for parent in parents]
    tree(tmp_path, root=told.format("parent", "8.19"), a=modules[0], b=modules[1], c=modules[2])
    complete_poms(tmp_path, ["b"])
    written = [re.findall("<version>(.*?)<", (tmp_path / name / "pom.xml").read_text()) for name in "abc"]
    assert [["8.19"], ["8.19"], ["8.18"]] == written


EXECUTION = "<execution><phase>{}</phase><goals><goal>{}</goal></goals>{}</execution>"


def test_what_installs_a_file_of_a_project_beside_it_is_left_out(tmp_path: Path) -> None:
    """uuid-creator's benchmarks install the library that was built before, under a version of their own."""
    library = "<groupId>g</groupId><artifactId>lib</artifactId><version>2</version>"
    own = "<groupId>g</groupId><artifactId>bench</artifactId><version>1</version>"
    plugin = "<plugin><configuration><groupId>g</groupId><artifactId>{}</artifactId></configuration>"
    plugin += f"<executions>{EXECUTION.format('validate', '{}', '')}</executions></plugin>"
    steps = [("lib", "install-file"), ("lib", "install"), ("bundled", "install-file")]
    tree(tmp_path, root=library, bench=own + "".join(plugin.format(*step) for step in steps))
    complete_poms(tmp_path, ["bench"])
    left = (tmp_path / "bench" / "pom.xml").read_text()
    assert ["install", "install-file"] == re.findall("<goal>(.*?)</goal>", left)


def test_programs_that_a_build_starts_once_all_is_compiled_are_left_out(tmp_path: Path) -> None:
    """mustache.java's build executes all its benchmarks: listing them took more than six minutes."""
    told = "<configuration><executable>java</executable></configuration>"
    phases = ["generate-sources", "process-test-classes", "test", "package"]
    executions = "".join(EXECUTION.format(phase, "exec", told * (phase == "test")) for phase in phases)
    plugin = "<plugin><artifactId>{}</artifactId><executions>{}</executions></plugin>"
    own = plugin.format("exec-maven-plugin", executions)
    tree(tmp_path, root=own, other=plugin.format("maven-antrun-plugin", executions))
    complete_poms(tmp_path, ["."])
    ran = (tmp_path / "pom.xml").read_text().split("<phase>")[1:]
    assert [False, False, True, True] == ["<skip>true</skip>" in execution for execution in ran]
    assert "<executable>java</executable><skip>" in ran[2]
    assert "skip" not in (tmp_path / "other" / "pom.xml").read_text()


def test_levels_that_the_compiler_is_told_directly_are_raised_in_the_copy(tmp_path: Path) -> None:
    """HdrHistogram's benchmarks say 1.6, which JDK 17 does not compile."""
    told = "<build><plugins><plugin><configuration><source>{0}</source><target>{0}</target></configuration>"
    told += "<executions><execution><configuration><sources><source>src/more</source></sources>"
    told += "</configuration></execution></executions></plugin></plugins></build>"
    tree(tmp_path, root=told.format("1.6"), old=told.format("8"))
    before = (tmp_path / "old" / "pom.xml").read_text()
    complete_poms(tmp_path, ["."])
    raised = (tmp_path / "pom.xml").read_text()
    assert "<source>1.8</source><target>1.8</target>" in raised
    assert "<source>src/more</source>" in raised
    assert before == (tmp_path / "old" / "pom.xml").read_text()


def test_the_level_that_a_project_asks_for_is_the_highest_that_it_names(tmp_path: Path) -> None:
    other = (
        "<java.version.date>99</java.version.date><retries>88</retries><javacc.version>7.0</javacc.version>"
    )
    assert 0 == level(tree(tmp_path, root=f"<properties>{other}</properties>"))
    tree(tmp_path, root=f"<properties><air.java.version>1.8</air.java.version>{other}</properties>")
    assert 8 == level(tmp_path)
    tree(tmp_path, core="<build><configuration><release>21</release></configuration></build>")
    assert 21 == level(tmp_path)
    tree(tmp_path, root="<properties><maven.compiler.target>25</maven.compiler.target></properties>")
    assert 25 == level(tmp_path)
