"""pytest-benchmark's JSON (`--benchmark-json`, `--benchmark-save`): a round there is an iteration here."""

from collections.abc import Iterator
from pathlib import Path

from abs_audit.errors import MismatchError
from abs_audit.formats.json_stream import Shape, items
from abs_audit.formats.sample import Sample


class _Stats(Shape):
    data: list[float] | None = None
    mean: float | None = None


class _Benchmark(Shape):
    fullname: str | None = None
    name: str
    stats: _Stats


def read(path: Path) -> Iterator[Sample]:
    """Yield one sample a benchmark; each file is one fork.

    What `--benchmark-save` leaves without `--benchmark-save-data` has no rounds: their mean is the one value.
    """
    for benchmark in items(path, "benchmarks.item", _Benchmark):
        name = benchmark.fullname or benchmark.name
        values = benchmark.stats.data
        if values is None:
            if benchmark.stats.mean is None:
                raise MismatchError(f"{path}: {name}: expected stats.data or stats.mean, found neither")
            values = [benchmark.stats.mean]
        yield Sample(benchmark=name, values=tuple(values))
