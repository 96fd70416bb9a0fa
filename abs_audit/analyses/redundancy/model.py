"""How many benchmarks notice each method, and which could go without loss?"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx

from abs_audit.advising import advised
from abs_audit.analyses import coverage
from abs_audit.model.cells import Amount, Cells, size
from abs_audit.model.verdict import Verdict
from abs_audit.stats.cover import PROVEN, SMALL_GAP, full_cover
from abs_audit.wording import count

LIMIT_S = 10.0
"""Seconds that searching for a cheapest cover may take: nearly all suites take less than one."""
LEAST_LIMIT_S = 0.5


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
    gap: float = 0.0
    """How much cheaper what remains could be at best, as a part of its cost: 0 where that is proven."""


def redundancy(
    methods: Sequence[str], cells: Cells, durations: Mapping[str, float], limit_s: float = LIMIT_S
) -> Redundancy:
    """Return who notices what, and the benchmarks that could all go without losing a detected method.

    Laaber & Leitner 2018, §6.3, Fig. 3, for the histogram. `removable` is what a cheapest full cover
    leaves out (`durations`: seconds a benchmark; the best known after `limit_s`, with its proven gap), so
    it is maximal: of the benchmarks that remain, none could go as well. Only what was measured counts:
    a benchmark is never called removable that may yet notice a method which none is known to notice.
    """
    joined = coverage.graph(methods, cells)
    rows = tuple(
        MethodRedundancy(method=method, benchmarks=coverage.watchers(joined, method))
        for method in dict.fromkeys(methods)
    )
    needless, gap = _needless(joined, durations, limit_s)
    # Where nothing is noticed at all, nothing tells one that watches something else from one that does not.
    idle = _idle(joined, cells) if cells.noticed else set[str]()
    watching = Counter(len(row.benchmarks) for row in rows)
    return Redundancy(
        methods=rows,
        removable=tuple(sorted((needless | idle) - _open(cells))),
        histogram=tuple(watching[n] for n in range(max(watching, default=-1) + 1)),
        warnings=tuple(_warnings(idle, gap, cells)),
        gap=gap,
    )


def _needless(
    joined: "nx.Graph[coverage.Node]", durations: Mapping[str, float], limit_s: float
) -> tuple[set[str], float]:
    """Return the detecting benchmarks that the cheapest covers leave out, and the gap that is left."""
    needless = set[str]()
    value = bound = 0.0
    parts = sorted(coverage.components(joined), key=lambda part: len(part.benchmarks))
    benchmarks = sum(len(part.benchmarks) for part in parts)
    for part in parts:
        # Each component has its part of the time, by its size.
        allowed_s = max(LEAST_LIMIT_S, limit_s * len(part.benchmarks) / benchmarks)
        best = full_cover(part.watches, coverage.costs(part.benchmarks, durations), allowed_s)
        needless |= set(part.benchmarks) - {part.benchmarks[row] for row in best.rows}
        value, bound = value + best.value, bound + best.bound
    gap = 1 - bound / value if value else 0.0
    return needless, gap if gap > PROVEN else 0.0


def _idle(joined: "nx.Graph[coverage.Node]", cells: Cells) -> set[str]:
    """Return the benchmarks that were tried on every method they reach and notice none."""
    idle = {name for (kind, name), degree in joined.degree() if kind == "benchmark" and not degree}
    return idle - {amount.cell.benchmark for amount in _without_verdict(cells)}


def _open(cells: Cells) -> set[str]:
    """Return the benchmarks without a verdict on a method that none is known to notice."""
    unnoticed = cells.within(methods=cells.methods - cells.noticed)
    return {amount.cell.benchmark for amount in _without_verdict(unnoticed)}


def _without_verdict(cells: Cells) -> Iterator[Amount]:
    """Yield what each benchmark has of cells without a verdict."""
    for amounts in cells.of_benchmarks().values():
        yield from (amount for amount in amounts if amount.cell.verdict is Verdict.NO_VERDICT)


def _warnings(idle: set[str], gap: float, cells: Cells) -> Iterator[str]:
    if idle:
        yield (
            f"{len(idle)} of the removable benchmarks notice no method of those asked about; "
            "they may watch methods outside of them, so look before removing one"
        )
    if gap > SMALL_GAP:
        yield (
            f"up to {gap:.1%} of the time of what remains may be needless, too: the search for the cheapest "
            "set that loses nothing ended at its time limit"
        )
    unknown = size(_without_verdict(cells))
    if unknown:
        yield (
            f"{count(unknown, 'cell')} without a verdict: the redundancy may be larger than shown; "
            f"`{advised('score', '--goal', 'all')}` measures every cell"
        )
