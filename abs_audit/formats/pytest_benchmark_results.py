"""pytest-benchmark's JSON (`--benchmark-json`): a round there is an iteration here."""

from collections.abc import Iterator
from pathlib import Path

from abs_audit.errors import MismatchError
from abs_audit.formats.json_stream import items, numbers
from abs_audit.formats.sample import SECONDS, Sample


def read(path: Path) -> Iterator[Sample]:
    """Yield one sample a benchmark; each file is one fork."""
    for one in items(path, "benchmarks.item"):
        name = one.get("fullname") or one.get("name")
        data = one.get("stats", {}).get("data")
        if data is None:
            raise MismatchError(
                f"{path}: {name}: expected the rounds in stats.data, found only their summary; "
                "save them with: pytest --benchmark-json=FILE"
            )
        yield Sample(
            benchmark=str(name),
            instance="1",
            trial="1",
            fork="1",
            values=numbers(data, f"{path}: {name}"),
            unit=SECONDS,
        )
