"""A sample: what a file holds of one benchmark in one fork. Readers yield samples, writers take them."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from abs_audit.errors import MismatchError
from abs_audit.grouping import grouped

SECONDS = "s"
FACTORS: Mapping[str, float] = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "μs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
    "min": 60.0,
    "h": 3600.0,
    "hr": 3600.0,
    "day": 86400.0,
}
"""Unit of time → seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The values of one benchmark in one fork, in the order measured in; lower is better."""

    benchmark: str
    """Id, with the parameters."""
    instance: str = "1"
    """Machine or container; "1" where a format knows no such level, as for trial and fork."""
    trial: str = "1"
    fork: str = "1"
    values: Sequence[float]
    """Seconds per invocation where `unit` is "s"."""
    unit: str = SECONDS

    @classmethod
    def of_fork(cls, benchmark: str, fork: int, values: Iterable[float], unit: str) -> Self:
        """Return the values of a fork that were measured in a unit: times in seconds, others as they are."""
        converted = tuple(in_seconds(value, unit)[0] for value in values)
        return cls(benchmark=benchmark, fork=str(fork), values=converted, unit=in_seconds(1.0, unit)[1])


def in_seconds(value: float, unit: str) -> tuple[float, str]:
    """Return a value per invocation with lower-is-better unit: `ns/op`, `ms`, and `ops/s` upside down.

    A unit that is neither a time nor a number of operations per time is returned as it is.
    """
    name = unit.strip().removesuffix("/op").removesuffix("/ops")
    if name in FACTORS:
        return value * FACTORS[name], SECONDS
    for prefix in ("ops/", "op/"):
        if unit.startswith(prefix) and unit.removeprefix(prefix) in FACTORS:
            factor = FACTORS[unit.removeprefix(prefix)]
            return (factor / value if value else math.inf), SECONDS
    return value, unit


def checked(samples: Iterable[Sample], path: Path) -> Iterator[Sample]:
    """Yield the samples as they come; raise MismatchError at the first that is no measurement.

    Refused: no values, NaN or infinite ones, negative ones or zero, two units of one benchmark, one fork
    twice, and a file without any benchmark.
    """
    units: dict[str, str] = {}
    seen: set[tuple[str, str, str, str]] = set()
    for sample in samples:
        origin = (sample.benchmark, sample.instance, sample.trial, sample.fork)
        where = f"{path}: {sample.benchmark}"
        if origin in seen:
            raise MismatchError(
                f"{where}: fork {sample.fork} of trial {sample.trial} is there twice; "
                "a benchmark may be recorded once a fork: keep one of them, or number the forks"
            )
        seen.add(origin)
        unit = units.setdefault(sample.benchmark, sample.unit)
        if unit != sample.unit:
            raise MismatchError(f"{where}: expected one unit, found {unit} and {sample.unit}")
        _check_values(sample.values, where)
        yield sample
    if not seen:
        raise MismatchError(f"{path}: expected measured values, found no benchmark that has any")


def _check_values(values: Sequence[float], where: str) -> None:
    if not values:
        raise MismatchError(f"{where}: expected at least one value, found none")
    for value in values:
        if not math.isfinite(value) or value <= 0:
            raise MismatchError(f"{where}: expected finite values above 0, found {value:g}")


def pooled(samples: Iterable[Sample]) -> dict[tuple[str, str], list[float]]:
    """Return the values of each benchmark under its id and unit, those of all forks in turn."""
    return grouped(((sample.benchmark, sample.unit), value) for sample in samples for value in sample.values)


Reader = Callable[[Path], Iterator[Sample]]
"""Reads a file piece by piece; its samples are not checked yet."""
