"""Reads counters of a test run: a CSV with a column for each counter, a row for each moment, and a load."""

import contextlib
import csv
import gzip
import math
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

import numpy as np

from abs_audit.analysis.chart_samples import ChartRun
from abs_audit.errors import MismatchError

LOAD = "load"
TIMES = frozenset({"time", "timestamp", "date", "elapsed", "seconds", "second", "minute", "t"})
"""Columns that say when a row was sampled; their order is all that counts."""
RESULT = "value"
"""A column of this name makes a CSV a file of benchmark results, one value a row."""


def holds_counters(path: Path) -> bool:
    """Tell whether a file is a CSV of counters, and not one of benchmark results."""
    if not {".csv", ".tsv"} & set(path.suffixes) or not path.is_file():
        return False
    with _opened(path) as stream:
        header = next(csv.reader(stream, delimiter=_delimiter(path)), [])
    return RESULT not in {name.strip().lower() for name in header}


def read_counters(path: Path, load: str = LOAD) -> ChartRun:
    """Return the run that a CSV holds; `load` names the column with the load of each moment, if any.

    Columns named after a time are left out. Raises MismatchError where a column is named twice, where none
    is left to chart, and for cells that are not finite numbers of at least 0, with line and column.
    """
    with _opened(path) as stream:
        rows = csv.reader(stream, delimiter=_delimiter(path))
        names = _header(path, next(rows, []))
        columns = _columns(path, names, rows)
    loads = next((columns[name] for name in names if name.lower() == load.lower()), None)
    counters = {
        name: columns[name] for name in names if name.lower() != load.lower() and name.lower() not in TIMES
    }
    if not counters:
        raise MismatchError(
            f"{path}:1: expected a column for each counter, found only {', '.join(names) or 'nothing'}"
        )
    return ChartRun(name=path.name, counters=counters, load=loads)


def _header(path: Path, cells: Sequence[str]) -> list[str]:
    names = [cell.strip().removeprefix("\ufeff") for cell in cells]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise MismatchError(
            f"{path}:1: column {twice[0]!r} is there twice; give each counter a name of its own"
        )
    if "" in names:
        raise MismatchError(f"{path}:1: column {names.index('') + 1} has no name; name it in the first line")
    if names and all(_number(name) is not None for name in names):
        raise MismatchError(f"{path}:1: expected the names of the columns, found numbers: add a first line")
    return names


def _columns(path: Path, names: Sequence[str], rows: Iterator[list[str]]) -> dict[str, np.ndarray]:
    values: list[list[float]] = [[] for _ in names]
    timed = [name.lower() in TIMES for name in names]
    for line, row in enumerate(rows, start=2):
        if not row:
            continue
        if len(row) != len(names):
            raise MismatchError(
                f"{path}:{line}: expected {len(names)} columns as in line 1, found {len(row)}"
            )
        for at, cell in enumerate(row):
            values[at].append(0.0 if timed[at] else _checked(path, line, names[at], cell))
    if names and not values[0]:
        raise MismatchError(f"{path}: expected at least one row of samples below the names, found none")
    return {name: np.array(column) for name, column in zip(names, values, strict=True)}


def _checked(path: Path, line: int, name: str, cell: str) -> float:
    number = _number(cell)
    if number is None or not math.isfinite(number) or number < 0:
        found = repr(cell.strip()[:40]) if cell.strip() else "nothing"
        raise MismatchError(f"{path}:{line}: column {name!r}: expected a number of at least 0, found {found}")
    return number


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _delimiter(path: Path) -> str:
    return "\t" if ".tsv" in path.suffixes else ","


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    """Open a file and turn whatever keeps it from being read into a message."""
    try:
        packed = path.suffix == ".gz"
        with (gzip.open if packed else open)(path, "rt", encoding="utf-8", newline="") as stream:
            yield stream
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise MismatchError(
            f"{path}: cannot read it as CSV ({reason}); give a text file with columns"
        ) from error
