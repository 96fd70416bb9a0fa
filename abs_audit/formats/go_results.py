"""Go's benchmark text; every start of `go test` prints its package again, which begins a fork here."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from abs_audit.errors import UsageError
from abs_audit.formats.go_text import TIME, Result, own_names, parse, plain_times
from abs_audit.formats.sample import Sample, in_seconds

PACKAGE = "pkg:"
PACKAGE_LINE = re.compile(r"^pkg:[ \t]+(.*)$", re.MULTILINE)


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
    package, measured = _plain(text) or _anything(text)
    if measured:
        forks[package] += 1
    for name, (values, unit) in measured.items():
        yield Sample(
            benchmark=f"{package}.{name}" if package else name,
            instance="1",
            trial="1",
            fork=str(forks[package]),
            values=values,
            unit=unit,
        )


Measured = tuple[str, dict[str, tuple[tuple[float, ...], str]]]
"""A package, and the values of each of its benchmarks with their unit."""


def _plain(text: str) -> Measured | None:
    """Return what a text holds that consists of whole lines with times, as nearly all do; else None."""
    times = plain_times(text)
    if times is None:
        return None
    printed: dict[str, list[str]] = {}
    for name, time in times:
        printed.setdefault(name, []).append(time)
    merged: dict[str, list[str]] = {}
    for name, (own, _) in own_names(printed.keys(), None).items():
        merged.setdefault(own, []).extend(printed[name])
    factor, unit = in_seconds(1.0, TIME)
    package = PACKAGE_LINE.search(text)
    return package[1].strip() if package else "", {
        name: (tuple([factor * float(time) for time in found]), unit) for name, found in merged.items()
    }


def _anything(text: str) -> Measured:
    values: dict[str, list[tuple[float, str]]] = {}
    package = ""
    for one in parse(text).results:
        package = one.configuration.get("pkg", "")
        values.setdefault(one.name, []).append(_value(one))
    return package, {
        name: (tuple(value for value, unit in found if unit == found[0][1]), found[0][1])
        for name, found in values.items()
    }


def _value(one: Result) -> tuple[float, str]:
    time_ns = one.value(TIME)
    return in_seconds(*((time_ns, TIME) if time_ns is not None else one.values[0]))
