"""Folders that tools keep results in: Criterion's, asv's, pytest-benchmark's, or any with result files."""

from collections.abc import Iterator
from pathlib import Path

from abs_audit.errors import MismatchError

SUFFIXES = (".json", ".json.gz", ".jsonl", ".csv", ".csv.gz", ".txt", ".txt.gz")
OTHERS = frozenset({"benchmarks.json", "machine.json", "benchmark.json", "tukey.json", "asv.conf.json"})
"""What the tools keep beside their results."""


def result_files(folder: Path) -> list[Path]:
    """Return the result files of a folder in the order of their names; raise MismatchError for none.

    Of Criterion's the newest samples, and the estimates where there are none.
    """
    criterion = sorted(folder.rglob("new/sample.json")) or sorted(folder.rglob("new/estimates.json"))
    chosen = criterion or sorted(_results(folder))
    if not chosen:
        raise MismatchError(
            f"{folder}: expected a folder with result files ({', '.join(SUFFIXES)}), found none"
        )
    return chosen


def _results(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.name.endswith(SUFFIXES) and path.name not in OTHERS and path.is_file() and not hidden:
            yield path
