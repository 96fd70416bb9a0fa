"""Which modules of a Maven project hold benchmarks, and what is built for them."""

import re
from pathlib import Path

from abs_audit.languages.java.toolchain.reactor import (
    AGGREGATOR,
    aggregated,
    benchmark_modules,
    enclosing,
    needs_tests,
    profiles,
)
from tests.support.maven_trees import JMH, tree, write_benchmark


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


def test_a_profile_is_needed_where_it_alone_brings_the_benchmarks_in(tmp_path: Path) -> None:
    modules = "<modules><module>core</module></modules>"
    profile = "<profile><id>{}</id><modules><module>{}</module></modules></profile>"
    listed = "".join(
        profile.format(*names) for names in (("dist", "dist"), ("more", "examples"), ("all", "core"))
    )
    parent = "<packaging>pom</packaging><modules><module>jmh</module></modules>"
    tree(
        tmp_path, root=f"{modules}<profiles>{listed}</profiles>", core=JMH, examples=parent, examples__jmh=JMH
    )
    assert ["core", "examples/jmh"] == benchmark_modules(tmp_path)
    assert ["more"] == profiles(tmp_path, ["examples/jmh"])
    assert [] == profiles(tmp_path, ["core"])


def test_a_profile_that_names_what_jmh_needs_is_needed_even_where_the_project_has_it(tmp_path: Path) -> None:
    processor = (
        "<dependencies><dependency><groupId>org.openjdk.jmh</groupId>"
        "<artifactId>jmh-generator-annprocess</artifactId></dependency></dependencies>"
    )
    profile = f"<profiles><profile><id>speed</id>{processor}</profile></profiles>"
    tree(
        tmp_path,
        root="<packaging>pom</packaging>",
        bench=f"{JMH}{profile}",
        whole=processor + profile,
        other=profile.replace("org.openjdk.jmh", "org.other"),
        path=f"{JMH}<profiles><profile><id>speed</id><build><plugins><plugin><configuration>"
        "<annotationProcessorPaths><path><groupId>org.openjdk.jmh</groupId></path></annotationProcessorPaths>"
        "</configuration></plugin></plugins></build></profile></profiles>",
    )
    assert ["speed"] == profiles(tmp_path, ["bench"])
    assert ["speed"] == profiles(tmp_path, ["whole"])
    assert ["speed"] == profiles(tmp_path, ["path"])
    assert [] == profiles(tmp_path, ["other"])


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


def test_a_module_stands_within_all_that_list_it(tmp_path: Path) -> None:
    listing = "<modules><module>{}</module></modules>"
    tree(tmp_path, root=listing.format("inner"), inner=listing.format("bench/pom.xml"))
    tree(tmp_path, inner__bench=JMH, other=JMH)
    assert tmp_path == enclosing(tmp_path / "inner" / "bench")
    assert tmp_path / "other" == enclosing(tmp_path / "other")
    assert tmp_path == enclosing(tmp_path)


def test_tests_are_compiled_where_benchmarks_lie_among_them(tmp_path: Path) -> None:
    tree(tmp_path, root="<packaging>pom</packaging>", bench=JMH, core="")
    write_benchmark(tmp_path / "bench")
    assert not needs_tests(tmp_path, ["bench"])
    write_benchmark(tmp_path / "bench", "src/archive/java")
    assert not needs_tests(tmp_path, ["bench"]), "nobody compiles that folder"
    write_benchmark(tmp_path / "bench", "src/test/java")
    assert needs_tests(tmp_path, ["bench"])


def test_tests_are_compiled_where_a_project_keeps_some_in_another_folder(tmp_path: Path) -> None:
    for told in (
        "<testSourceDirectory>src/jmh</testSourceDirectory>",
        "<plugins><plugin><executions><execution><goals><goal>add-test-source</goal></goals></execution>"
        "</executions></plugin></plugins>",
    ):
        assert needs_tests(tree(tmp_path, root=f"{JMH}<build>{told}</build>"), ["."])


def test_tests_are_compiled_where_what_is_built_uses_those_of_another_module(tmp_path: Path) -> None:
    dependency = "<dependencies><dependency><artifactId>{}</artifactId>{}</dependency></dependencies>"
    uses = f"<artifactId>{{}}</artifactId>{dependency}"
    for kind in ("<type>test-jar</type>", "<classifier>tests</classifier>"):
        modules = {
            "bench": f"<artifactId>bench</artifactId>{JMH}<parent><artifactId>top</artifactId></parent>",
            "core": uses.format("core", "kit", kind),
            "kit": "<artifactId>kit</artifactId>",
        }
        tree(tmp_path, root="<artifactId>top</artifactId><packaging>pom</packaging>", **modules)
        assert not needs_tests(tmp_path, ["bench"]), "core is not built for it"
        tree(tmp_path, root=f"{uses.format('top', 'core', '')}<packaging>pom</packaging>")
        assert needs_tests(tmp_path, ["bench"])
