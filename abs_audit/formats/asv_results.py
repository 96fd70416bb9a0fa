"""asv's result files (`results/MACHINE/COMMIT-*.json`, version 2): one file a commit."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import Field

from abs_audit.errors import MismatchError
from abs_audit.formats.json_stream import Shape, shaped, whole
from abs_audit.formats.sample import Sample

COLUMNS = ("result", "params", "samples")


class _Document(Shape):
    result_columns: Sequence[str] = ()
    results: Mapping[str, object] = Field(default_factory=dict)


class _Row(Shape):
    result: list[float | None] | None = None
    params: list[list[object]] | None = None
    samples: list[list[float] | None] | None = None


def read(path: Path) -> Iterator[Sample]:
    """Yield one sample a benchmark and combination of parameters; its samples, else its one result.

    Benchmarks that failed have no values and are left out; memory and tracked values keep no unit here
    and are left out, too: their names say what they are.
    """
    # The file holds one commit, and bare infinities that only Python's own reader takes.
    document = whole(path, _Document)
    if not set(COLUMNS[:2]) <= set(document.result_columns):
        raise MismatchError(
            f"{path}: expected `result_columns` with {', '.join(COLUMNS)}: results of asv 0.4+"
        )
    for name, columns in document.results.items():
        if name.rpartition(".")[2].startswith(("mem", "peakmem", "track")) or not isinstance(columns, list):
            continue
        named = dict(zip(document.result_columns, columns, strict=False))
        yield from _samples(name, shaped(named, _Row, f"{path}: {name}"))


def _samples(name: str, row: _Row) -> Iterator[Sample]:
    results = row.result or []
    measured: Sequence[list[float] | None] = row.samples or [None] * len(results)
    # In asv's own order; without parameters there is one, empty, combination.
    combinations = [", ".join(map(str, each)) for each in itertools.product(*(row.params or []))]
    for parameters, result, values in itertools.zip_longest(combinations, results, measured):
        own = values or [] if result is None else values or [result]
        if own:
            yield Sample(benchmark=f"{name}({parameters})" if parameters else name, values=tuple(own))
