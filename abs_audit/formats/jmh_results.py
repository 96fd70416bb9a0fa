"""JMH's JSON (`-rf json`): raw data of every fork and iteration; throughput is turned into time."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from abs_audit.errors import MismatchError
from abs_audit.formats.json_stream import items, numbers
from abs_audit.formats.sample import Sample, in_seconds

SHORT_MODES = {"thrpt": "", "avgt": "", "sample": ":mode=sample", "ss": ":mode=ss"}


def read(path: Path) -> Iterator[Sample]:
    """Yield one sample a benchmark, mode, combination of parameters and fork."""
    for one in items(path, "item"):
        if not isinstance(one, dict) or "primaryMetric" not in one:
            raise MismatchError(f"{path}: expected results of JMH (-rf json), found {str(one)[:60]}")
        metric = one["primaryMetric"]
        name = _id(one)
        for fork, values in enumerate(_forks(metric, f"{path}: {name}"), start=1):
            converted = [in_seconds(value, metric.get("scoreUnit", "")) for value in values]
            yield Sample(
                benchmark=name,
                instance="1",
                trial="1",
                fork=str(fork),
                values=tuple(value for value, _ in converted),
                unit=converted[0][1] if converted else "s",
            )


def _id(one: Mapping[str, Any]) -> str:
    parameters = ",".join(f"{key}={value}" for key, value in (one.get("params") or {}).items())
    mode = SHORT_MODES.get(one.get("mode", ""), "")
    return f"{one['benchmark']}:{parameters}" if parameters else f"{one['benchmark']}{mode}"


def _forks(metric: Mapping[str, Any], where: str) -> Iterator[tuple[float, ...]]:
    """Yield the values of each fork; of sample time the histograms' values, each as often as it was met."""
    histograms = metric.get("rawDataHistogram")
    if histograms:
        for fork in histograms:
            yield tuple(
                float(value) for iteration in fork for value, count in iteration for _ in range(int(count))
            )
        return
    for fork in metric.get("rawData") or []:
        yield numbers(fork, where)
