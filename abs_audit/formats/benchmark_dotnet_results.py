"""BenchmarkDotNet's full JSON (`*-report-full.json`): a launch there is a process, a fork here."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from abs_audit.formats.json_stream import Shape, items
from abs_audit.formats.sample import Sample

NS = 1e-9


class _Measurement(Shape):
    mode: str = Field(alias="IterationMode")
    stage: str = Field(alias="IterationStage")
    launch: int = Field(1, alias="LaunchIndex")
    operations: float = Field(alias="Operations", gt=0)
    total_ns: float = Field(alias="Nanoseconds")


class _Statistics(Shape):
    values_ns: list[float] = Field([], alias="OriginalValues")
    mean_ns: float | None = Field(None, alias="Mean")


class _Benchmark(Shape):
    full_name: str | None = Field(None, alias="FullName")
    namespace: str | None = Field(None, alias="Namespace")
    type: str | None = Field(None, alias="Type")
    method: str | None = Field(None, alias="Method")
    parameters: str | None = Field(None, alias="Parameters")
    display: str = Field("", alias="DisplayInfo")
    statistics: _Statistics | None = Field(None, alias="Statistics")
    measurements: list[_Measurement] = Field([], alias="Measurements")

    @property
    def name(self) -> str:
        """The full name, which older versions leave to their readers to put together."""
        method = ".".join(filter(None, (self.namespace, self.type, self.method)))
        return self.full_name or method + (f"({self.parameters})" if self.parameters else "")


def read(path: Path) -> Iterator[Sample]:
    """Yield one sample a benchmark and launch; benchmarks that failed have no values.

    Where a benchmark was measured for several jobs, the job is part of its name.
    """
    names = [benchmark.name for benchmark in items(path, "Benchmarks.item", _Benchmark)]
    for benchmark in items(path, "Benchmarks.item", _Benchmark):
        several = names.count(benchmark.name) > 1
        job = benchmark.display.partition(": ")[2].split(" [")[0]
        for fork, values in _launches(benchmark).items():
            yield Sample(
                benchmark=f"{benchmark.name}: {job}" if several and job else benchmark.name,
                fork=str(fork),
                values=tuple(values),
            )


def _launches(benchmark: _Benchmark) -> dict[int, list[float]]:
    """Return launch → seconds an operation: of the results, from which outliers are not yet removed."""
    launches: dict[int, list[float]] = {}
    for measurement in benchmark.measurements:
        if (measurement.mode, measurement.stage) == ("Workload", "Result"):
            seconds = measurement.total_ns / measurement.operations * NS
            launches.setdefault(measurement.launch, []).append(seconds)
    if not launches and benchmark.statistics and benchmark.statistics.values_ns:
        launches[1] = [NS * value for value in benchmark.statistics.values_ns]
    if not launches and benchmark.statistics and benchmark.statistics.mean_ns is not None:
        # The brief report holds nothing else.
        launches[1] = [NS * benchmark.statistics.mean_ns]
    return launches
