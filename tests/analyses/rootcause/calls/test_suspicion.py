"""Blame: the changed method that explains the lost time comes first."""

import pytest

from abs_audit.analyses.rootcause.calls.call_tree import CallGraph, Times
from abs_audit.analyses.rootcause.calls.changes import ChangedMethod, MethodChange
from abs_audit.analyses.rootcause.calls.suspicion import Evidence, Suspect, rank


def method(name: str, change: MethodChange = MethodChange.MODIFIED) -> ChangedMethod:
    return ChangedMethod(method=name, change=change, path="m.py", line=1)


def times(before: float | None, after: float | None) -> Times:
    def around(value: float | None) -> tuple[float, ...]:
        return () if value is None else tuple(value * factor for factor in (0.99, 1.0, 1.0, 1.01))

    return Times(before=around(before), after=around(after))


def graph(calls: dict[str, float], edges: dict[tuple[str | None, str], float]) -> CallGraph:
    return CallGraph(calls=calls, edges=edges, recorded=True)


EDGES: dict[tuple[str | None, str], float] = {(None, "top"): 1, ("top", "middle"): 1, ("middle", "leaf"): 1}
SAME = graph({"top": 1, "middle": 1, "leaf": 1}, EDGES)


def ranked(found: dict[str, Times], *changed: str, after: CallGraph = SAME) -> dict[str, Suspect]:
    suspects = rank(
        [method(name) for name in changed], Evidence(before=SAME, after=after, times=found, lost_s=1.0)
    )
    return {one.changed.method: one for one in suspects}


GROWN = {"top": times(2, 3), "middle": times(1, 2), "leaf": times(0.5, 1.5)}


def test_a_changed_method_answers_for_what_no_changed_method_below_it_explains() -> None:
    found = ranked(GROWN, "top", "leaf")

    assert ["leaf", "top"] == list(found)
    assert (1.0, 0.0) == (pytest.approx(found["leaf"].suspicion), pytest.approx(found["top"].suspicion))


def test_an_unchanged_method_that_became_slower_is_put_to_the_changed_one_above_it() -> None:
    assert 1.0 == pytest.approx(ranked(GROWN, "top")["top"].suspicion)


def test_a_changed_method_that_is_never_called_or_not_slower_is_not_suspicious() -> None:
    found = ranked({**GROWN, "leaf": times(0.5, 0.5)}, "leaf", "elsewhere")

    assert {"leaf": 0.0, "elsewhere": 0.0} == {name: one.suspicion for name, one in found.items()}
    assert (None, "the benchmark never calls it") == (
        found["elsewhere"].increase_s,
        found["elsewhere"].reason,
    )


def test_a_new_method_answers_for_all_of_its_time() -> None:
    after = graph({"top": 1, "middle": 1, "leaf": 1, "fresh": 2}, {**EDGES, ("top", "fresh"): 2})
    found = ranked({"fresh": times(None, 0.25)}, "fresh", after=after)

    assert (0.5, 0.5) == (pytest.approx(found["fresh"].suspicion), pytest.approx(found["fresh"].increase_s))


def test_a_method_that_is_called_twice_as_often_is_suspicious_though_no_call_is_slower() -> None:
    after = graph(
        {"top": 1, "middle": 2, "leaf": 2}, {(None, "top"): 1, ("top", "middle"): 2, ("middle", "leaf"): 2}
    )
    found = ranked({**GROWN, "middle": times(1, 1)}, "middle", after=after)

    assert 1.0 == pytest.approx(found["middle"].suspicion)
    assert "called 2 times as often as before" == found["middle"].reason


def test_without_a_time_nothing_is_claimed() -> None:
    assert (0.0, "its time could not be measured") == (
        ranked({}, "leaf")["leaf"].suspicion,
        ranked({}, "leaf")["leaf"].reason,
    )
