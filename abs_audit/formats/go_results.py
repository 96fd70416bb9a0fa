"""Go's benchmark text; every start of `go test` prints its package again, which begins a fork here."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from pathlib import Path

from pydantic import Field

from abs_audit.errors import MismatchError
from abs_audit.formats import opening
from abs_audit.formats.go_text import TIME, own_names, parse, plain_times
from abs_audit.formats.json_stream import Shape, shaped
from abs_audit.formats.sample import Sample, in_seconds
from abs_audit.grouping import grouped

PACKAGE = "pkg:"
LEAD = "Benchmark/"
"""Before names of other languages, which Go's format could not hold otherwise."""
PACKAGE_LINE = re.compile(r"^pkg:[ \t]+(.*)$", re.MULTILINE)


def read(path: Path) -> Iterator[Sample]:
    """Yield one sample a benchmark and fork; `ns/op`, or the first unit where a benchmark replaces it."""
    forks: Counter[str] = Counter()
    with opening.text(path) as stream:
        for text in _packages(stream):
            yield from _samples(text, forks)


def read_events(path: Path) -> Iterator[Sample]:
    """Yield the same from `go test -json`: what was printed stands in events, those of packages in turn."""
    printed: dict[str, list[str]] = {}
    with opening.text(path) as stream:
        for number, line in enumerate(stream, start=1):
            if not line.startswith("{"):
                continue
            try:
                event = shaped(json.loads(line), _Event, f"{path}:{number}")
            except (ValueError, RecursionError) as error:
                raise MismatchError(f"{path}:{number}: expected whole JSON, found: {error}") from error
            if event.output is not None:
                printed.setdefault(event.package, []).append(event.output)
    forks: Counter[str] = Counter()
    for lines in printed.values():
        for text in _packages("".join(lines).splitlines(keepends=True)):
            yield from _samples(text, forks)


class _Event(Shape):
    package: str = Field("", alias="Package")
    output: str | None = Field(None, alias="Output")


def _packages(stream: Iterable[str]) -> Iterator[str]:
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
            benchmark=f"{package}.{name}" if package else name.removeprefix(LEAD),
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
    printed = grouped(times)
    merged: dict[str, list[str]] = {}
    for name, own in _names(printed.keys()).items():
        merged.setdefault(own, []).extend(printed[name])
    factor, unit = in_seconds(1.0, TIME)
    package = PACKAGE_LINE.search(text)
    return package[1].strip() if package else "", {
        name: (tuple([factor * float(time) for time in own]), unit) for name, own in merged.items()
    }


def _names(printed: Set[str]) -> dict[str, str]:
    """Return printed name → id: without the number of processors, unless `-cpu` asked for several."""
    told_apart = own_names(printed)
    several = len({processors for _, processors in told_apart.values()}) > 1
    return {name: name if several else own for name, (own, _) in told_apart.items()}


def _anything(text: str) -> Measured:
    values: dict[str, list[tuple[float, str]]] = {}
    package = ""
    # Of a text that was cut off, the last result may have lost all of its values.
    results = [result for result in parse(text) if result.values]
    names = _names({result.printed for result in results})
    for result in results:
        package = result.configuration.get("pkg", "")
        time_ns = result.value(TIME)
        value = in_seconds(*((time_ns, TIME) if time_ns is not None else result.values[0]))
        values.setdefault(names[result.printed], []).append(value)
    return package, {
        name: (tuple(value for value, unit in pairs if unit == pairs[0][1]), pairs[0][1])
        for name, pairs in values.items()
    }
