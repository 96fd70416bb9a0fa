"""Benchmarks summed up by the package, module or file that they stand in."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from abs_audit.grouping import grouped
from abs_audit.model.bounds import Count, Size


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageRatio:
    """How one package changed."""

    package: str
    benchmarks: Count
    geometric_mean: Size
    """Of the ratios after ÷ before."""


def package_ratios(benchmarks: Sequence[str], ratios: Sequence[float]) -> tuple[PackageRatio, ...]:
    """Return the geometric mean of the ratios of each package, in the order met."""
    members = grouped(zip(map(package, benchmarks), ratios, strict=True))
    return tuple(
        PackageRatio(package=name, benchmarks=len(own), geometric_mean=geometric_mean(own))
        for name, own in members.items()
    )


def geometric_mean(ratios: Sequence[float]) -> float:
    """Return exp of the mean logarithm; 1 of none."""
    return float(np.exp(np.log(ratios).mean())) if len(ratios) else 1.0


def package(benchmark: str) -> str:
    """Return where a benchmark stands: Go's import path, Java's package, a Python module, a file, a group."""
    if "::" in benchmark:
        return benchmark.split("::", maxsplit=1)[0]
    path, is_go, _ = benchmark.partition(".Benchmark")
    if is_go:
        return path
    plain = benchmark.split(":", maxsplit=1)[0].split("(", maxsplit=1)[0]
    if "/" in plain:
        return plain.split("/")[0]
    *owners, last = plain.split(".")
    return ".".join(owners[:-1]) or "".join(owners) or last
