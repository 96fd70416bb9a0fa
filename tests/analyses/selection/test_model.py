import math
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abs_audit.analyses.selection import text
from abs_audit.analyses.selection.model import Candidates, Selection, select
from abs_audit.errors import UsageError
from abs_audit.model.cells import Cells
from abs_audit.model.verdict import CellVerdict, Verdict
from tests.support.builders import cell


def candidates(*pairs: str, cells: Iterable[CellVerdict] = (), **changes: object) -> Candidates:
    """Pairs are a benchmark and a method that it notices; every benchmark takes 1 s."""
    cells = (*cells, *(cell(pair[1], pair[0]) for pair in pairs))
    return Candidates(
        **{
            "methods": ("m", "n", "o", "p"),
            "cells": Cells.of(cells),
            "durations": {one.benchmark: 1.0 for one in cells},
            "weights": {},
            **changes,
        }
    )


def test_one_benchmark_keeps_and_several_keep() -> None:
    alone, both = (select(candidates("am", "bn"), budget_s=budget_s) for budget_s in (1.0, 2.0))
    assert ", keeps a score of 25% instead of 50%: " in text.answer(alone)
    assert ", keep the whole score of 50%." in text.answer(both)


def test_within_the_budget_the_subset_keeps_the_most_methods() -> None:
    answer = select(candidates("am", "bm", "bn", "co"), budget_s=1.0)
    assert answer.chosen == ("b",)
    assert (answer.score_kept, answer.score_full, answer.duration_s) == (0.5, 0.75, 1.0)
    assert answer.lost == ("o",)
    assert (answer.optimal, answer.gap, answer.warnings) == (True, 0.0, ())


def test_important_methods_outweigh_many() -> None:
    heavy = {"m": 1.0, "n": 1.0, "o": 100.0}
    assert select(candidates("bm", "bn", "co", weights=heavy), budget_s=1.0).chosen == ("c",)


def test_a_method_that_was_asked_for_though_no_trace_met_it_counts_as_the_least_one_that_was_met() -> None:
    assert select(candidates("am", "bn", weights={"n": 3.0}), budget_s=2.0).chosen == ("a", "b")
    assert select(candidates("am", weights={"unasked": 3.0}), budget_s=1.0).chosen == ("a",)
    assert select(candidates("am", "bn", weights={"n": 3.0, "o": 1.0}), budget_s=1.0).chosen == ("b",)


def test_a_budget_of_zero_keeps_nothing_and_names_the_shortest_useful_benchmark() -> None:
    answer = select(candidates("am"), budget_s=0.0)
    assert (answer.chosen, answer.score_kept, answer.lost) == ((), 0.0, ("m",))
    assert "takes 1 s: raise the budget" in answer.warnings[0]


def test_a_benchmark_longer_than_the_budget_is_named() -> None:
    answer = select(candidates("am", "bn", durations={"a": 1.0, "b": 50.0}), budget_s=10.0)
    assert answer.chosen == ("a",)
    assert "longer than the budget by themselves: b" in answer.warnings[0]


def test_parts_that_break_down_alone_are_chosen_with_the_whole_for_the_time_that_it_takes() -> None:
    cells = (cell("m", "W/a"), cell("n", "W/b"), cell("o", "Wide/a"))
    durations = {"W/a": 1.0, "W/b": 2.0, "W/c": 4.0, "Wide/a": 5.0}
    asked = candidates(cells=cells, durations=durations, wholes=frozenset({"W"}))
    answer = select(asked, budget_s=7.0)
    assert (("W",), 7.0, ("o",)) == (answer.chosen, answer.duration_s, answer.lost)
    assert (("Wide/a",), ("m", "n")) == ((answer := select(asked, budget_s=6.0)).chosen, answer.lost)


def test_a_suite_that_notices_nothing_yields_an_empty_subset_and_a_warning() -> None:
    answer = select(candidates(), budget_s=60.0)
    assert (answer.chosen, answer.score_kept, answer.optimal) == ((), 0.0, True)
    assert "no benchmark notices" in answer.warnings[0]
    assert text.answer(answer) == "No benchmark notices any of these methods, so no subset keeps anything."


def test_a_benchmark_of_unknown_duration_is_not_chosen_but_named() -> None:
    answer = select(candidates("am", "bn", durations={"a": 1.0}), budget_s=60.0)
    assert answer.chosen == ("a",)
    assert answer.lost == ("n",)
    assert "unknown duration" in answer.warnings[0]


@pytest.mark.parametrize("budget_s", [-1.0, math.nan])
def test_a_budget_that_is_no_time_is_refused(budget_s: float) -> None:
    with pytest.raises(UsageError, match="budget"):
        select(candidates("am"), budget_s)


def test_a_selection_for_no_methods_is_refused() -> None:
    with pytest.raises(UsageError, match="method"):
        select(candidates(methods=()), 60.0)


suites = st.lists(
    st.builds(cell, st.sampled_from("mnop"), st.sampled_from("abcde"), st.sampled_from(Verdict)),
    unique_by=lambda one: (one.method, one.benchmark),
)
seconds = st.fixed_dictionaries({name: st.integers(1, 9).map(float) for name in "abcde"})


def chosen(cells: list[CellVerdict], durations: dict[str, float], budget_s: float) -> Selection:
    return select(candidates(cells=tuple(cells), durations=durations), budget_s)


@given(suites, seconds, st.integers(0, 50).map(float), st.integers(0, 10).map(float))
@settings(max_examples=50)
def test_more_budget_never_keeps_less_and_nothing_exceeds_its_bound(
    cells: list[CellVerdict], durations: dict[str, float], budget_s: float, more_s: float
) -> None:
    small, large = chosen(cells, durations, budget_s), chosen(cells, durations, budget_s + more_s)
    assert small.greedy_score <= small.score_kept <= small.score_full <= 1
    assert small.score_kept <= large.score_kept
    assert small.duration_s <= budget_s
    assert small.score_kept + len(small.lost) / 4 == pytest.approx(small.score_full)


@given(suites, seconds)
@settings(max_examples=50)
def test_a_budget_for_the_whole_suite_loses_nothing(
    cells: list[CellVerdict], durations: dict[str, float]
) -> None:
    answer = chosen(cells, durations, sum(durations.values()))
    assert answer.lost == ()
    assert answer.optimal


def test_what_varies_too_much_to_be_told_by_one_run_is_said_of_the_chosen_ones() -> None:
    spreads = {"a": 0.63, "c": 0.4}
    answer = select(candidates("am", "bn", unsteady=spreads), budget_s=2.0)
    assert answer.warnings == (
        "of 1 chosen benchmark unslowed runs differ by more than half the slowdown, so that a single one "
        "proves little: a (63%)",
    )
    assert select(candidates("bn", "cm", unsteady=spreads), budget_s=0.0).warnings[1:] == ()


def test_what_has_no_verdict_yet_is_said_and_not_called_unnoticed() -> None:
    late = (cell("m", "a", Verdict.NO_VERDICT),)
    answer = select(candidates(cells=late, undecided=frozenset("m")), budget_s=60.0)
    assert (
        "1 method without a verdict may be noticed by benchmarks that are not chosen: "
        "score to the end first, the same `abs-audit score` goes on",
    ) == answer.warnings
    assert (
        "Nothing to choose from yet: no method is known to be noticed, 1 method without a verdict."
        == text.answer(answer)
    )


def test_a_benchmark_that_fails_leaves_no_method_undecided() -> None:
    failing = (cell("m", "b", Verdict.NO_VERDICT), cell("n", "b", Verdict.NO_VERDICT))
    answer = select(candidates("am", cells=failing), budget_s=60.0)
    assert (0, ()) == (answer.undecided, answer.warnings)


def test_what_is_chosen_from_a_part_of_the_verdicts_says_how_many_are_left() -> None:
    late = (cell("m", "b", Verdict.NO_VERDICT), cell("n", "a", Verdict.NO_VERDICT))
    answer = select(candidates("am", cells=late, undecided=frozenset("mno")), budget_s=60.0)
    assert (("a",), 2) == (answer.chosen, answer.undecided)
    assert ", keeps the whole score of 25%; 2 methods without a verdict." in text.answer(answer)
    assert text.answer(select(candidates("am"), budget_s=60.0)).endswith("of 25%.")
