"""Where did it become slower? Call trees of two commits, compared level by level."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from abs_audit.model.bounds import MaybeSize, Size, bounded, told_as
from abs_audit.stats.anova import p_value

ALPHA = 0.01
"""Heger et al. 2013, §4.2: as for whole benchmarks."""
LEAST = 0.02
"""Relative growth below which a method counts as equally fast, however sure it is."""
WORTH = 0.05
"""Part of the benchmark's lost time that a method must explain to count as slower."""
SAME_CALLS = 0.01
"""Relative difference up to which calls a call count as equal: counts are averages over iterations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallGraph:
    """Who calls whom inside the timed region, per invocation of the benchmark."""

    calls: Mapping[str, float]
    """Method → entries, above 0."""
    edges: Mapping[tuple[str | None, str], float]
    """Caller and callee → calls; None: the benchmark itself, or code without a probe."""
    recorded: bool
    """True: seen while it ran; False: callers inferred from the sources' text, calls as counted."""

    def callees(self, caller: str | None) -> dict[str, float]:
        """Return callee → calls a call of the caller, largest first."""
        entries = 1.0 if caller is None else self.calls.get(caller, 0.0)
        counts = {callee: count / entries for (of, callee), count in self.edges.items() if of == caller}
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Inclusive times of one method, in seconds a call, one value a process; empty where it has none."""

    before: tuple[float, ...]
    after: tuple[float, ...]

    @property
    def means_s(self) -> tuple[float | None, float | None]:
        """Mean times a call, before and after; None on a side that has none."""
        first, second = (sum(side) / len(side) if side else None for side in (self.before, self.after))
        return first, second


class Change(StrEnum):
    """What became of a method between the two commits."""

    SLOWER = "slower"
    NOT_SLOWER = "not slower"
    MORE_OFTEN = "more often"
    """Not slower a call, but the benchmark itself, or code without a probe, calls it more often."""
    FASTER = "faster"
    """Only where an improvement is searched: `slower`, seen from the other side."""
    LESS_OFTEN = "less often"
    """Likewise `more often`."""
    NEW = "new"
    GONE = "gone"
    UNKNOWN = "unknown"
    """Called by both, but without a measurement."""


WORSE = {Change.SLOWER, Change.NEW, Change.MORE_OFTEN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One method where the benchmark first comes to it."""

    method: str
    caller: Annotated[str | None, Field(description="null: the benchmark itself")]
    level: Annotated[int, bounded(1)]
    """1: called by the benchmark itself."""
    calls: tuple[Size, Size]
    """Calls an invocation of the benchmark, before and after."""
    time_s: Annotated[tuple[MaybeSize, MaybeSize], told_as("times")]
    """Mean inclusive time a call, before and after."""
    p: MaybeSize
    """One-way analysis of variance; None where one side has no times."""
    change: Change
    restructured: bool
    """It calls other methods than before, or the same ones another number of times a call."""
    entered: bool
    """Its callees were measured too."""
    cause: bool
    """Slower, new or called more often, and nothing that it calls explains that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How far the comparison has come."""

    wanted: tuple[str, ...]
    """Methods of the next level to time; empty: it is over."""
    nodes: tuple[Node, ...]
    """Breadth first."""


def compare(
    before: CallGraph, after: CallGraph, times: Mapping[str, Times], lost_s: float = 0.0
) -> Comparison:
    """Return the tree as far as the times reach, and what to time next.

    Breadth first from the benchmark (Heger et al. 2013, §4.2): a method that is significantly slower a call
    (p < .01) is entered, unless what it calls changed; then it is marked as a cause itself, for its callees
    cannot be compared. One that is not slower is not entered. A method has its place where the search first
    comes to it. `times`: method → times; a method without an entry is wanted, one with empty samples is not
    asked for again. `lost_s`: what an invocation of the benchmark became slower by; a method that explains
    less than a twentieth of it counts as not slower, for among many methods some differ by chance.
    """
    nodes: list[Node] = []
    seen: set[str] = set()
    callers: list[str | None] = [None]
    level = 0
    while callers:
        level += 1
        callers_of = _next_level(callers, before, after, seen)
        wanted = tuple(method for method in callers_of if method not in times)
        if wanted:
            return Comparison(wanted=wanted, nodes=_marked(nodes))
        sides = _Sides(before, after, WORTH * lost_s)
        reached = [sides.node(method, caller, level, times[method]) for method, caller in callers_of.items()]
        nodes += reached
        callers = [node.method for node in reached if node.entered]
    return Comparison(wanted=(), nodes=_marked(nodes))


def _next_level(
    callers: Sequence[str | None], before: CallGraph, after: CallGraph, seen: set[str]
) -> dict[str, str | None]:
    """Return every method that none of the earlier levels holds, with the first that calls it."""
    callers_of: dict[str, str | None] = {}
    for caller in callers:
        for callee in {**after.callees(caller), **before.callees(caller)}:
            if callee not in seen:
                seen.add(callee)
                callers_of[callee] = caller
    return callers_of


@dataclass(frozen=True, slots=True)
class _Sides:
    """Both graphs, and the growth that matters."""

    before: CallGraph
    after: CallGraph
    least_s: float

    def node(self, method: str, caller: str | None, level: int, times: Times) -> Node:
        """Return what became of a method where `caller` leads to it."""
        calls = self.before.calls.get(method, 0.0), self.after.calls.get(method, 0.0)
        p = p_value(times.before, times.after) if times.before and times.after else None
        change = self._change(calls, times.means_s, p, caller is None)
        left, right = self.before.callees(method), self.after.callees(method)
        restructured = bool(calls[0] and calls[1]) and (
            left.keys() != right.keys()
            or any(abs(right[callee] - count) > SAME_CALLS * count for callee, count in left.items())
        )
        return Node(
            method=method,
            caller=caller,
            level=level,
            calls=calls,
            time_s=times.means_s,
            p=p,
            change=change,
            restructured=restructured,
            entered=change is Change.SLOWER and not restructured,
            cause=False,
        )

    def _change(
        self,
        calls: tuple[float, float],
        time_s: tuple[float | None, float | None],
        p: float | None,
        from_outside: bool,
    ) -> Change:
        if not calls[0]:
            return Change.NEW
        if not calls[1]:
            return Change.GONE
        if p is None or time_s[0] is None or time_s[1] is None:
            return Change.UNKNOWN
        worth = calls[1] * time_s[1] - calls[0] * time_s[0] >= self.least_s
        if worth and p < ALPHA and time_s[1] > (1 + LEAST) * time_s[0]:
            return Change.SLOWER
        often = from_outside and calls[1] > (1 + SAME_CALLS) * calls[0]
        return Change.MORE_OFTEN if worth and often else Change.NOT_SLOWER


def _marked(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Return the nodes, those that became worse and whose callees do not explain it marked as causes."""
    every = list(nodes)
    worse = {node.method for node in every if node.change in WORSE}
    explained = {node.caller for node in every if node.method in worse}
    return tuple(replace(node, cause=node.method in worse - explained) for node in every)


MIRROR = {
    Change.SLOWER: Change.FASTER,
    Change.MORE_OFTEN: Change.LESS_OFTEN,
    Change.NEW: Change.GONE,
    Change.GONE: Change.NEW,
}


def mirrored(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Return the nodes of a comparison made backwards, from the faster commit to the slower, turned."""
    return tuple(
        replace(
            node,
            calls=(node.calls[1], node.calls[0]),
            time_s=(node.time_s[1], node.time_s[0]),
            change=MIRROR.get(node.change, node.change),
        )
        for node in nodes
    )
