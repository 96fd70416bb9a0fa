"""Reads the counters of a test run from a CSV: a column for each counter, or a column with their names.

Wide: one row a moment, one column a counter. Long: one row a sample, with the columns `counter` and `value`.
Either may have a column with the load of the moment; columns named after a time are left out.
"""

import contextlib
import csv
import gzip
import math
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from abs_audit.analyses.chart.samples import ChartRun
from abs_audit.errors import MismatchError, UsageError

Floats = NDArray[np.float64]
LOAD = "load"
COUNTER, VALUE = frozenset({"counter", "metric"}), "value"
TIMES = frozenset(
    {"time", "timestamp", "datetime", "date", "elapsed", "elapsed_s", "time_s", "t", "ts"}
    | {"hour", "minute", "minutes", "second", "seconds"}
)
"""Columns that say when a row was sampled; their order is all that counts."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of the table, and where it stands, for the message about a cell that is no number."""

    path: Path
    line: int
    cells: Mapping[str, str]

    def number(self, column: str) -> float:
        text = self.cells[column]
        number = _number(text)
        if number is None or not 0.0 <= number < math.inf:
            shown = repr(text.strip()[:40]) if text.strip() else "nothing"
            raise MismatchError(
                f"{self.path}:{self.line}: column {column!r}: expected a number of at least 0, found {shown}"
            )
        return number


def holds_counters(path: Path) -> bool:
    """Tell whether a file is a CSV of counters, and not one of benchmark results."""
    if not {".csv", ".tsv"} & set(path.suffixes) or not path.is_file():
        return False
    with _opened(path) as stream:
        names = {name.strip().lower() for name in next(csv.reader(stream, delimiter=_delimiter(path)), [])}
    return VALUE not in names or bool(COUNTER & names)


def read_counters(path: Path, load: str | None = None) -> ChartRun:
    """Return the run that a CSV holds; `load` names the column with the load, without it `load` if any.

    Raises MismatchError for a column that is named twice or not at all, for a table without counters or
    rows, and for cells that are not finite numbers of at least 0, with line and column.
    """
    with _opened(path) as stream:
        rows = csv.reader(stream, delimiter=_delimiter(path))
        names = _header(path, next(rows, []))
        loading = next((name for name in names if name.lower() == (load or LOAD).lower()), None)
        if load is not None and loading is None:
            raise UsageError(f"--load {load}: no such column in {path}; it has {', '.join(names)}")
        if COUNTER & {name.lower() for name in names}:
            return _long(path, loading, names, _table(path, names, rows))
        return _wide(path, loading, names, _table(path, names, rows))


def _wide(path: Path, loading: str | None, names: Sequence[str], rows: Iterator[_Row]) -> ChartRun:
    wanted = [name for name in names if name.lower() not in TIMES]
    if set(wanted) <= {loading}:
        raise MismatchError(
            f"{path}:1: expected a column for each counter, found only {', '.join(names) or 'nothing'}"
        )
    columns: dict[str, list[float]] = {name: [] for name in wanted}
    for row in rows:
        for name in wanted:
            columns[name].append(row.number(name))
    _check_rows(path, len(columns[wanted[0]]))
    loads = columns.pop(loading) if loading is not None else None
    return _run(path, columns, loads)


def _long(path: Path, loading: str | None, names: Sequence[str], rows: Iterator[_Row]) -> ChartRun:
    column = {name.lower(): name for name in names}
    naming = next(column[name] for name in COUNTER if name in column)
    if VALUE not in column:
        raise MismatchError(f"{path}:1: expected a column `value` beside {naming!r}, found none")
    counters, loads = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    for row in rows:
        name = row.cells[naming].strip()
        counters[name].append(row.number(column[VALUE]))
        if loading is not None:
            loads[name].append(row.number(loading))
    _check_rows(path, len(counters))
    if len({tuple(load) for load in loads.values()}) > 1:
        raise MismatchError(
            f"{path}: expected the same loads for all counters, found different ones; "
            "give a table with a column for each counter"
        )
    return _run(path, counters, next(iter(loads.values()), None))


def _run(path: Path, counters: Mapping[str, Sequence[float]], loads: Sequence[float] | None) -> ChartRun:
    return ChartRun(
        name=path.name,
        counters={name: np.array(values) for name, values in counters.items()},
        load=None if loads is None else np.array(loads),
    )


def _check_rows(path: Path, rows: int) -> None:
    if not rows:
        raise MismatchError(f"{path}: expected at least one row of samples below the names, found none")


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


def _table(path: Path, names: Sequence[str], rows: Iterator[list[str]]) -> Iterator[_Row]:
    for line, row in enumerate(rows, start=2):
        if row and len(row) != len(names):
            raise MismatchError(
                f"{path}:{line}: expected {len(names)} columns as in line 1, found {len(row)}"
            )
        if row:
            yield _Row(path, line, dict(zip(names, row, strict=True)))


def _number(text: str) -> float | None:
    try:
        return float(text)
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
    except FileNotFoundError as error:
        raise UsageError(f"{path}: cannot read it ({error.strerror})") from error
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise MismatchError(f"{path}: cannot read it as CSV ({reason}); give a file with columns") from error
