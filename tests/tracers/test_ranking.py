"""The ranking of API methods: by calls, then projects; never filled up."""

from collections.abc import Mapping
from dataclasses import replace

from abs_audit.analyses.trace import text
from abs_audit.interfaces import DownstreamCounts
from abs_audit.model.trace import Ranking
from abs_audit.tracers.ranking import rank


def counts(direct: Mapping[str, int], internal: Mapping[str, int] = {}) -> DownstreamCounts:
    return DownstreamCounts(
        direct=direct, internal=internal, other={}, tests_passed=3, tests_failed=1, arguments={}
    )


TRACED = {
    "first": ("abc", counts({"pkg.a": 5, "pkg.b": 2}, {"pkg.c": 100})),
    "second": (None, counts({"pkg.b": 2, "pkg.d": 4})),
}


def test_methods_are_ranked_by_calls_then_by_projects() -> None:
    result = rank(TRACED, Ranking(top=10, caller="direct"))

    assert ["pkg.a", "pkg.b", "pkg.d"] == [ranked.method for ranked in result.methods]
    assert {"first": 2, "second": 2} == result.methods[1].by_project


def test_exactly_as_many_methods_as_asked_for_are_kept() -> None:
    """The ranking of JavaAPIUsageTracer kept one more (defect 18)."""
    assert 2 == len(rank(TRACED, Ranking(top=2, caller="direct")).methods)


def test_what_tests_said_stands_on_one_line_of_a_warning() -> None:
    problem = "third: its tests did not run; the last they said:\n    E   no module 'x'\n"

    (warning, *_) = rank(TRACED, Ranking(top=1, caller="direct"), (problem,)).warnings
    assert "third: its tests did not run; the last they said: E no module 'x'" == warning


def test_interrupted_tests_are_named_in_a_warning() -> None:
    interrupted = {**TRACED, "third": (None, replace(counts({"pkg.a": 1}), ended_after_s=600.0))}

    (warning, *_) = rank(interrupted, Ranking(top=1, caller="direct")).warnings
    assert "third: its tests were interrupted after 10 min; what they had called by then counts" == warning


def test_calls_of_the_library_itself_count_for_the_papers_ranking_only() -> None:
    assert "pkg.c" == rank(TRACED, Ranking(top=1, caller="any")).methods[0].method


def test_fewer_methods_than_asked_for_are_reported_and_not_filled_up() -> None:
    result = rank(TRACED, Ranking(top=20, caller="direct"))

    assert 3 == len(result.methods)
    assert any("3 methods called in all" in warning for warning in result.warnings)


def test_a_downstream_with_failing_tests_still_counts() -> None:
    summary = rank(TRACED, Ranking(top=20, caller="direct")).downstreams[0]

    assert (7, 3, 1) == (summary.calls, summary.tests_passed, summary.tests_failed)


def test_a_downstream_that_could_not_be_traced_is_named() -> None:
    assert (
        "third: does not build"
        == rank(TRACED, Ranking(top=20, caller="direct"), ("third: does not build",)).warnings[0]
    )


def test_where_only_the_most_called_are_kept_no_other_count_is_claimed() -> None:
    whole, cut = (rank(TRACED, Ranking(top=top, caller="direct")) for top in (3, 2))

    assert "The tests of 2 downstream projects call 3 API methods." == text.answer(whole)
    assert "The tests of 2 downstream projects call 2 API methods most, and others less." == text.answer(cut)


def test_a_single_method_that_is_hardly_called_is_told_as_one() -> None:
    warnings = rank({"p": (None, counts({"pkg.a": 9, "pkg.b": 1}))}, Ranking(top=2, caller="direct")).warnings

    assert "1 method at the end has fewer than 5 calls: the order there means little" == warnings[-1]
