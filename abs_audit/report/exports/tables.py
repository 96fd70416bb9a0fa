"""Samples as tables: the five-level rows of pa and bencher, plain CSV, and Parquet."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping

from abs_audit.errors import UnfitEnvironmentError
from abs_audit.formats.sample import Sample
from abs_audit.formats.tables import PA_COLUMNS

PLAIN_COLUMNS = ("benchmark", "instance", "trial", "fork", "iteration", "value", "unit")


def pa_csv(samples: Iterable[Sample]) -> bytes:
    """Return the rows that pa reads: no header, semicolons, one line a value.

    Project and commit are empty: a session may hold several. What a benchmark's parameters are is part of
    its id.
    """
    rows = (
        dict(zip(PA_COLUMNS, ("", "", *row), strict=True))
        for row in (
            (name, "", instance, trial, fork, str(iteration), "avgt", unit, "1", repr(value))
            for name, instance, trial, fork, iteration, value, unit in rows_of(samples)
        )
    )
    return _written(rows, PA_COLUMNS, ";", header=False)


def plain_csv(samples: Iterable[Sample]) -> bytes:
    """Return a table with named columns, which `abs-audit import` reads, too."""
    rows = (dict(zip(PLAIN_COLUMNS, row, strict=True)) for row in rows_of(samples))
    return _written(rows, PLAIN_COLUMNS, ",", header=True)


def parquet(samples: Iterable[Sample]) -> bytes:
    """Return the plain table as Parquet; raise UnfitEnvironmentError where pyarrow is not installed."""
    try:
        import pyarrow  # noqa: PLC0415 - an optional part, and a large one
        from pyarrow import parquet as writer  # noqa: PLC0415
    except ImportError as error:
        raise UnfitEnvironmentError(
            "Parquet needs pyarrow, which is not installed; install it with: pip install 'abs-audit[data]'"
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


def _written(
    rows: Iterable[Mapping[str, object]], columns: tuple[str, ...], delimiter: str, *, header: bool
) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, delimiter=delimiter, lineterminator="\n")
    if header:
        writer.writeheader()
    for row in rows:
        writer.writerow(row)
    return text.getvalue().encode()
