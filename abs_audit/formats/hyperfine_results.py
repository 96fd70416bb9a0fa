"""hyperfine's JSON (`--export-json`): every run of a command is a process of its own, a fork here."""

from collections.abc import Iterator
from pathlib import Path

from abs_audit.formats.json_stream import Shape, items
from abs_audit.formats.sample import Sample


class _Result(Shape):
    command: str
    times: list[float]


def read(path: Path) -> Iterator[Sample]:
    """Yield one sample a command and run, with its wall-clock time."""
    for result in items(path, "results.item", _Result):
        for fork, time_s in enumerate(result.times, start=1):
            yield Sample(benchmark=result.command, fork=str(fork), values=(time_s,))
