"""Samples as Go benchmark text, which benchstat compares."""

import re
from collections.abc import Iterable, Iterator

from abs_audit.formats.sample import SECONDS, Sample

_BLANKS = re.compile(r"\s+")


def benchstat(samples: Iterable[Sample]) -> bytes:
    """Return one line a value, below the packages of Go benchmarks.

    A name of another language is led by `Benchmark/`; blanks become `_`, for a blank ends a name.
    """
    return "".join(f"{line}\n" for line in _lines(samples)).encode()


def _lines(samples: Iterable[Sample]) -> Iterator[str]:
    current = ""
    for one in samples:
        package, is_go, rest = one.benchmark.partition(".Benchmark")
        if is_go and package != current:
            current = package
            yield f"pkg: {package}"
        name = f"Benchmark{rest}" if is_go else f"Benchmark/{one.benchmark}"
        for value in one.values:
            yield f"{_BLANKS.sub('_', name)} 1 {_amount(value, one.unit)}"


def _amount(value: float, unit: str) -> str:
    return f"{value * 1e9:.6g} ns/op" if unit == SECONDS else f"{value:.6g} {unit or 'value'}"
