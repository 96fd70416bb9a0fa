"""How many benchmarks notice each method, and which could go without loss?"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx

from abs_audit.analyses import coverage
from abs_audit.model.verdict import CellVerdict, Verdict
from abs_audit.stats.cover import full_cover


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


def redundancy(
    methods: Sequence[str],
    cells: Sequence[CellVerdict],
    durations: Mapping[str, float],
    limit_s: float = 60.0,
) -> Redundancy:
    """Return who notices what, and the benchmarks that could all go without losing a detected method.

    Laaber & Leitner 2018, §6.3, Fig. 3, for the histogram. `removable` is what a cheapest full cover
    leaves out (`durations`: seconds a benchmark; exact within `limit_s` a component, else greedy), so
    it is maximal: of the benchmarks that remain, none could go as well. Only what was measured counts:
    a benchmark that detects nothing but has cells without a verdict is never called removable.
    """
    joined = coverage.graph(methods, cells)
    rows = tuple(
        MethodRedundancy(method=method, benchmarks=coverage.watchers(joined, method))
        for method in dict.fromkeys(methods)
    )
    needless, proven = _needless(joined, durations, limit_s)
    idle = _idle(joined, cells)
    return Redundancy(
        methods=rows,
        removable=tuple(sorted(needless | idle)),
        histogram=_histogram(rows),
        warnings=tuple(_warnings(idle, proven, cells)),
    )


def _histogram(rows: Sequence[MethodRedundancy]) -> tuple[int, ...]:
    counts = Counter(len(row.benchmarks) for row in rows)
    return tuple(counts[n] for n in range(max(counts, default=-1) + 1))


def _needless(
    joined: "nx.Graph[coverage.Node]", durations: Mapping[str, float], limit_s: float
) -> tuple[set[str], bool]:
    """Return the detecting benchmarks that the cheapest covers leave out, and whether these are proven."""
    needless, proven = set[str](), True
    for part in coverage.components(joined):
        best = full_cover(part.watches, coverage.costs(part.benchmarks, durations), limit_s)
        needless |= set(part.benchmarks) - {part.benchmarks[row] for row in best.rows}
        proven &= best.value <= best.bound * (1 + 1e-6)
    return needless, proven


def _idle(joined: "nx.Graph[coverage.Node]", cells: Sequence[CellVerdict]) -> set[str]:
    """Return the benchmarks that were tried on every method they reach and notice none."""
    unknown = {cell.benchmark for cell in cells if cell.verdict is Verdict.NO_VERDICT}
    return {name for (kind, name), degree in joined.degree() if kind == "benchmark" and not degree} - unknown


def _warnings(idle: set[str], proven: bool, cells: Sequence[CellVerdict]) -> Iterator[str]:
    if idle:
        yield (
            f"{len(idle)} of the removable benchmarks notice no method of those asked about; "
            "they may watch methods outside of them, so look before removing one"
        )
    if not proven:
        yield "the time limit ended the search: there may be a shorter set that loses nothing"
    unknown = sum(1 for cell in cells if cell.verdict is Verdict.NO_VERDICT)
    if unknown:
        yield (
            f"{unknown} cells have no verdict: the redundancy may be larger than shown; "
            "`abs-audit score --goal all` measures every cell"
        )
