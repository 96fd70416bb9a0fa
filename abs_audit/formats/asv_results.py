"""asv's result files (`results/MACHINE/COMMIT-*.json`, version 2): one file a commit."""

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from abs_audit.errors import MismatchError, UsageError
from abs_audit.formats.json_stream import numbers
from abs_audit.formats.sample import SECONDS, Sample

COLUMNS = ("result", "params", "samples")


def read(path: Path) -> Iterator[Sample]:
    """Yield one sample a benchmark and combination of parameters; its samples, else its one result.

    Benchmarks that failed have no values and are left out; memory and tracked values keep no unit here
    and are left out, too: their names say what they are.
    """
    document = _document(path)
    columns = [str(name) for name in document.get("result_columns", [])]
    if not set(COLUMNS[:2]) <= set(columns):
        raise MismatchError(
            f"{path}: expected `result_columns` with {', '.join(COLUMNS)}: results of asv 0.4+"
        )
    for name, row in document.get("results", {}).items():
        if name.rpartition(".")[2].startswith(("mem", "peakmem", "track")) or not isinstance(row, list):
            continue
        yield from _samples(path, name, dict(zip(columns, row, strict=False)))


def _document(path: Path) -> dict[str, Any]:
    """Return the whole file: it holds one commit, and bare infinities that only Python's own reader takes."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot read it ({error.strerror})") from error
    except ValueError as error:
        raise MismatchError(f"{path}: expected whole JSON, found: {error}") from error
    if not isinstance(found, dict):
        raise MismatchError(f"{path}: expected results of asv, found {str(found)[:60]}")
    return found


def _samples(path: Path, name: str, row: dict[str, Any]) -> Iterator[Sample]:
    results = row.get("result") or []
    measured = row.get("samples") or [None] * len(results)
    for parameters, result, values in itertools.zip_longest(_combinations(row), results, measured):
        if result is None and not values:
            continue
        yield Sample(
            benchmark=f"{name}({parameters})" if parameters else name,
            instance="1",
            trial="1",
            fork="1",
            values=numbers(values if values else [result], f"{path}: {name}"),
            unit=SECONDS,
        )


def _combinations(row: dict[str, Any]) -> list[str]:
    """Return the combinations of parameters in asv's own order; one empty text where there are none."""
    parameters: Sequence[Sequence[str]] = row.get("params") or []
    return [", ".join(map(str, each)) for each in itertools.product(*parameters)]
