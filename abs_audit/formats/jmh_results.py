"""JMH's JSON (`-rf json`): raw data of every fork and iteration; throughput is turned into time."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from pydantic import Field

from abs_audit.formats.json_stream import Shape, items
from abs_audit.formats.sample import Sample

LIKE_TIMES = frozenset({"thrpt", "avgt"})
"""Modes whose values are alike once throughput is turned over: such a mode is not part of a name."""


class _Metric(Shape):
    unit: str = Field("", alias="scoreUnit")
    forks: list[list[float]] | None = Field(None, alias="rawData")
    histograms: list[list[list[list[float]]]] | None = Field(None, alias="rawDataHistogram")


class _Result(Shape):
    benchmark: str
    mode: str = ""
    params: dict[str, object] | None = None
    metric: _Metric = Field(alias="primaryMetric")


def read(path: Path) -> Iterator[Sample]:
    """Yield one sample a benchmark, mode, combination of parameters and fork."""
    modes = several_modes(
        zip(items(path, "item.benchmark", str), items(path, "item.mode", str), strict=False)
    )
    for result in items(path, "item", _Result):
        name = identifier(result.benchmark, result.params or {}, result.mode, modes)
        for fork, values in enumerate(_forks(result.metric), start=1):
            yield Sample.of_fork(name, fork, values, result.metric.unit)


def several_modes(results: Iterator[tuple[str, str]]) -> Collection[str]:
    """Return the benchmarks that are there in more than one mode of those that are like times."""
    modes = defaultdict[str, set[str]](set)
    for benchmark, mode in results:
        modes[benchmark].add(mode)
    return {benchmark for benchmark, own in modes.items() if len(own & LIKE_TIMES) > 1}


def identifier(benchmark: str, parameters: Mapping[str, object], mode: str, several: Collection[str]) -> str:
    """Return `pkg.Class.method:param=value,…`; with `mode=` where values are others or could differ by it."""
    parts = [f"{key}={value}" for key, value in parameters.items()]
    if mode and (mode not in LIKE_TIMES or benchmark in several):
        parts.append(f"mode={mode}")
    return f"{benchmark}:{','.join(parts)}" if parts else benchmark


def _forks(metric: _Metric) -> Iterator[list[float]]:
    """Yield the values of each fork; of sample time the histograms' values, each as often as it was met."""
    for fork in metric.histograms or ():
        yield [value for iteration in fork for value, count in iteration for _ in range(int(count))]
    if not metric.histograms:
        yield from metric.forks or ()
