"""Samples as tables: the five-level rows of pa and bencher, plain CSV, and Parquet."""

import csv
import io
import itertools
from collections.abc import Iterable, Iterator, Sequence

from abs_audit.errors import UnfitEnvironmentError
from abs_audit.formats.sample import Sample

PLAIN_COLUMNS = ("benchmark", "instance", "trial", "fork", "iteration", "value", "unit")


def pa_csv(samples: Iterable[Sample]) -> bytes:
    """Return the rows that pa reads: no header, semicolons, one line a value.

    Project and commit are empty: a session may hold several. What a benchmark's parameters are is part of
    its id.
    """
    rows = (
        ("", "", name, "", instance, trial, fork, iteration, "avgt", unit, 1, value)
        for name, instance, trial, fork, iteration, value, unit in rows_of(samples)
    )
    return _written(rows, ";")


def plain_csv(samples: Iterable[Sample]) -> bytes:
    """Return a table with named columns, which `abs-audit import` reads, too."""
    return _written(itertools.chain([PLAIN_COLUMNS], rows_of(samples)), ",")


def parquet(samples: Iterable[Sample]) -> bytes:
    """Return the plain table as Parquet; raise UnfitEnvironmentError where pyarrow is not installed."""
    try:
        import pyarrow  # noqa: PLC0415 - an optional part, and a large one
        from pyarrow import parquet as writer  # noqa: PLC0415
    except ImportError as error:
        raise UnfitEnvironmentError(
            "Parquet needs pyarrow, which is not installed; install it with: pip install pyarrow"
        ) from error
    columns = list(zip(*rows_of(samples), strict=True)) or [()] * len(PLAIN_COLUMNS)
    table = pyarrow.table({name: list(column) for name, column in zip(PLAIN_COLUMNS, columns, strict=True)})
    sink = io.BytesIO()
    writer.write_table(table, sink)
    return sink.getvalue()


def rows_of(samples: Iterable[Sample]) -> Iterator[tuple[str, str, str, str, int, float, str]]:
    """Yield a row a value, in the order of the plain columns."""
    for sample in samples:
        for iteration, value in enumerate(sample.values, start=1):
            yield sample.benchmark, sample.instance, sample.trial, sample.fork, iteration, value, sample.unit


def _written(rows: Iterable[Sequence[object]], delimiter: str) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()
