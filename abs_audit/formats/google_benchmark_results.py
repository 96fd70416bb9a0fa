"""Google Benchmark's JSON (`--benchmark_format=json`): real time of each repetition."""

from collections.abc import Iterator
from pathlib import Path

from abs_audit.errors import MismatchError
from abs_audit.formats.json_stream import Shape, items
from abs_audit.formats.sample import Sample, in_seconds


class _Repetition(Shape):
    name: str
    run_name: str | None = None
    run_type: str = "iteration"
    real_time: float | None = None
    time_unit: str = "ns"
    error_occurred: bool = False


def read(path: Path) -> Iterator[Sample]:
    """Yield one sample a benchmark; aggregates are left out, and those that failed or were skipped."""
    times: dict[str, list[float]] = {}
    aggregated = False
    for repetition in items(path, "benchmarks.item", _Repetition):
        aggregated |= repetition.run_type == "aggregate"
        if repetition.run_type == "iteration" and not repetition.error_occurred and repetition.real_time:
            time_s, _ = in_seconds(repetition.real_time, repetition.time_unit)
            times.setdefault(repetition.run_name or repetition.name, []).append(time_s)
    if aggregated and not times:
        raise MismatchError(
            f"{path}: expected the repetitions, found only their aggregates; leave out "
            "--benchmark_report_aggregates_only"
        )
    for name, values in times.items():
        yield Sample(benchmark=name, values=tuple(values))
