"""Which benchmark notices which method: the ground of redundancy and selection."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from abs_audit.model.verdict import CellVerdict, Verdict
from abs_audit.stats import cover

Detections = Mapping[str, frozenset[str]]
"""Benchmark that was tried → the methods that it notices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """Benchmarks and methods that are joined by detections, directly or through others."""

    benchmarks: tuple[str, ...]
    methods: tuple[str, ...]
    watches: csr_array
    """Benchmarks × methods."""


def detections(cells: Iterable[CellVerdict]) -> Detections:
    """Return what each benchmark notices of that on which it was tried."""
    noticed: dict[str, set[str]] = {}
    for cell in cells:
        methods = noticed.setdefault(cell.benchmark, set())
        if cell.verdict is Verdict.DETECTED:
            methods.add(cell.method)
    return {benchmark: frozenset(methods) for benchmark, methods in noticed.items()}


def whole(noticed: Detections) -> Component:
    """Return everything that detects or is detected as one component."""
    benchmarks = sorted(benchmark for benchmark, methods in noticed.items() if methods)
    methods = sorted(frozenset[str]().union(*noticed.values()))
    column = {name: index for index, name in enumerate(methods)}
    places = [(row, column[name]) for row, benchmark in enumerate(benchmarks) for name in noticed[benchmark]]
    rows, columns = np.array(places, dtype=np.intp).reshape(-1, 2).T
    return Component(
        benchmarks=tuple(benchmarks),
        methods=tuple(methods),
        watches=cover.matrix(rows, columns, (len(benchmarks), len(methods))),
    )


def components(noticed: Detections) -> list[Component]:
    """Return the parts that share neither benchmark nor method: each can be solved by itself."""
    every = whole(noticed)
    # A graph whose nodes are the benchmarks, then the methods; an edge is a detection.
    first, size = len(every.benchmarks), len(every.benchmarks) + len(every.methods)
    rows, columns = (np.asarray(places, dtype=np.intp) for places in every.watches.nonzero())
    number, labels = connected_components(cover.matrix(rows, first + columns, (size, size)), directed=False)
    parts: list[dict[str, frozenset[str]]] = [{} for _ in range(number)]
    for benchmark, label in zip(every.benchmarks, labels[:first], strict=True):
        parts[label][benchmark] = noticed[benchmark]
    return [whole(part) for part in parts]


def costs(benchmarks: Sequence[str], durations: Mapping[str, float]) -> cover.Floats:
    """Return seconds in the order of `benchmarks`; an unknown duration counts like the longest known."""
    longest = max(durations.values(), default=1.0)
    return np.array([durations.get(name, longest) for name in benchmarks], dtype=float)
