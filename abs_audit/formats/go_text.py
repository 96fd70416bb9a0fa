"""Reads what Go's testing package prints for benchmarks, through whatever else the benchmarks print.

The format is that of golang/proposal 14313: configuration lines (`key: value`) and result lines
(`BenchmarkName-8  1000  1234 ns/op  56 B/op …`). Two things happen that it does not foresee: a benchmark
prints between its name and its result, so that they come to stand on different lines, and a run ends
early. What is not a whole result is left out; nothing is guessed.
"""

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

TIME = "ns/op"
NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|[Ii]nf|NaN)"
NAME = r"Benchmark(?![a-z])\S*"
PAIRS = rf"{NUMBER}\s+\S+(?:\s+{NUMBER}\s+\S+)*"
CONFIGURATION = re.compile(r"([a-z][^\sA-Z:]*):(?:[ \t]+(.*))?")
WHOLE = re.compile(rf"({NAME})\s+(\d+)\s+({PAIRS})\s*$")
# The testing package pads a name and puts a tab behind it; a sentence that begins like one does not.
BARE_NAME = re.compile(rf"({NAME}) *\t")
# It pads the number of invocations to eight places and puts a tab behind it, too.
BARE_RESULT = re.compile(rf"(\d+)\t *({PAIRS})\s*$")
PLAIN = re.compile(
    rf"^({NAME})[ \t]+\d+[ \t]+({NUMBER}) {TIME}(?:[ \t]+{NUMBER}[ \t]+\S+)*[ \t]*\r?$", re.MULTILINE
)
PAIR = re.compile(rf"({NUMBER})\s+(\S+)")
SUFFIX = re.compile(r"(.+)-([1-9]\d*)")
BUILT_IN_UNITS = frozenset({TIME, "MB/s", "B/op", "allocs/op"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One result line."""

    printed: str
    """The name as it was printed; `own_names` tells the number of processors apart."""
    invocations: int
    values: tuple[tuple[float, str], ...]
    """Each value with its unit, in the order printed."""
    configuration: Mapping[str, str]
    """What configuration lines before it said: `pkg`, `goos`, …"""

    def value(self, unit: str) -> float | None:
        """Return the value of a unit, None where the line has none."""
        return next((value for value, own in self.values if own == unit), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """A benchmark that ended without a result."""

    name: str
    """As it was printed: with the suffix where it failed after its first invocation."""
    skipped: bool
    """False: failed."""
    reason: str
    """What it said, on one line."""


def parse(text: str) -> Iterator[Result]:
    """Yield all whole results: none of an empty text, NaN and infinite values as such."""
    configuration: dict[str, str] = {}
    waiting: str | None = None
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        setting = CONFIGURATION.fullmatch(line.rstrip("\r"))
        if setting:
            configuration[setting[1]] = (setting[2] or "").strip()
            continue
        whole = WHOLE.search(line)
        waiting = whole[1] if whole else next((match[1] for match in BARE_NAME.finditer(line)), waiting)
        result = whole or BARE_RESULT.search(line)
        if waiting and result:
            *_, invocations, pairs = result.groups()
            yield Result(
                printed=waiting,
                invocations=int(invocations),
                values=_values(pairs, number == len(lines)),
                configuration=dict(configuration),
            )
            waiting = None


def _values(text: str, cut_off: bool) -> tuple[tuple[float, str], ...]:
    """Return values and units; the unit at the end of a text that was cut off may be half of one."""
    values = tuple((float(pair[1]), pair[2]) for pair in PAIR.finditer(text))
    return values[:-1] if cut_off and values[-1][1] not in BUILT_IN_UNITS else values


def own_names(printed: Set[str]) -> Mapping[str, tuple[str, int]]:
    """Return for each name that a package printed the one in its sources, and the number of processors.

    `-8` behind a name is the number of processors, or a part of a sub-benchmark's own name where there
    was but one. A benchmark without parts cannot have a dash of its own, so those tell for a whole
    package; where there are none, what all names of the package agree on is taken for the suffix.
    """
    suffixes = _suffixes(printed)
    return {
        name: (name, 1) if _bare(name, printed, suffixes) else _without_suffix(name, suffixes)
        for name in printed
    }


def _suffixes(names: Set[str]) -> set[str]:
    """Return the suffixes of a package, the empty one among them where some runs had one processor."""
    telling = {name for name in names if "/" not in name}
    suffixes = {match[2] if (match := SUFFIX.fullmatch(name)) else "" for name in telling or names}
    return suffixes if telling or len(suffixes) == 1 else set()


def _bare(name: str, names: Set[str], suffixes: Set[str]) -> bool:
    """Tell whether a name that looks as if it had a suffix is one that others were made of."""
    return "" in suffixes and all(f"{name}-{suffix}" in names for suffix in suffixes if suffix)


def _without_suffix(name: str, suffixes: Set[str]) -> tuple[str, int]:
    suffixed = SUFFIX.fullmatch(name)
    return (suffixed[1], int(suffixed[2])) if suffixed and suffixed[2] in suffixes else (name, 1)


def plain_times(text: str) -> list[tuple[str, str]] | None:
    """Return the name as printed and the `ns/op` of every result of a text that holds whole lines only.

    None where a name stands anywhere else, or the text was cut off: then `parse` has to tell. This is what
    nearly all files are, and six times as fast.
    """
    times = PLAIN.findall(text)
    return times if len(times) == text.count("Benchmark") and text.endswith("\n") else None


def times(text: str, invocations: int) -> list[float]:
    """Return the seconds per invocation of each run of so many invocations, in their order.

    A scan for tokens: the number that was asked for, a tab, and a number followed by `ns/op`, whatever
    stands before them on the line. Four digits are printed at least, so a time is rounded by .05 % at most.
    """
    # Padded to eight places, a number of fewer digits never touches what stands before it.
    before = r"(?<!\d)" if invocations < 10**7 else ""
    scan = rf"{before}{invocations}\t *({NUMBER}) ns/op(?=\t|\r?\n|\r?$|\Z)"
    return [float(line[1]) / 1e9 for line in re.finditer(scan, text)]


def lasted_s(text: str, runs: int) -> float:
    """Return the seconds that so many runs took in all, with what they set up; 0 where not all say so."""
    told = re.findall(rf"({NUMBER}) abs-audit-ns(?=\t|\r?\n|\r?$|\Z)", text)
    return sum(float(number) / 1e9 for number in told) if len(told) == runs else 0.0


# Go 1.27 puts what a verbose benchmark logs between these, so that it is told from what it prints.
MARKS = {0x0E: None, 0x0F: None}
ENDED = re.compile(r"--- (FAIL|SKIP): (Benchmark\S*)[^\n]*((?:\n[ \t]+[^\n]*)*)")
BEGUN = re.compile(r"\x16=== RUN   (Benchmark\S*)")
LOGGED = re.compile(r"^[ \t]+(\S+\.go:\d+: .*)$", re.MULTILINE)
TRACE = re.compile(r"^goroutine \d+ .*\[", re.MULTILINE)
CRASH = re.compile(r"(?:^|\t)(panic: .*|fatal error: .*|SIG[A-Z]+: .*)$", re.MULTILINE)


def endings(text: str) -> Iterator[Ending]:
    """Yield the benchmarks that failed or were skipped, with what they logged."""
    after = 0
    text = text.translate(MARKS)
    for ended in ENDED.finditer(text):
        # What a benchmark logs stands below its end, or before it where each line was printed at once.
        below = " ".join(ended[3].split())
        logged = LOGGED.findall(text, after, ended.start())
        yield Ending(name=ended[2], skipped=ended[1] == "SKIP", reason=below or " ".join(logged[-1:]))
        after = ended.end()


def begun(text: str) -> list[tuple[str, str]]:
    """Return each benchmark that a verbose run began, and what was printed until the next one began."""
    starts = list(BEGUN.finditer(text))
    ends = [start.start() for start in starts[1:]] + [len(text)] * bool(starts)
    return [(start[1], text[start.end() : end]) for start, end in zip(starts, ends, strict=True)]


# A line of a trace, and one that tells where Go's own sources lie.
FRAME = re.compile(r"^\t(.*/)?([^/\n]+\.go:\d+)", re.MULTILINE)
OWN_FRAME = re.compile(r"^\t(.+/)(?:runtime|testing)/\w+\.go:\d+", re.MULTILINE)


def crash(log: str) -> str:
    """Return the line that tells why a process broke down, and where; empty where none does."""
    trace = TRACE.search(log)
    crashes = CRASH.findall(log, 0, trace.start() if trace else len(log))
    panicked_at = _place(log[trace.start() :].partition("\n\n")[0]) if trace else ""
    return f"{crashes[-1].strip()}{panicked_at}" if crashes else ""


def _place(trace: str) -> str:
    """Return file and line of the innermost frame that is not Go's own, in brackets; or nothing."""
    own = OWN_FRAME.search(trace)
    frames = ((folder or "", line) for folder, line in FRAME.findall(trace))
    outside = (line for folder, line in frames if not own or not folder.startswith(own[1]))
    return next((f" ({line})" for line in outside), "")
