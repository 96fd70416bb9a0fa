"""Which of the changed methods is to blame? Those that explain most of the time lost come first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abs_audit.analyses.rootcause.calls.call_tree import ALPHA, LEAST, SAME_CALLS, CallGraph, Times
from abs_audit.analyses.rootcause.calls.changes import ChangedMethod
from abs_audit.grouping import reached
from abs_audit.stats.anova import p_value


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A changed method, and how much of the regression it explains."""

    changed: ChangedMethod
    suspicion: float
    """Part of the benchmark's lost time that it and the unchanged methods below it explain, 0..1."""
    increase_s: float | None
    """Inclusive time an invocation of the benchmark, after less before; None: not measured."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known of the call trees of both commits."""

    before: CallGraph
    after: CallGraph
    times: Mapping[str, Times]
    lost_s: float
    """Time that an invocation of the benchmark became slower by."""
    backwards: bool = False
    """True: `before` is the later commit, for an improvement is searched."""


def rank(methods: Sequence[ChangedMethod], evidence: Evidence) -> tuple[Suspect, ...]:
    """Return the changed methods, the most suspicious first.

    What a method's own time an invocation grew by, less what the nearest changed methods below it grew
    by, divided by what the benchmark lost; growth of an unchanged callee counts for the changed method above
    it, which calls it in another way. A method that is not significantly slower a call, and not called more
    often either, has suspicion 0, as has one that the benchmark never calls.
    """
    names = {method.method for method in methods}
    suspects = [_suspect(method, names, evidence) for method in methods]
    return tuple(
        sorted(
            suspects,
            key=lambda suspect: (-suspect.suspicion, -(suspect.increase_s or 0.0), suspect.changed.method),
        )
    )


def unranked(methods: Sequence[ChangedMethod]) -> tuple[Suspect, ...]:
    """Return the changed methods where there are no call trees to rank them by."""
    return tuple(_harmless(method, None, "not known: there is no call tree") for method in methods)


def _suspect(changed: ChangedMethod, names: set[str], evidence: Evidence) -> Suspect:
    calls = evidence.before.calls.get(changed.method, 0.0), evidence.after.calls.get(changed.method, 0.0)
    if not any(calls):
        return _harmless(changed, None, "the benchmark never calls it")
    increase = _increase(changed.method, evidence)
    if increase is None:
        return _harmless(changed, None, "its time could not be measured")
    if not _grew(changed, calls, evidence):
        direction = "faster" if evidence.backwards else "slower"
        return _harmless(changed, increase, f"called by the benchmark, but not {direction}")
    below = [_increase(callee, evidence) or 0.0 for callee in nearest(evidence.after, changed.method, names)]
    own = increase - sum(max(0.0, part) for part in below)
    suspicion = min(1.0, max(0.0, own / evidence.lost_s)) if evidence.lost_s > 0 else 0.0
    reason = _why(calls, evidence.backwards) + (
        "; less what other changed methods below it explain" * any(below)
    )
    return Suspect(changed=changed, suspicion=suspicion, increase_s=increase, reason=reason)


def _harmless(changed: ChangedMethod, increase: float | None, reason: str) -> Suspect:
    return Suspect(changed=changed, suspicion=0.0, increase_s=increase, reason=reason)


def _why(calls: tuple[float, float], backwards: bool) -> str:
    if not calls[0]:
        return "no longer called by the benchmark" if backwards else "new, and called by the benchmark"
    if calls[1] > (1 + SAME_CALLS) * calls[0]:
        ratio = calls[0] / calls[1] if backwards else calls[1] / calls[0]
        return f"called {ratio:.3g} times as often as before"
    return "changed and faster" if backwards else "changed and slower"


def _grew(changed: ChangedMethod, calls: tuple[float, float], evidence: Evidence) -> bool:
    """Tell whether a call became slower, or the calls more; both by more than chance."""
    if calls[1] > (1 + SAME_CALLS) * calls[0]:
        return True
    times = evidence.times[changed.method]
    before_s, after_s = times.means_s
    if before_s is None or after_s is None:
        return False
    return after_s > (1 + LEAST) * before_s and p_value(times.before, times.after) < ALPHA


def _increase(method: str, evidence: Evidence) -> float | None:
    """Return the growth of inclusive time an invocation; a side that never calls it spent nothing."""
    times = evidence.times.get(method)
    if times is None:
        return None
    spent = []
    for graph, time_s in zip((evidence.before, evidence.after), times.means_s, strict=True):
        calls = graph.calls.get(method, 0.0)
        if calls and time_s is None:
            return None
        spent.append(calls * (time_s or 0.0))
    return spent[1] - spent[0]


def nearest(graph: CallGraph, method: str, names: set[str]) -> list[str]:
    """Return the methods of `names` below a method, with no other one of `names` between."""
    below = reached([method], lambda at: () if at in names and at != method else graph.callees(at))
    return [callee for callee in below[1:] if callee in names]
