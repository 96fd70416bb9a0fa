"""JSON documents that are a list of benchmarks, each with its values: one reader a tool that writes them."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from abs_audit.errors import MismatchError
from abs_audit.formats.json_stream import Shape, items
from abs_audit.formats.sample import Sample, in_seconds

PYPERF_UNITS = {"second": "s", "byte": "byte", "integer": ""}


class _Command(Shape):
    command: str
    times: list[float]


class _Summary(Shape):
    data: list[float] | None = None
    mean: float | None = None
    mean_ns: float = 0.0
    median_ns: float | None = None


class _Summarised(Shape):
    fullname: str | None = None
    uri: str | None = None
    name: str
    stats: _Summary


class _Run(Shape):
    values: list[float] = Field(default_factory=list)


class _Runs(Shape):
    metadata: dict[str, object] = Field(default_factory=dict)
    runs: list[_Run] = Field(default_factory=list)


class _Repetition(Shape):
    name: str
    run_name: str | None = None
    run_type: str = "iteration"
    real_time: float | None = None
    time_unit: str = "ns"
    error_occurred: bool = False


def read_hyperfine(path: Path) -> Iterator[Sample]:
    """Yield one sample a command and run (`--export-json`): a run is a process of its own, a fork here."""
    for result in items(path, "results.item", _Command):
        for fork, time_s in enumerate(result.times, start=1):
            yield Sample(benchmark=result.command, fork=str(fork), values=(time_s,))


def read_codspeed(path: Path) -> Iterator[Sample]:
    """Yield the median of each benchmark as its only value: local results of walltime hold no other."""
    for benchmark in items(path, "benchmarks.item", _Summarised):
        stats = benchmark.stats
        median_ns = stats.mean_ns if stats.median_ns is None else stats.median_ns
        yield Sample(benchmark=benchmark.uri or benchmark.name, values=(median_ns * 1e-9,))


def read_pytest_benchmark(path: Path) -> Iterator[Sample]:
    """Yield one sample a benchmark (`--benchmark-json`, `--benchmark-save`), a round an iteration.

    Each file is one fork. What `--benchmark-save` leaves without `--benchmark-save-data` has no rounds: their
    mean is the one value.
    """
    for benchmark in items(path, "benchmarks.item", _Summarised):
        name, stats = benchmark.fullname or benchmark.name, benchmark.stats
        values = [stats.mean] if stats.data is None and stats.mean is not None else stats.data
        if values is None:
            raise MismatchError(f"{path}: {name}: expected stats.data or stats.mean, found neither")
        yield Sample(benchmark=name, values=tuple(values))


def read_pyperf(path: Path) -> Iterator[Sample]:
    """Yield one sample a run that has values, which is a process: a fork here; calibration has none."""
    common = next(items(path, "metadata", dict[str, object]), {})
    for benchmark in items(path, "benchmarks.item", _Runs):
        metadata = {**common, **benchmark.metadata}
        unit = PYPERF_UNITS.get(str(metadata.get("unit", "second")), str(metadata.get("unit")))
        name = str(metadata.get("name", path.name.split(".")[0]))
        measured = [run.values for run in benchmark.runs if run.values]
        for fork, values in enumerate(measured, start=1):
            yield Sample.of_fork(name, fork, values, unit)


def read_google_benchmark(path: Path) -> Iterator[Sample]:
    """Yield the real times of a benchmark's repetitions (`--benchmark_format=json`) as one sample.

    Aggregates are left out, and those that failed or were skipped.
    """
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
