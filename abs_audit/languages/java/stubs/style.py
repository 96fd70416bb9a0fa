"""How a JMH suite writes its benchmarks."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from abs_audit.grouping import commonest
from abs_audit.languages.drafting import notice
from abs_audit.languages.java.stubs.library import Library
from abs_audit.languages.java.stubs.values import named
from abs_audit.languages.java.toolchain.declarations import SourceFile
from abs_audit.languages.java.toolchain.resolution import LibraryType
from abs_audit.languages.syntax import nodes, text_in, text_of
from abs_audit.model.subject import Benchmark

ENDING = re.compile(r"(Benchmarks?|Bench|Jmh|Perf(ormance)?)$")
# How long a benchmark takes is part of its suite's style.
LENGTH = {"Warmup", "Measurement", "Fork", "Timeout"}
MODE = re.compile(r"\b(Throughput|AverageTime|SampleTime)\b")
UNIT = re.compile(r"\b(NANOSECONDS|MICROSECONDS|MILLISECONDS|SECONDS)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaStyle:
    """Where a suite keeps its benchmarks, and what they look like."""

    file: str = ""
    """The benchmarks that it was read from; empty: there are none yet."""
    folder: str = "src/main/java/"
    """The source folder, above the packages."""
    package: str = "benchmarks"
    ending: str = "Benchmark"
    """The last word of the names of its classes."""
    mode: str = "AverageTime"
    """What `@BenchmarkMode` says; empty: it is not written."""
    unit: str = "NANOSECONDS"
    indent: str = "    "
    brace: str = " "
    """What is before an opening brace: a blank, or a new line."""
    notice: str = ""
    """What files tell of their licence."""
    lengths: tuple[str, ...] = ()
    """Annotations of a class that say how long its benchmarks take; types are marked."""
    documented: bool = False
    """Whether members have comments for javadoc."""
    groups: tuple[str, ...] = ()
    """First words of imports in the order of their groups; empty: there is one group."""


def style(near: Sequence[SourceFile], holder: LibraryType | None) -> JavaStyle:
    """Return the style of the file that is nearest to a type."""
    home = max(near, key=lambda source: _nearness(source, holder))
    ending = ENDING.search(home.types[0].name) if home.types else None
    text = text_of(home.root)
    return JavaStyle(
        file=home.path,
        folder=source_folder(home),
        package=home.package,
        ending=ending[0] if ending else "Benchmark",
        mode=_usual(home, "BenchmarkMode", MODE),
        unit=_usual(home, "OutputTimeUnit", UNIT),
        indent=next(iter(re.findall(r"(?m)^(\t| {2,8})(?=[\w@])", text)), "    "),
        notice=notice(text_of(source.root) for source in near),
        lengths=tuple(_lengths(home)),
        documented=re.search(r"\*/\s*@Benchmark\b", text) is not None,
        groups=_groups(text),
        brace="\n" if re.search(r"(?m)^public [^\n{]*\bclass\b[^\n{]*\n\{", text) else " ",
    )


def homes(library: Library, existing: Sequence[Benchmark]) -> list[SourceFile]:
    """Return the files of a suite's benchmarks."""
    names = {benchmark.id.partition(":")[0].rpartition(".")[0] for benchmark in existing}
    files = [library.canonical[name].file for name in sorted(names) if name in library.canonical]
    return files or [source for source in library.files if source.measures]


def source_folder(file: SourceFile) -> str:
    """Return the folder that a file's package begins below, with a slash at its end."""
    return file.path.removesuffix(f"{file.package.replace('.', '/')}/{file.path.rpartition('/')[2]}")


def _nearness(file: SourceFile, holder: LibraryType | None) -> tuple[int, int, int]:
    """Rank a file with benchmarks: whether it names the type, how much of package and path is the same."""
    if holder is None:
        return 0, 0, 0
    named = len(re.findall(rf"\b{holder.declaration.name}\b", text_of(file.root)))
    shared = _shared(file.package.split("."), holder.file.package.split("."))
    return min(named, 1), shared, _shared(file.path.split("/"), holder.file.path.split("/"))


def _shared(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many words two lists begin with in common."""
    pairs = zip(left, right, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))


def _lengths(home: SourceFile) -> Iterator[str]:
    """Yield the annotations about lengths that name nothing but what JMH and the JDK have."""
    modifiers = home.types[0].node.child(0) if home.types else None
    for node in modifiers.named_children if modifiers is not None else ():
        name, text = text_in(node, "name"), text_of(node)
        bare = re.sub(r'"[^"]*"|TimeUnit\.\w+|\w+\s*=', "", text)
        if name in LENGTH and set(re.findall(r"\b[A-Za-z_]\w*", bare)) == {name}:
            marked = text.replace(f"@{name}", f"@{named(f'org.openjdk.jmh.annotations.{name}')}", 1)
            yield marked.replace("TimeUnit.", f"{named('java.util.concurrent.TimeUnit')}.")


def _groups(text: str) -> tuple[str, ...]:
    """Return the first words of the imports of a file, if a blank line separates one from the next."""
    blocks = re.findall(r"(?m)(?:^import (?!static )\w+\..*\n)+", text)
    words = [re.findall(r"(?m)^import (\w+)", block) for block in blocks]
    firsts = dict.fromkeys(word for block in words for word in block)
    return tuple(firsts) if len(blocks) > 1 and len(firsts) == len(blocks) else ()


def _usual(file: SourceFile, annotation: str, values: re.Pattern[str]) -> str:
    """Return what an annotation says most often in a file; empty where it is not used."""
    return commonest(
        value
        for node in nodes(file.root, "annotation")
        if text_in(node, "name") == annotation
        for value in values.findall(text_of(node))[:1]
    )
