"""pyperf's JSON: a run there is a process, which is a fork here."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from abs_audit.formats.json_stream import Shape, items
from abs_audit.formats.sample import Sample

UNITS = {"second": "s", "byte": "byte", "integer": ""}


class _Run(Shape):
    values: list[float] = Field(default_factory=list)


class _Benchmark(Shape):
    metadata: dict[str, object] = Field(default_factory=dict)
    runs: list[_Run] = Field(default_factory=list)


def read(path: Path) -> Iterator[Sample]:
    """Yield one sample a run that has values; calibration runs have none."""
    common = next(items(path, "metadata", dict[str, object]), {})
    for benchmark in items(path, "benchmarks.item", _Benchmark):
        metadata = {**common, **benchmark.metadata}
        unit = UNITS.get(str(metadata.get("unit", "second")), str(metadata.get("unit")))
        name = str(metadata.get("name", path.name.split(".")[0]))
        measured = [run.values for run in benchmark.runs if run.values]
        for fork, values in enumerate(measured, start=1):
            yield Sample.of_fork(name, fork, values, unit)
