"""pyperf's JSON: a run there is a process, which is a fork here."""

from collections.abc import Iterator
from pathlib import Path

from abs_audit.formats.json_stream import items, numbers
from abs_audit.formats.sample import Sample, in_seconds

UNITS = {"second": "s", "byte": "byte", "integer": ""}


def read(path: Path) -> Iterator[Sample]:
    """Yield one sample a run that has values; calibration runs have none."""
    common: dict[str, object] = next(items(path, "metadata"), {})
    for one in items(path, "benchmarks.item"):
        metadata = {**common, **one.get("metadata", {})}
        unit = UNITS.get(metadata.get("unit", "second"), str(metadata.get("unit")))
        fork = 0
        for run in one.get("runs", []):
            values = numbers(run.get("values", []), f"{path}: {metadata.get('name')}")
            if values:
                fork += 1
                yield Sample(
                    benchmark=str(metadata.get("name", path.stem)),
                    instance="1",
                    trial="1",
                    fork=str(fork),
                    values=tuple(in_seconds(value, unit)[0] for value in values),
                    unit=in_seconds(1.0, unit)[1],
                )
