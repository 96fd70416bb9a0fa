"""The commit graph as arrays: which commits may have caused a regression, and which one halves them best."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Commits in topological order, parents first."""

    commits: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]
    """Positions of the parents of each commit; parents outside the graph are left out."""
    places: Mapping[str, int]
    """Commit → its position."""


def history(graph: "nx.DiGraph[str]") -> History:
    """Return the commit graph as arrays; edges lead from parent to child.

    Raises ValueError where the edges form a cycle, which no commit graph does.
    """
    try:
        commits = tuple(nx.topological_sort(graph))
    except nx.NetworkXUnfeasible as error:
        raise ValueError("expected a commit graph without cycles") from error
    places = {commit: place for place, commit in enumerate(commits)}
    parents = tuple(tuple(places[parent] for parent in graph.predecessors(commit)) for commit in commits)
    return History(commits=commits, parents=parents, places=places)


def ancestors_and_self(parents: Sequence[Sequence[int]], ends: Iterable[int]) -> bytearray:
    """Return for every commit whether it is one of `ends` or an ancestor of one: 0 or 1."""
    marks = bytearray(len(parents))
    waiting = list(ends)
    for end in waiting:
        marks[end] = 1
    while waiting:
        for parent in parents[waiting.pop()]:
            if not marks[parent]:
                marks[parent] = 1
                waiting.append(parent)
    return marks


def restricted(parents: Sequence[Sequence[int]], members: Sequence[int]) -> list[list[int]]:
    """Return the parents among `members` (ascending positions), renumbered by their place there."""
    place = [-1] * len(parents)
    for number, member in enumerate(members):
        place[member] = number
    return [[place[parent] for parent in parents[member] if place[parent] >= 0] for member in members]


def ancestor_counts(parents: Sequence[Sequence[int]]) -> Counts:
    """Return the number of ancestors of every commit, a(i); `parents` names earlier positions only.

    A bit set a *chain*: a run of commits that each have one parent and are its only child. Bits are
    numbered along chains, so that a chain is one range of bits and its set is made once, at its head; it is
    released after the last chain that begins at its end. n = 0 gives an empty array.
    """
    chain, heads, lengths = _chains(parents)
    starts = np.concatenate([[0], np.cumsum(lengths)]).tolist()
    users = [0] * len(heads)
    for head in heads:
        for parent in parents[head]:
            users[chain[parent]] += 1
    whole: list[int] = [0] * len(heads)
    counts = [0] * len(parents)
    first = [0] * len(heads)
    for number, head in enumerate(heads):
        above = 0
        for parent in parents[head]:
            above |= whole[chain[parent]]
        first[number] = above.bit_count()
        if users[number]:
            whole[number] = above | (((1 << lengths[number]) - 1) << starts[number])
        for parent in parents[head]:
            users[chain[parent]] -= 1
            if not users[chain[parent]]:
                whole[chain[parent]] = 0
    passed = [0] * len(heads)
    for commit, number in enumerate(chain):
        counts[commit] = first[number] + passed[number]
        passed[number] += 1
    return np.array(counts, dtype=np.int64)


def _chains(parents: Sequence[Sequence[int]]) -> tuple[list[int], list[int], list[int]]:
    """Return the chain of every commit, and the first commit and the length of every chain."""
    children = [0] * len(parents)
    for own in parents:
        for parent in own:
            children[parent] += 1
    chain = [0] * len(parents)
    heads: list[int] = []
    lengths: list[int] = []
    for commit, own in enumerate(parents):
        if len(own) == 1 and children[own[0]] == 1:
            chain[commit] = chain[own[0]]
            lengths[chain[commit]] += 1
        else:
            chain[commit] = len(heads)
            heads.append(commit)
            lengths.append(1)
    return chain, heads, lengths


def weights(parents: Sequence[Sequence[int]]) -> Counts:
    """Return w(i) = min(a(i) + 1, N − (a(i) + 1)) of every commit of a graph filtered to the candidates.

    Heger et al. 2013, §4.1, Eq. 1; a(i) counts ancestors within the filtered graph and N the bad commit, too,
    so that measuring the commit with the largest weight leaves the fewest candidates whatever it shows.
    One candidate has weight 0; none gives an empty array. Git calls the same number `dist`.
    """
    reached = ancestor_counts(parents) + 1
    return np.minimum(reached, len(parents) - reached)
