"""Call trees level by level: PRCA's Figures 5 and 6, changed structures, and what has no measurement."""

from collections.abc import Mapping

from abs_audit.analyses.rootcause.calls.call_tree import CallGraph, Change, Comparison, Times, compare

CALM = (1.0, 1.01, 0.99, 1.0, 1.02)
SLOW = tuple(2 * value for value in CALM)
SAME = Times(before=CALM, after=tuple(reversed(CALM)))
SLOWER = Times(before=CALM, after=SLOW)
# Figure 5: foo calls bar and doo, doo calls fem, fem calls qux once and wug three times.
EDGES: dict[tuple[str | None, str], float] = {
    (None, "foo"): 1,
    ("foo", "bar"): 1,
    ("foo", "doo"): 1,
    ("doo", "fem"): 1,
    ("fem", "qux"): 1,
    ("fem", "wug"): 3,
}
TIMES = {"foo": SLOWER, "bar": SAME, "doo": SLOWER, "fem": SLOWER, "qux": SAME, "wug": SAME}


def graph(edges: Mapping[tuple[str | None, str], float]) -> CallGraph:
    calls: dict[str, float] = {}
    for (_, callee), count in edges.items():
        calls[callee] = calls.get(callee, 0) + count
    return CallGraph(calls=calls, edges=edges, recorded=True)


def levels(before: CallGraph, after: CallGraph, times: Mapping[str, Times]) -> tuple[list[str], Comparison]:
    """Time what is wanted, level by level; return the levels as text, and the end."""
    asked: list[str] = []
    known: dict[str, Times] = {}
    while True:
        found = compare(before, after, known)
        if not found.wanted:
            return asked, found
        asked.append(" ".join(sorted(found.wanted)))
        known |= {method: times[method] for method in found.wanted}


def test_figure_6_flags_the_path_from_foo_to_fem_and_marks_fem() -> None:
    asked, found = levels(graph(EDGES), graph(EDGES), TIMES)

    assert ["foo", "bar doo", "fem", "qux wug"] == asked
    assert ["foo", "doo", "fem"] == [node.method for node in found.nodes if node.change is Change.SLOWER]
    assert ["fem"] == [node.method for node in found.nodes if node.cause]
    assert ("doo", 3, (1, 1)) == next((n.caller, n.level, n.calls) for n in found.nodes if n.method == "fem")


def test_what_is_not_slower_is_not_entered() -> None:
    asked, found = levels(graph(EDGES), graph(EDGES), {**TIMES, "doo": SAME, "bar": SLOWER})

    assert (["foo", "bar doo"], ["bar"]) == (asked, [node.method for node in found.nodes if node.cause])


def test_a_slower_method_that_calls_otherwise_is_the_cause_and_not_entered() -> None:
    often = graph({**EDGES, ("doo", "fem"): 2, ("fem", "qux"): 2, ("fem", "wug"): 6})

    asked, found = levels(graph(EDGES), often, {**TIMES, "fem": SAME})

    assert ["foo", "bar doo"] == asked
    assert [("doo", True)] == [(node.method, node.restructured) for node in found.nodes if node.cause]


def test_calls_a_call_count_not_calls_in_all() -> None:
    """Where foo calls doo twice, fem is called twice as often in all; its caller is as it was."""
    twice = {**EDGES, ("foo", "doo"): 2.0, ("doo", "fem"): 2.0, ("fem", "qux"): 2.0, ("fem", "wug"): 6.0}

    _, found = levels(graph(EDGES), graph(twice), TIMES)

    assert ["foo"] == [node.method for node in found.nodes if node.restructured]


def test_a_method_that_only_one_commit_calls_is_new_or_gone() -> None:
    after = {**EDGES, (None, "fresh"): 1.0}
    before = {**EDGES, (None, "old"): 1.0}
    times = {**TIMES, "fresh": Times(before=(), after=CALM), "old": Times(before=CALM, after=())}

    _, found = levels(graph(before), graph(after), times)

    assert {"fresh": Change.NEW, "old": Change.GONE} == {
        node.method: node.change for node in found.nodes if node.method in {"fresh", "old"}
    }
    assert {"fem", "fresh"} == {node.method for node in found.nodes if node.cause}


def test_without_a_measurement_a_method_is_unknown_never_cleared() -> None:
    _, found = levels(graph(EDGES), graph(EDGES), {**TIMES, "foo": Times(before=CALM, after=())})

    assert [(Change.UNKNOWN, False, None)] == [(node.change, node.cause, node.p) for node in found.nodes]


def test_a_benchmark_that_calls_a_method_more_often_is_told_from_a_slower_method() -> None:
    twice = graph({edge: 2 * count for edge, count in EDGES.items()})

    _, found = levels(graph(EDGES), twice, dict.fromkeys(TIMES, SAME))

    assert [("foo", Change.MORE_OFTEN, True)] == [(n.method, n.change, n.cause) for n in found.nodes]


def test_recursion_ends() -> None:
    edges = {**EDGES, ("fem", "foo"): 1.0, ("fem", "fem"): 2.0}

    asked, _ = levels(graph(edges), graph(edges), TIMES)

    assert ["foo", "bar doo", "fem", "qux wug"] == asked


def test_nothing_called_gives_no_tree() -> None:
    nothing = CallGraph(calls={}, edges={}, recorded=True)

    assert Comparison(wanted=(), nodes=()) == compare(nothing, nothing, {})


def test_what_explains_hardly_anything_of_the_lost_time_is_not_slower() -> None:
    known = {method: TIMES[method] for method in ("foo", "bar", "doo")}

    assert ("fem",) == compare(graph(EDGES), graph(EDGES), known, lost_s=1.0).wanted
    # doo grew by 1 s a call: less than a twentieth of 21 s.
    assert () == compare(graph(EDGES), graph(EDGES), known, lost_s=21.0).wanted
