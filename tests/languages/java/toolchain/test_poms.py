"""What pom.xml files say of benchmarks."""

from pathlib import Path

from abs_audit.languages.java.toolchain.poms import benchmark_modules, profiles

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
    source = tmp_path / "bench" / "src" / "main" / "java" / "A.java"
    source.parent.mkdir(parents=True)
    source.write_text(USES)
    assert ["bench"] == benchmark_modules(tmp_path)


def test_a_profile_is_needed_where_it_alone_brings_the_benchmarks_in(tmp_path: Path) -> None:
    modules = "<modules><module>core</module></modules>"
    profile = "<profile><id>{}</id><modules><module>{}</module></modules></profile>"
    listed = "".join(
        profile.format(*one) for one in (("dist", "dist"), ("more", "examples"), ("all", "core"))
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
