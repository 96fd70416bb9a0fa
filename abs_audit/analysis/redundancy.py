"""How many benchmarks notice each method, and which could go without loss?"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRedundancy:
    """The benchmarks that notice one method."""

    method: str
    benchmarks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Redundancy:
    """Answer to: which benchmarks watch what others watch too?"""

    methods: tuple[MethodRedundancy, ...]
    removable: tuple[str, ...]
    """Benchmarks that can all be removed at once without losing a detected method."""
    histogram: tuple[int, ...]
    """Index n: number of methods that exactly n benchmarks notice."""
    warnings: tuple[str, ...]
