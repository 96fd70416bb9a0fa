"""Reads the counters of a test run from a CSV: a column for each counter, or a column with their names.

Wide: one row a moment, one column a counter. Long: one row a sample, with the columns `counter` and `value`.
Either may have a column with the load of the moment; columns named after a time are left out.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from abs_audit.analyses.chart.samples import ChartRun
from abs_audit.errors import MismatchError, UsageError
from abs_audit.formats.tables import lines, row

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
    _, header = next(lines(path, _delimiter(path)), (1, []))
    names = {name.strip().lower() for name in header}
    return VALUE not in names or bool(COUNTER & names)


def read_counters(path: Path, load: str | None = None) -> ChartRun:
    """Return the run that a CSV holds; `load` names the column with the load, without it `load` if any.

    Raises MismatchError for a column that is named twice or not at all, for a table without counters or
    rows, and for cells that are not finite numbers of at least 0, with line and column.
    """
    table = lines(path, _delimiter(path))
    names = _header(path, next(table, (1, []))[1])
    loading = next((name for name in names if name.lower() == (load or LOAD).lower()), None)
    if load is not None and loading is None:
        raise UsageError(f"--load {load}: no such column in {path}; it has {', '.join(names)}")
    rows = (_Row(path, number, row(path, number, names, cells)) for number, cells in table)
    read = _long if COUNTER & {name.lower() for name in names} else _wide
    return read(path, loading, names, rows)


def _wide(path: Path, loading: str | None, names: Sequence[str], rows: Iterator[_Row]) -> ChartRun:
    wanted = [name for name in names if name.lower() not in TIMES]
    if set(wanted) <= {loading}:
        raise MismatchError(
            f"{path}:1: expected a column for each counter, found only {', '.join(names) or 'nothing'}"
        )
    columns: dict[str, list[float]] = {name: [] for name in wanted}
    for line in rows:
        for name in wanted:
            columns[name].append(line.number(name))
    loads = columns.pop(loading) if loading is not None else None
    return _run(path, columns, loads)


def _long(path: Path, loading: str | None, names: Sequence[str], rows: Iterator[_Row]) -> ChartRun:
    column = {name.lower(): name for name in names}
    naming = next(column[name] for name in COUNTER if name in column)
    if VALUE not in column:
        raise MismatchError(f"{path}:1: expected a column `value` beside {naming!r}, found none")
    counters, loads = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    for line in rows:
        name = line.cells[naming].strip()
        counters[name].append(line.number(column[VALUE]))
        if loading is not None:
            loads[name].append(line.number(loading))
    if len({tuple(load) for load in loads.values()}) > 1:
        raise MismatchError(
            f"{path}: expected the same loads for all counters, found different ones; "
            "give a table with a column for each counter"
        )
    return _run(path, counters, next(iter(loads.values()), None))


def _run(path: Path, counters: Mapping[str, Sequence[float]], loads: Sequence[float] | None) -> ChartRun:
    if not any(counters.values()):
        raise MismatchError(f"{path}: expected at least one row of samples below the names, found none")
    return ChartRun(
        name=path.name,
        counters={name: np.array(values) for name, values in counters.items()},
        load=None if loads is None else np.array(loads),
    )


def _header(path: Path, cells: Sequence[str]) -> list[str]:
    names = [cell.strip() for cell in cells]
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


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _delimiter(path: Path) -> str:
    return "\t" if ".tsv" in path.suffixes else ","
