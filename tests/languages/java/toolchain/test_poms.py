"""What pom.xml files say of benchmarks."""

import re
from pathlib import Path

from abs_audit.languages.java.toolchain.poms import (
    AGGREGATOR,
    aggregated,
    benchmark_modules,
    complete_poms,
    enclosing,
    overrides,
    profiles,
)

JMH = "<dependencies><dependency><artifactId>jmh-core</artifactId></dependency></dependencies>"
USES = "package a;\n\nimport org.openjdk.jmh.annotations.Benchmark;\n"


def tree(folder: Path, **files: str) -> Path:
    """Write the pom.xml of each module, `root` for the root's own; `__` stands for a slash."""
    for module, text in files.items():
        place = folder if module == "root" else folder / module.replace("__", "/")
        place.mkdir(parents=True, exist_ok=True)
        (place / "pom.xml").write_text(f"<project>{text}</project>")
    return folder


def test_modules_inherit_jmh_from_a_parent_and_count_where_they_use_it(tmp_path: Path) -> None:
    parent = "<packaging>pom</packaging>"
    tree(tmp_path, root=f"{parent}{JMH}", core="", bench="", other=f"{parent}")
    write_benchmark(tmp_path / "bench")
    assert ["bench"] == benchmark_modules(tmp_path)


def test_a_module_that_names_jmh_and_has_no_benchmarks_does_not_count_beside_one_that_has(
    tmp_path: Path,
) -> None:
    tree(tmp_path, root="<packaging>pom</packaging>", bench=JMH, user=JMH)
    assert ["bench", "user"] == benchmark_modules(tmp_path), "sources may lie elsewhere: JMH will say"
    write_benchmark(tmp_path / "bench")
    assert ["bench"] == benchmark_modules(tmp_path)


def write_benchmark(module: Path) -> None:
    source = module / "src" / "main" / "java" / "A.java"
    source.parent.mkdir(parents=True)
    source.write_text(USES)


def test_a_profile_is_needed_where_it_alone_brings_the_benchmarks_in(tmp_path: Path) -> None:
    modules = "<modules><module>core</module></modules>"
    profile = "<profile><id>{}</id><modules><module>{}</module></modules></profile>"
    listed = "".join(
        profile.format(*names) for names in (("dist", "dist"), ("more", "examples"), ("all", "core"))
    )
    parent = "<packaging>pom</packaging><modules><module>jmh</module></modules>"
    tree(
        tmp_path,
        root=f"{modules}<profiles>{listed}</profiles>",
        core=JMH,
        examples=parent,
        examples__jmh=JMH,
    )
    assert ["core", "examples/jmh"] == benchmark_modules(tmp_path)
    assert ["more"] == profiles(tmp_path, ["examples/jmh"])
    assert [] == profiles(tmp_path, ["core"])


def test_names_count_whatever_their_namespace_and_comments_say_nothing(tmp_path: Path) -> None:
    tree(tmp_path, root=f"<!-- {JMH} -->", bench="")
    (tmp_path / "bench" / "pom.xml").write_text(
        f'<project xmlns="http://maven.apache.org/POM/4.0.0">{JMH}</project>'
    )
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "pom.xml").write_text(f"<project>{JMH}")
    assert ["bench"] == benchmark_modules(tmp_path)


def test_a_module_with_benchmarks_that_nobody_lists_is_built_with_the_rest(tmp_path: Path) -> None:
    listing = "<packaging>pom</packaging><modules><module>core</module><module>a/pom.xml</module></modules>"
    tree(tmp_path, root=listing, core="", a=JMH, bench=JMH)
    assert aggregated(tmp_path, ["a"]) is None
    assert tmp_path / AGGREGATOR == aggregated(tmp_path, ["a", "bench"])
    joined = re.findall("<module>(.*?)</module>", (tmp_path / AGGREGATOR).read_text())
    assert ["pom.xml", "bench/pom.xml"] == joined


def test_modules_without_a_pom_at_the_root_are_joined(tmp_path: Path) -> None:
    tree(tmp_path, lib="", bench=JMH)
    aggregated(tmp_path, ["bench"])
    joined = re.findall("<module>(.*?)</module>", (tmp_path / AGGREGATOR).read_text())
    assert ["bench/pom.xml", "lib/pom.xml"] == joined


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
    named += [("other", "lib", "1"), ("${project.groupId}", "lib", "2.0")]
    properties = "<properties><known>2.2.3-SNAPSHOT</known></properties>"
    dependencies = "".join(told.format(*names) for names in named)
    bench = f"{own}{properties}<dependencies>{dependencies}</dependencies>"
    tree(tmp_path, root=library, bench=bench, core=bench)
    complete_poms(tmp_path, ["bench"])
    versions = re.findall(
        "lib</artifactId><version>(.*?)</version>", (tmp_path / "bench/pom.xml").read_text()
    )
    assert ["2.2.3-SNAPSHOT", "${known}", "${unknown}", "1", "2.2.3-SNAPSHOT"] == versions
    assert f"<project>{bench}</project>" == (tmp_path / "core" / "pom.xml").read_text()


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


def test_a_module_stands_within_all_that_list_it(tmp_path: Path) -> None:
    listing = "<modules><module>{}</module></modules>"
    tree(tmp_path, root=listing.format("inner"), inner=listing.format("bench/pom.xml"))
    tree(tmp_path, inner__bench=JMH, other=JMH)
    assert tmp_path == enclosing(tmp_path / "inner" / "bench")
    assert tmp_path / "other" == enclosing(tmp_path / "other")
    assert tmp_path == enclosing(tmp_path)
