"""asv's result files (`results/MACHINE/COMMIT-*.json`, version 2): one file a commit."""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from abs_audit.errors import MismatchError
from abs_audit.formats.json_stream import items, numbers, pairs
from abs_audit.formats.sample import SECONDS, Sample

COLUMNS = ("result", "params", "samples")


def read(path: Path) -> Iterator[Sample]:
    """Yield one sample a benchmark and combination of parameters; its samples, else its one result.

    Benchmarks that failed have no values and are left out; memory and tracked values keep no unit here
    and are left out, too: their names say what they are.
    """
    columns = [str(name) for name in items(path, "result_columns.item")]
    if not set(COLUMNS[:2]) <= set(columns):
        raise MismatchError(
            f"{path}: expected `result_columns` with {', '.join(COLUMNS)}: results of asv 0.4+"
        )
    for name, row in pairs(path, "results"):
        if name.rpartition(".")[2].startswith(("mem", "peakmem", "track")) or not isinstance(row, list):
            continue
        yield from _samples(path, name, dict(zip(columns, row, strict=False)))


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
