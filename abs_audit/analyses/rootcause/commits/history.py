"""The commit graph as arrays: which commits may have caused a regression, and which one halves them best."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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


def history(parents: Mapping[str, Iterable[str]]) -> History:
    """Return the commit graph as arrays; `parents`: commit → its parents, every commit after its own."""
    places = {commit: position for position, commit in enumerate(parents)}
    return History(
        commits=tuple(parents),
        parents=tuple(tuple(places[name] for name in own if name in places) for own in parents.values()),
        places=places,
    )


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
    position = [-1] * len(parents)
    for number, member in enumerate(members):
        position[member] = number
    return [[position[parent] for parent in parents[member] if position[parent] >= 0] for member in members]


def ancestor_counts(parents: Sequence[Sequence[int]]) -> Counts:
    """Return the number of ancestors of every commit, a(i); `parents` names earlier positions only.

    n = 0 gives an empty array.
    """
    children = [0] * len(parents)
    for own in parents:
        for parent in own:
            children[parent] += 1
    # A bit for each commit that is reached. Sets are dropped with their last child, so that only as many are
    # kept as branches are open at once: 100,000 commits take half a second.
    reached: dict[int, int] = {}
    counts = []
    for commit, own in enumerate(parents):
        above = 0
        for parent in own:
            above |= reached[parent]
            children[parent] -= 1
            if not children[parent]:
                del reached[parent]
        counts.append(above.bit_count())
        if children[commit]:
            reached[commit] = above | 1 << commit
    return np.array(counts, dtype=np.int64)


def weights(parents: Sequence[Sequence[int]]) -> Counts:
    """Return w(i) = min(a(i) + 1, N − (a(i) + 1)) of every commit of a graph filtered to the candidates.

    Heger et al. 2013, §4.1, Eq. 1; a(i) counts ancestors within the filtered graph and N the bad commit, too,
    so that measuring the commit with the largest weight leaves the fewest candidates whatever it shows.
    One candidate has weight 0; none gives an empty array. Git calls the same number `dist`.
    """
    reached = ancestor_counts(parents) + 1
    return np.minimum(reached, len(parents) - reached)
