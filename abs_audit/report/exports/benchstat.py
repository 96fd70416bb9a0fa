"""Samples as Go benchmark text, which benchstat compares."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from abs_audit.formats.go_results import LEAD, PACKAGE
from abs_audit.formats.sample import SECONDS, Sample

_BLANKS = re.compile(r"\s+")


def benchstat(samples: Iterable[Sample]) -> bytes:
    """Return one line a value, below the packages of Go benchmarks; every fork begins with its package again.

    A name of another language is led by `Benchmark/`; blanks become `_`, for a blank ends a name.
    """
    return "".join(f"{line}\n" for line in _lines(samples)).encode()


def _lines(samples: Iterable[Sample]) -> Iterator[str]:
    for package, forks in _by_package(samples).items():
        for number, fork in enumerate(forks):
            # Without a name the line ends the package before it, or marks a fork where there was none.
            if package or number:
                yield f"{PACKAGE} {package}".rstrip()
            for name, sample in fork:
                for value in sample.values:
                    yield f"{_BLANKS.sub('_', name)} 1 {_amount(value, sample.unit)}"


def _by_package(samples: Iterable[Sample]) -> dict[str, list[list[tuple[str, Sample]]]]:
    """Return package → forks → names and samples; the n-th sample of a benchmark belongs to the n-th fork."""
    # What has no package comes first: a package ends only where the next one begins.
    packages: dict[str, list[list[tuple[str, Sample]]]] = {"": []}
    forks = defaultdict[str, int](int)
    for sample in samples:
        package, is_go, rest = sample.benchmark.partition(".Benchmark")
        name = f"Benchmark{rest}" if is_go else f"{LEAD}{sample.benchmark}"
        own = packages.setdefault(package if is_go else "", [])
        if forks[sample.benchmark] == len(own):
            own.append([])
        own[forks[sample.benchmark]].append((name, sample))
        forks[sample.benchmark] += 1
    return packages


def _amount(value: float, unit: str) -> str:
    return f"{value * 1e9!r} ns/op" if unit == SECONDS else f"{value!r} {unit or 'value'}"
