"""CodSpeed's local results of walltime: a summary of each benchmark, and nothing of what was measured."""

from collections.abc import Iterator
from pathlib import Path

from abs_audit.formats.json_stream import Shape, items
from abs_audit.formats.sample import Sample


class _Stats(Shape):
    median_ns: float | None = None
    mean_ns: float = 0.0


class _Benchmark(Shape):
    uri: str | None = None
    name: str
    stats: _Stats


def read(path: Path) -> Iterator[Sample]:
    """Yield the median of each benchmark as its only value."""
    for benchmark in items(path, "benchmarks.item", _Benchmark):
        median_ns = (
            benchmark.stats.mean_ns if benchmark.stats.median_ns is None else benchmark.stats.median_ns
        )
        yield Sample(benchmark=benchmark.uri or benchmark.name, values=(median_ns * 1e-9,))
