"""Maven projects as the pom.xml files of a folder, written for a test."""

from pathlib import Path

JMH = "<dependencies><dependency><artifactId>jmh-core</artifactId></dependency></dependencies>"
_USES = "package a;\n\nimport org.openjdk.jmh.annotations.Benchmark;\n"


def tree(folder: Path, **files: str) -> Path:
    """Write the pom.xml of each module, `root` for the root's own; `__` stands for a slash."""
    for module, text in files.items():
        place = folder if module == "root" else folder / module.replace("__", "/")
        place.mkdir(parents=True, exist_ok=True)
        (place / "pom.xml").write_text(f"<project>{text}</project>")
    return folder


def write_benchmark(module: Path, folder: str = "src/main/java") -> None:
    source = module / folder / "A.java"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(_USES)
