"""CSV: the five-level rows of bencher and pa, and plain tables with named columns."""

import csv
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from abs_audit.errors import MismatchError
from abs_audit.formats import opening
from abs_audit.formats.sample import Sample, in_seconds

_PA_HEADER = "project;commit;benchmark;params;instance;trial;fork;iteration;mode;unit;value_count;value"
PA_COLUMNS = tuple(_PA_HEADER.split(";"))
"""Columns of pa's and bencher's files, which have no header by default, separated by semicolons."""
NEEDED = ("benchmark", "value")
LONGEST_FIELD = 2**20


def read_pa(path: Path) -> Iterator[Sample]:
    """Yield one sample a fork from pa's rows, with or without their header.

    Rows of a fork must stand together, as pa itself wants them: then any size fits into little memory.
    """
    yield from _samples(path, ";", PA_COLUMNS)


def read_plain(path: Path) -> Iterator[Sample]:
    """Yield one sample a fork from a table with the columns benchmark (or series) and value.

    Optional: instance, trial, fork, unit (default s), and parameters in `params`. Rows may stand in any
    order: those of a file whose forks do not stand together are all held, eight bytes a value.
    """
    if _of_group(path):
        yield from _samples(path, ",", None)
        return
    forks: dict[tuple[str, ...], array[float]] = {}
    for sample in _samples(path, ",", None):
        origin = (sample.benchmark, sample.instance, sample.trial, sample.fork, sample.unit)
        forks.setdefault(origin, array("d")).extend(sample.values)
    for key, values in forks.items():
        yield _sample(key, values)


def _of_group(path: Path) -> bool:
    """Tell whether the rows of each fork follow each other."""
    rows = ((*_key(cells), cells.get("unit", "")) for _, cells in _rows(path, ",", None))
    seen: set[tuple[str, ...]] = set()
    for key, _ in groupby(rows):
        if key in seen:
            return False
        seen.add(key)
    return True


def _samples(path: Path, delimiter: str, columns: tuple[str, ...] | None) -> Iterator[Sample]:
    measured = (_measured(path, number, cells) for number, cells in _rows(path, delimiter, columns))
    for key, rows in groupby(measured, itemgetter(0)):
        yield _sample(key, [value for _, values in rows for value in values])


def _measured(path: Path, number: int, cells: Mapping[str, str]) -> tuple[tuple[str, ...], list[float]]:
    repeated = _count(cells, path, number)
    value, unit = in_seconds(_value(cells, path, number), cells.get("unit") or "s")
    return (*_key(cells), unit), [value] * repeated


def _sample(key: tuple[str, ...], values: Sequence[float]) -> Sample:
    benchmark, instance, trial, fork, unit = key
    return Sample(
        benchmark=benchmark, instance=instance, trial=trial, fork=fork, values=tuple(values), unit=unit
    )


def _key(row: Mapping[str, str]) -> tuple[str, str, str, str]:
    name, parameters = row["benchmark"], row.get("params", "")
    full_name = f"{name}:{parameters}" if parameters else name
    return full_name, row.get("instance") or "1", row.get("trial") or "1", row.get("fork") or "1"


def _rows(
    path: Path, delimiter: str, columns: tuple[str, ...] | None
) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield line numbers and rows by column name."""
    for number, cells in lines(path, delimiter):
        if columns is None:
            columns = tuple("benchmark" if name == "series" else name for name in _named(cells))
            _check_columns(path, columns)
        # Of millions of rows few begin as a header that is there once more does.
        elif cells[0].strip().lower() != columns[0] or _named(cells) != columns:
            yield number, row(path, number, columns, cells)


def _named(cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.strip().lower() for name in cells)


def lines(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield number and cells of each line that has any; raise MismatchError where it is no table."""
    csv.field_size_limit(LONGEST_FIELD)
    with opening.text(path) as stream:
        reader = csv.reader(stream, delimiter=delimiter)
        try:
            yield from ((reader.line_num, cells) for cells in reader if cells)
        except csv.Error as error:
            raise MismatchError(f"{path}:{reader.line_num}: expected a table: {error}") from error


def row(path: Path, number: int, columns: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """Return the cells of a line by column; raise MismatchError where there are more or fewer."""
    if len(cells) != len(columns):
        raise MismatchError(f"{path}:{number}: expected {len(columns)} columns, found {len(cells)}")
    return dict(zip(columns, cells, strict=True))


def _check_columns(path: Path, columns: tuple[str, ...]) -> None:
    missing = [name for name in NEEDED if name not in columns]
    if missing:
        given = ", ".join(columns)[:100] or "none"
        raise MismatchError(f"{path}:1: expected the columns {' and '.join(NEEDED)}, found {given}")


def _number(text: str) -> float:
    """Return a number written in our digits; Python would take those of any script, and underscores."""
    if not text.isascii() or "_" in text:
        raise ValueError
    return float(text)


def _value(row: Mapping[str, str], path: Path, number: int) -> float:
    try:
        return _number(row["value"])
    except ValueError as error:
        raise MismatchError(f"{path}:{number}: expected a number, found {row['value'][:40]!r}") from error


def _count(row: Mapping[str, str], path: Path, number: int) -> int:
    """Return how often a value was measured; histograms of sample time are stored like that."""
    text = row.get("value_count") or "1"
    try:
        return max(1, int(_number(text)))
    except (ValueError, OverflowError) as error:
        raise MismatchError(f"{path}:{number}: expected a count, found {text[:40]!r}") from error
