"""Which benchmark notices which method: a bipartite graph, the ground of redundancy and selection."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from scipy.sparse import csr_array

from abs_audit.grouping import grouped
from abs_audit.model.cells import Cells
from abs_audit.model.verdict import Verdict
from abs_audit.stats.arrays import Floats

Node = tuple[str, str]
"""("benchmark", id) or ("method", id): the two kinds of id may coincide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """Benchmarks and methods that are joined by detections, directly or through others."""

    benchmarks: tuple[str, ...]
    methods: tuple[str, ...]
    watches: csr_array
    """Benchmarks × methods."""


def graph(methods: Iterable[str], cells: Cells) -> "nx.Graph[Node]":
    """Return the methods, the benchmarks that were tried on them, and an edge for each detection."""
    joined: nx.Graph[Node] = nx.Graph()
    joined.add_nodes_from(("method", method) for method in methods)
    joined.add_nodes_from(("benchmark", name) for name in cells.benchmarks)
    for cell in cells.listed:
        if cell.verdict is Verdict.DETECTED:
            joined.add_edge(("benchmark", cell.benchmark), ("method", cell.method))
    return joined


def watchers(joined: "nx.Graph[Node]", method: str) -> tuple[str, ...]:
    """Return the benchmarks that notice a method, sorted."""
    return tuple(sorted(name for _, name in joined.neighbors(("method", method))))


def whole(joined: "nx.Graph[Node]") -> Component:
    """Return everything that detects or is detected as one component."""
    return _component(joined, [node for node, degree in joined.degree() if degree])


def components(joined: "nx.Graph[Node]") -> list[Component]:
    """Return the parts that share neither benchmark nor method: each can be solved by itself."""
    parts = [part for part in nx.connected_components(joined) if len(part) > 1]
    return [_component(joined, part) for part in sorted(parts, key=min)]


def costs(benchmarks: Sequence[str], durations: Mapping[str, float]) -> Floats:
    """Return seconds in the order of `benchmarks`; an unknown duration counts like the longest known."""
    longest = max(durations.values(), default=1.0)
    return np.array([durations.get(name, longest) for name in benchmarks], dtype=float)


def _component(joined: "nx.Graph[Node]", nodes: Iterable[Node]) -> Component:
    parts = grouped((node[0], node) for node in sorted(nodes))
    rows, columns = parts.get("benchmark", []), parts.get("method", [])
    # networkx has no matrix without rows.
    number = np.dtype(float)
    watches = nx.bipartite.biadjacency_matrix(joined, rows, columns, number) if rows else csr_array((0, 0))
    benchmarks, methods = (tuple(name for _, name in side) for side in (rows, columns))
    return Component(benchmarks=benchmarks, methods=methods, watches=watches)
