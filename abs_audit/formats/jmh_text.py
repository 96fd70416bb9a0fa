"""What JMH prints: the log of a run with every iteration, and its tables, as text or CSV (`-rf csv`)."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from abs_audit.errors import MismatchError
from abs_audit.formats import opening
from abs_audit.formats.jmh_results import identifier, several_modes
from abs_audit.formats.sample import Sample

MODES = {"Throughput": "thrpt", "Average": "avgt", "Sampling": "sample", "Single": "ss"}
"""First word of a mode in the log → its short name."""
NUMBER = r"-?\d[\d.,]*(?:[eE][-+]?\d+)?"
HEADER = re.compile(r"^# (Benchmark mode|Benchmark|Parameters|Fork): (.*?)\s*$")
ITERATION = re.compile(
    rf"^Iteration\s+\d+: (?:n = \d+, mean = )?({NUMBER})(?: ±\S* {NUMBER})? ([^\s,]+/[^\s,]+)"
)
PARAMETER = re.compile(r"(\w+) = ([^,)]*)")
TABLE = re.compile(
    r"^Benchmark\s+((?:\([^)]*\)\s+)*)Mode\s+(?:Cnt\s+|Samples\s+)?Score\s+(?:.*\s)?Units?\s*$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """One benchmark in one mode, as it was printed."""

    benchmark: str
    mode: str
    parameters: dict[str, str]
    unit: list[str] = field(default_factory=list)
    forks: list[list[float]] = field(default_factory=list)


def read(path: Path) -> Iterator[Sample]:
    """Yield one sample a benchmark and fork of a log; of a table alone its scores."""
    with opening.text(path) as stream:
        logged, table = _Log(), list[_Run]()
        parameters: list[str] | None = None
        for line in stream:
            logged.take(line)
            header = TABLE.match(line)
            if header:
                parameters = re.findall(r"\(([^)]*)\)", header[1])
            elif parameters is not None:
                table.extend(_row(line.split(), parameters))
    yield from _samples([run for run in logged.runs if run.forks] or table)


def read_csv(path: Path) -> Iterator[Sample]:
    """Yield the score of each benchmark as its only value: the table holds no more."""
    with opening.text(path) as stream:
        runs = [_scored(path, number, row) for number, row in enumerate(csv.DictReader(stream), start=2)]
    yield from _samples(runs)


def _scored(path: Path, number: int, row: dict[str, str]) -> _Run:
    try:
        return _Run(
            benchmark=row["Benchmark"],
            mode=row["Mode"],
            parameters={
                key.removeprefix("Param: "): value
                for key, value in row.items()
                if key and key.startswith("Param: ") and value
            },
            unit=[row["Unit"]],
            forks=[[_number(row["Score"])]],
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise MismatchError(
            f"{path}:{number}: expected the columns Benchmark, Mode, Score and Unit of JMH, found {error}"
        ) from error


class _Log:
    """The runs of a log, as far as it was read."""

    def __init__(self) -> None:
        self.runs: list[_Run] = []
        self._mode = ""

    def take(self, line: str) -> None:
        """Read one more line."""
        header = HEADER.match(line)
        if header:
            self._begin(header[1], header[2])
        elif self.runs and self.runs[-1].forks and (value := ITERATION.match(line)):
            self.runs[-1].forks[-1].append(_number(value[1]))
            self.runs[-1].unit[:] = [value[2]]

    def _begin(self, kind: str, text: str) -> None:
        if kind == "Benchmark mode":
            self._mode = MODES.get(text.split(maxsplit=1)[0] if text else "", "")
        elif kind == "Benchmark":
            self.runs.append(_Run(benchmark=text, mode=self._mode, parameters={}))
        elif self.runs and kind == "Parameters":
            self.runs[-1].parameters.update(PARAMETER.findall(text))
        elif self.runs and kind == "Fork":
            self.runs[-1].forks.append([])


def _row(words: list[str], parameters: list[str]) -> Iterator[_Run]:
    """Yield what a row of the table holds; lines below it, and its secondary results, are none."""
    size = len(parameters)
    if len(words) < size + 4 or ":" in words[0] or words[size + 1] not in MODES.values():
        return
    score = [word for word in words[size + 2 : -1] if re.fullmatch(NUMBER, word)]
    # The number of iterations stands before the score, but for a single one.
    value = score[1] if len(score) > 1 and score[0].isdigit() else score[0] if score else None
    if value is not None:
        yield _Run(
            benchmark=words[0],
            mode=words[size + 1],
            parameters={
                key: text for key, text in zip(parameters, words[1 : size + 1], strict=True) if text != "N/A"
            },
            unit=[words[-1]],
            forks=[[_number(value)]],
        )


def _samples(runs: list[_Run]) -> Iterator[Sample]:
    several = several_modes((run.benchmark, run.mode) for run in runs)
    for run in runs:
        name = identifier(run.benchmark, run.parameters, run.mode, several)
        for number, values in enumerate(filter(None, run.forks), start=1):
            yield Sample.of_fork(name, number, values, run.unit[0])


def _number(text: str) -> float:
    """Return a number whose decimals may stand behind a comma: JMH prints as its locale does."""
    return float(text.replace(",", ".") if "." not in text else text.replace(",", ""))
