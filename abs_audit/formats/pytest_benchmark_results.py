"""pytest-benchmark's JSON (`--benchmark-json`): a round there is an iteration here."""

from collections.abc import Iterator
from pathlib import Path

from abs_audit.errors import MismatchError
from abs_audit.formats.json_stream import Shape, items
from abs_audit.formats.sample import Sample


class _Stats(Shape):
    data: list[float] | None = None


class _Benchmark(Shape):
    fullname: str | None = None
    name: str
    stats: _Stats


def read(path: Path) -> Iterator[Sample]:
    """Yield one sample a benchmark; each file is one fork."""
    for benchmark in items(path, "benchmarks.item", _Benchmark):
        name = benchmark.fullname or benchmark.name
        if benchmark.stats.data is None:
            raise MismatchError(
                f"{path}: {name}: expected the rounds in stats.data, found only their summary; "
                "save them with: pytest --benchmark-json=FILE"
            )
        yield Sample(benchmark=name, values=tuple(benchmark.stats.data))
