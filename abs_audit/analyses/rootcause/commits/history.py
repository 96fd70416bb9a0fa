"""The commit graph: which commits may have caused a regression, and which one halves them best."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from pydantic import Field

from abs_audit.grouping import reached

Commit = Annotated[str, Field(json_schema_extra={"pattern": "^[0-9a-f]{40,64}$"})]
History = Mapping[str, Sequence[str]]
"""Commit → its parents within the graph; every commit comes after its own parents."""


def restricted(parents: Mapping[str, Iterable[str]], members: Iterable[str]) -> dict[str, list[str]]:
    """Return the graph of some commits, in their order; parents that are not among them are left out."""
    kept = dict.fromkeys(members)
    return {commit: [parent for parent in parents[commit] if parent in kept] for commit in kept}


def ancestors_and_self(history: History, commit: str) -> set[str]:
    """Return a commit with all that it comes from."""
    return set(reached([commit], history.__getitem__))


def ancestor_counts(history: History) -> dict[str, int]:
    """Return the number of ancestors of every commit, a(i)."""
    children = Counter(parent for own in history.values() for parent in own)
    # A bit for each commit that is reached. Sets are dropped with their last child, so that only as many are
    # kept as branches are open at once: 100,000 commits take half a second.
    above: dict[str, int] = {}
    counts = {}
    for number, (commit, own) in enumerate(history.items()):
        bits = 0
        for parent in own:
            bits |= above[parent]
            children[parent] -= 1
            if not children[parent]:
                del above[parent]
        counts[commit] = bits.bit_count()
        if children[commit]:
            above[commit] = bits | 1 << number
    return counts


def weights(history: History) -> dict[str, int]:
    """Return w(i) = min(a(i) + 1, N − (a(i) + 1)) of every commit of a graph filtered to the candidates.

    Heger et al. 2013, §4.1, Eq. 1; a(i) counts ancestors within the filtered graph and N the bad commit, too,
    so that measuring the commit with the largest weight leaves the fewest candidates whatever it shows.
    One candidate has weight 0. Git calls the same number `dist`.
    """
    size = len(history)
    return {commit: min(above + 1, size - above - 1) for commit, above in ancestor_counts(history).items()}
