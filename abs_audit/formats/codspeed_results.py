"""CodSpeed's local results: a summary of each benchmark, and nothing of what was measured."""

from collections.abc import Iterator
from pathlib import Path

from abs_audit.formats.json_stream import items
from abs_audit.formats.sample import SECONDS, Sample


def read(path: Path) -> Iterator[Sample]:
    """Yield the median of each benchmark as its only value."""
    for one in items(path, "benchmarks.item"):
        found = one.get("stats", {})
        median_ns = found.get("median_ns", found.get("mean_ns", 0.0))
        yield Sample(
            benchmark=str(one.get("uri") or one.get("name")),
            instance="1",
            trial="1",
            fork="1",
            values=(median_ns * 1e-9,),
            unit=SECONDS,
        )
