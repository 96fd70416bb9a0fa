"""Histories of commits for tests of searches."""

from collections.abc import Iterable

import networkx as nx

from abs_audit.analyses.rootcause.commits.history import History


def of_edges(edges: Iterable[tuple[str, str]]) -> History:
    """Return the history whose edges lead from parent to child."""
    graph: nx.DiGraph[str] = nx.DiGraph(list(edges))
    return {commit: list(graph.predecessors(commit)) for commit in nx.topological_sort(graph)}
