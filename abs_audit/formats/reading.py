"""Reads a result file of any known format: told by its name or by how it begins."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from abs_audit.errors import MismatchError, UsageError
from abs_audit.formats import (
    asv_results,
    codspeed_results,
    go_results,
    jmh_results,
    pyperf_results,
    pytest_benchmark_results,
    tables,
)
from abs_audit.formats.sample import Reader, Sample, checked

READERS: Mapping[str, Reader] = {
    "jmh": jmh_results.read,
    "go": go_results.read,
    "pytest-benchmark": pytest_benchmark_results.read,
    "asv": asv_results.read,
    "pyperf": pyperf_results.read,
    "codspeed": codspeed_results.read,
    "pa": tables.read_pa,
    "csv": tables.read_plain,
}
SUMMARIES_ONLY = frozenset({"codspeed"})
"""Formats that hold one value a benchmark: nothing about noise can be learned from them."""
HEAD = 64 * 2**10
_GO = re.compile(r"^(goos:|goarch:|pkg:|Benchmark\S*\s)", re.MULTILINE)
# Keys that only one of the JSON formats has near its beginning.
_TELLING = (
    ("jmh", re.compile(r'^\s*\[[^"]*("jmhVersion"|.*?"primaryMetric"|.*?"benchmark"\s*:)', re.DOTALL)),
    ("asv", re.compile(r'"(result_columns|commit_hash|env_vars)"\s*:')),
    ("codspeed", re.compile(r'"(instrument|creator)"\s*:\s*\{')),
    ("pyperf", re.compile(r'"runs"\s*:\s*\[|"perf_version"|"pyperf')),
    ("pytest-benchmark", re.compile(r'"machine_info"\s*:|"commit_info"\s*:')),
)


def read(path: Path, name: str | None = None) -> Iterator[Sample]:
    """Yield the samples of a file piece by piece; `name`: its format, None: found out.

    Raises UsageError where there is no such file or format, MismatchError for contents that are no
    measurements: truncated, NaN, negative, two units of one benchmark, one fork twice, none at all.
    """
    return checked(READERS[name or format_of(path)](path), path)


def format_of(path: Path) -> str:
    """Return the name of a file's format; raise MismatchError where nothing tells it."""
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD).decode("utf-8-sig", "replace")
    except OSError as error:
        raise UsageError(f"{path}: cannot read it ({error.strerror})") from error
    begin = head.lstrip()
    if not begin:
        raise MismatchError(f"{path}: expected measured values, found an empty file")
    if begin[0] in "[{":
        return _json_format(path, begin)
    if _GO.search(head):
        return "go"
    first = begin.split("\n", 1)[0]
    if first.count(";") >= len(tables.PA_COLUMNS) - 1:
        return "pa"
    if "," in first:
        return "csv"
    raise MismatchError(
        f"{path}: expected one of {', '.join(READERS)}, found {first[:60]!r}; name the format with --format"
    )


def _json_format(path: Path, begin: str) -> str:
    for name, telling in _TELLING:
        if telling.search(begin):
            return name
    if len(begin) < HEAD:
        _check_whole(path, begin)
    raise MismatchError(
        f"{path}: expected the JSON of {', '.join(name for name, _ in _TELLING)}, found other keys; "
        "name the format with --format"
    )


def _check_whole(path: Path, text: str) -> None:
    """Say that a short file is no JSON rather than that its keys are unknown."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        raise MismatchError(
            f"{path}:{error.lineno}: expected whole JSON, found: {error.msg} at column {error.colno}"
        ) from error
