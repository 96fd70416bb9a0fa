from collections.abc import Iterable, Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_audit.analyses.redundancy import model, text
from abs_audit.analyses.redundancy.model import Redundancy
from abs_audit.model.cells import Cells
from abs_audit.model.explanation import Cause
from abs_audit.model.verdict import CellVerdict, Verdict
from tests.support.builders import because, cell

DETECTED, MISSED = Verdict.DETECTED, Verdict.MISSED


def redundancy(
    methods: Iterable[str], cells: Iterable[CellVerdict], durations: Mapping[str, float], **more: float
) -> Redundancy:
    return model.redundancy([*methods], Cells.of(cells), durations, **more)


def found(*pairs: str, methods: str = "mno", durations: dict[str, float] | None = None) -> Redundancy:
    """Pairs are a benchmark and a method that it notices."""
    cells = [cell(pair[1], pair[0], DETECTED) for pair in pairs]
    return redundancy(methods, cells, durations or {})


def test_each_method_names_its_benchmarks_and_the_histogram_counts_them() -> None:
    answer = found("am", "bm", "an")
    assert [(row.method, row.benchmarks) for row in answer.methods] == [
        ("m", ("a", "b")),
        ("n", ("a",)),
        ("o", ()),
    ]
    assert answer.histogram == (1, 1, 1)


def test_a_benchmark_whose_methods_others_notice_is_removable() -> None:
    assert found("am", "bm", "an").removable == ("b",)


def test_of_two_alike_the_longer_one_goes() -> None:
    assert found("am", "bm", durations={"a": 5.0, "b": 1.0}).removable == ("a",)


def test_one_long_benchmark_goes_where_two_short_ones_watch_the_same() -> None:
    short = {"a": 9.0, "b": 1.0, "c": 1.0}
    assert found("am", "an", "bm", "cn", durations=short).removable == ("a",)
    assert found("am", "an", "bm", "cn", durations={**short, "a": 1.5}).removable == ("b", "c")


def test_a_benchmark_of_unknown_duration_counts_like_the_longest() -> None:
    assert found("am", "bm", "cn", durations={"a": 5.0, "c": 9.0}).removable == ("b",)


def test_without_any_duration_the_fewest_benchmarks_remain() -> None:
    # One of four methods and two of one against two of three.
    answer = found("am", "an", "ap", "aq", "bo", "cr", "dm", "dn", "do", "ep", "eq", "er", methods="mnopqr")
    assert answer.removable == ("a", "b", "c")


def test_a_benchmark_that_notices_nothing_is_removable_with_a_caution() -> None:
    cells = [cell("m", "a", DETECTED), cell("m", "b", MISSED)]
    answer = redundancy("m", cells, {})
    assert answer.removable == ("b",)
    assert "methods outside" in answer.warnings[0]


def test_a_benchmark_with_an_open_cell_is_never_called_removable_for_noticing_nothing() -> None:
    cells = [
        cell("m", "a", DETECTED),
        cell("m", "b", Verdict.NO_VERDICT, explanation=because(Cause.NOT_RUN, "enough")),
    ]
    answer = redundancy("m", cells, {})
    assert answer.removable == ()
    assert "1 cell without a verdict" in answer.warnings[0]


def test_a_benchmark_that_may_be_the_only_one_to_notice_a_method_is_never_called_removable() -> None:
    noticed = [cell("m", name, DETECTED) for name in "abc"]
    open_cells = [
        cell("n", "b", Verdict.NO_VERDICT),
        # What others notice may stay open.
        cell("m", "d", Verdict.NO_VERDICT),
    ]
    short = {"a": 1.0, "b": 2.0, "c": 2.0, "d": 2.0}
    assert ("c",) == redundancy("mn", [*noticed, *open_cells], short).removable


def test_a_benchmark_and_a_method_of_the_same_name_are_two_things() -> None:
    answer = redundancy("m", [cell("m", "m", DETECTED)], {"m": 1.0})
    assert answer.methods[0].benchmarks == ("m",)
    assert answer.removable == ()


def test_a_suite_that_notices_nothing_has_no_redundancy_but_no_crash() -> None:
    assert redundancy("", [], {}).histogram == ()
    assert redundancy("mn", [], {}).histogram == (2,)
    # What watches none of the methods asked about may watch others, as all of its suite may.
    nothing = redundancy("m", [cell("m", "a", MISSED), cell("m", "b", MISSED)], {})
    assert nothing.removable == nothing.warnings == ()
    assert text.answer(nothing).startswith("No benchmark notices any")


suites = st.lists(
    st.builds(cell, st.sampled_from("mnop"), st.sampled_from("abcde"), st.sampled_from([DETECTED, MISSED])),
    unique_by=lambda one: (one.method, one.benchmark),
)


@given(suites, st.fixed_dictionaries({name: st.integers(1, 9).map(float) for name in "abcde"}))
def test_removing_everything_removable_loses_no_method_and_nothing_more_could_go(
    cells: list[CellVerdict], durations: dict[str, float]
) -> None:
    removable = redundancy("mnop", cells, durations).removable
    edges = {(one.benchmark, one.method) for one in cells if one.verdict is DETECTED}
    kept = {edge for edge in edges if edge[0] not in removable}
    assert {method for _, method in kept} == {method for _, method in edges}
    for benchmark in {name for name, _ in kept}:
        rest = {method for name, method in kept if name != benchmark}
        assert rest < {method for _, method in edges}


def test_a_search_that_ends_too_early_says_how_much_better_an_answer_could_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(model, "LEAST_LIMIT_S", 0.0)
    draw = np.random.default_rng(4)
    watched = draw.random((400, 60)) < 0.03
    cells = [cell(f"m{column}", f"b{row}") for row, column in zip(*np.nonzero(watched), strict=True)]
    methods = [f"m{column}" for column in range(60)]
    hasty, whole = redundancy(methods, cells, {}, limit_s=0.0), found("am", "bm", "an")
    assert (0.0, ()) == (whole.gap, whole.warnings)
    assert 0 < hasty.gap <= 1
    assert f"up to {hasty.gap:.1%} of the time" in hasty.warnings[0]
