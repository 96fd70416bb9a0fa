"""Go's benchmark text; every start of `go test` prints its package again, which begins a fork here."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from abs_audit.errors import UsageError
from abs_audit.formats.sample import Sample, in_seconds
from abs_audit.suites.go_format import TIME, Result, parse

PACKAGE = "pkg:"


def read(path: Path) -> Iterator[Sample]:
    """Yield one sample a benchmark and fork; `ns/op`, or the first unit where a benchmark replaces it."""
    forks: Counter[str] = Counter()
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            for text in _packages(stream):
                yield from _samples(text, forks)
    except OSError as error:
        raise UsageError(f"{path}: cannot read it ({error.strerror})") from error


def _packages(stream: TextIO) -> Iterator[str]:
    """Yield the text of one package at a time."""
    lines: list[str] = []
    for line in stream:
        if line.startswith(PACKAGE) and lines:
            yield "".join(lines)
            lines = []
        lines.append(line)
    yield "".join(lines)


def _samples(text: str, forks: Counter[str]) -> Iterator[Sample]:
    values: dict[str, list[tuple[float, str]]] = {}
    package = ""
    for one in parse(text).results:
        package = one.configuration.get("pkg", "")
        values.setdefault(f"{package}.{one.name}" if package else one.name, []).append(_value(one))
    if values:
        forks[package] += 1
    for name, found in values.items():
        unit = found[0][1]
        yield Sample(
            benchmark=name,
            instance="1",
            trial="1",
            fork=str(forks[package]),
            values=tuple(value for value, own in found if own == unit),
            unit=unit,
        )


def _value(one: Result) -> tuple[float, str]:
    time_ns = one.value(TIME)
    return in_seconds(*((time_ns, TIME) if time_ns is not None else one.values[0]))
