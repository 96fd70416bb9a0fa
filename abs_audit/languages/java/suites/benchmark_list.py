"""Reads what JMH's annotation processor writes down of a module's benchmarks."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SINGLE_SHOT = "SingleShotTime"
RATE, TIME, SHOT = "thrpt", "avgt", "ss"
"""Modes of JMH that are asked for."""
_NAMES = re.compile(r"JMH S \d+ (\S+) S \d+ (\S+) S \d+ (\S+) S \d+ (\S+) ")
"""Class, generated class, method or group, and mode, in a line since JMH 1.12."""
_MODE = re.compile(r"\b(Throughput|AverageTime|SampleTime|SingleShotTime)\b")
_OPTIONS = r" L \d+( \d+ -({}))+(?= [A-Z] )"
_HARMLESS = re.compile(_OPTIONS.format(r"server|client|X(?!boot)\S+"))
"""Options of a JVM that have no influence on what is called."""
_PROPERTY = r"D(?!(java|javax|jdk|jmh|sun|com\.sun)\.)\S+"
_ACCESS = r"-(illegal-access|add-opens|add-exports|add-reads|enable-native-access)=\S+|-enable-preview"
_READING = re.compile(
    _OPTIONS.format(rf"server|client|X(?!boot)\S+|ea|enableassertions|{_PROPERTY}|{_ACCESS}")
)
"""Those that have none on what the code could call, either: no property by which the JDK finds classes."""
_GROUP = re.compile(r" (E|I \d+ \d+) A (?!1 )\d+ ")
"""The threads in all, where that is said, and several numbers of those that execute each method."""
_OWN_JVM = re.compile(r" [LS] \d")
"""A text or a list of texts: behind the mode they would be a JVM, its options, or the threads of a group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A benchmark in one of its modes."""

    benchmark: str
    """Its id without parameters; of JMH before 1.12 the whole line, which names it among others."""
    generated: str
    """The class that JMH generated to execute it; empty: not known."""
    mode: str
    in_any_jvm: bool
    """Whether it is known to call the same in any JVM."""
    leads_alike: bool
    """Whether its code leads to the same in any JVM, though it may take other turns there."""
    is_group: bool = False
    """Whether its threads execute several methods, each its own."""


def entries(class_path: Iterable[str]) -> Iterator[Entry]:
    """Yield what the lists in the folders of a class path say; jars have benchmarks of others."""
    lists = (Path(folder) / "META-INF" / "BenchmarkList" for folder in class_path)
    texts = (path.read_text(encoding="utf-8") for path in lists if path.is_file())
    return (_entry(line) for text in texts for line in text.splitlines() if line.strip())


def _entry(line: str) -> Entry:
    named = _NAMES.match(line)
    if named is None:
        modes = _MODE.findall(line)
        mode = modes[0] if modes else ""
        return Entry(benchmark=line, generated="", mode=mode, in_any_jvm=False, leads_alike=False)
    rest = line[named.end() - 1 :]
    return Entry(
        benchmark=f"{named[1]}.{named[3]}",
        generated=named[2],
        mode=named[4],
        in_any_jvm=_OWN_JVM.search(_HARMLESS.sub(" E", rest)) is None,
        leads_alike=_OWN_JVM.search(_READING.sub(" E", rest)) is None,
        is_group=_GROUP.match(rest) is not None,
    )


def about(benchmark: str, listed: Iterable[Entry]) -> list[Entry]:
    """Return the entries of a benchmark, one for each of its modes."""
    owner, _, method = benchmark.rpartition(".")
    worded = re.compile(rf"\b{re.escape(owner)}\b.*\b{re.escape(method)}\b")
    return [
        entry
        for entry in listed
        if entry.benchmark == benchmark or (not entry.generated and worded.search(entry.benchmark))
    ]


def mode_of(listed: Sequence[Entry]) -> str:
    """Return the mode in which a benchmark is measured, of which these are the entries.

    The mean of what invocations take in several threads says little: one may never have had a processor.
    But where they execute several methods, the rate of all would be that of the shortest.
    """
    if {entry.mode for entry in listed} == {SINGLE_SHOT}:
        return SHOT
    return TIME if any(entry.is_group for entry in listed) else RATE
