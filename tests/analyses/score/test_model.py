from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_audit.analyses.score import model as question
from abs_audit.analyses.score.document import TotalsPart
from abs_audit.analyses.score.model import Cost, Evidence, Score, ScoreSettings, Unfinished
from abs_audit.analyses.score.text import answer, interval, largest_share, variant
from abs_audit.errors import UsageError
from abs_audit.model.cells import Alike, Cells
from abs_audit.model.explanation import Cause, Difference, Explanation
from abs_audit.model.subject import Skipped
from abs_audit.model.verdict import CellVerdict, FalseAlarms, Verdict
from tests.support.builders import because, cell

DETECTED, MISSED, UNREACHED, NONE = (Verdict.DETECTED, Verdict.MISSED, Verdict.UNREACHED, Verdict.NO_VERDICT)


NOISE = Explanation(
    cause=Cause.NOT_SIGNIFICANT, details=Difference(difference=0.3, threshold=0.2, largest_p=0.5)
)


def score(
    methods: str,
    *cells: CellVerdict,
    spreads: Mapping[str, float | None] | None = None,
    alarms: FalseAlarms = FalseAlarms(cells=10, alarms=0),  # noqa: B008
    **evidence: object,
) -> Score:
    known = {"skipped": (), **evidence}
    names = {one.benchmark: 0.01 for one in cells} if spreads is None else spreads
    return question.score(
        Evidence(methods=tuple(methods), cells=Cells.of(cells), spreads=names, **known),
        ScoreSettings(
            protocol="switched",
            slowdown=0.4,
            runs=2,
            false_alarms=alarms,
            cost=Cost(total_s=1.0, benchmark_s=1.0, build_s=0.0, paper_protocol_s=None),
        ),
    )


def test_a_method_is_detected_if_any_benchmark_notices_it() -> None:
    found = score("m", cell("m", "a", MISSED), cell("m", "b", DETECTED), cell("m", "c", NONE))
    assert found.methods[0].verdict is DETECTED
    assert found.methods[0].detected_by == ("b",)
    assert found.total == 1.0


@pytest.mark.parametrize(
    ("verdicts", "spreads", "told"),
    [
        pytest.param([NONE], {}, "not known", id="nothing is settled"),
        pytest.param([DETECTED, NONE], {}, "not known", id="the noise of what notices is not known"),
        pytest.param([DETECTED, DETECTED], {"a": 0.1}, "not known, 50% so far", id="nor that of all"),
        pytest.param([DETECTED, NONE], {"a": 0.1}, "50%", id="a method is open, as in the total score"),
        pytest.param([DETECTED, MISSED], {"a": 0.9}, "0%", id="only an unstable one notices"),
        pytest.param([MISSED, MISSED], {}, "0%", id="nothing notices"),
    ],
)
def test_variants_of_the_score_are_told_where_the_noise_they_rest_on_is_known(
    verdicts: list[Verdict], spreads: dict[str, float], told: str
) -> None:
    cells = [cell(method, name, verdict) for method, name, verdict in zip("mn", "ab", verdicts, strict=False)]
    settled = score("mn"[: len(cells)], *cells, spreads=spreads)
    assert told == variant(settled, settled.absolute)
    assert (told[:3] != "not") == TotalsPart.read(settled).variants_known


def test_a_method_without_a_verdict_stays_in_the_denominator_and_is_never_detected() -> None:
    found = score(
        "mn", cell("m", "a", DETECTED), cell("n", "a", NONE, explanation=because(Cause.TIMED_OUT, "60 s"))
    )
    assert found.total == 0.5
    assert found.interval == (0.5, 1.0)
    assert "1 timed-out" in found.methods[1].reason


def test_the_commonest_reason_of_a_method_without_a_verdict_comes_with_an_example() -> None:
    cells = (
        cell("m", "a", NONE, explanation=because(Cause.TIMED_OUT, "60 s")),
        cell("m", "b", NONE, explanation=because(Cause.FAILED, "x"), share=None),
        cell("m", "c", NONE, explanation=because(Cause.FAILED, "KeyError"), share=0.1),
        cell("m", "d", NONE, explanation=because(Cause.FAILED, "y"), share=0.1),
    )
    # What spends most of its time there, for nobody looks at one that may not even call the method.
    assert (
        "no verdict on 4 of 4 benchmarks (3 failed, 1 timed-out), and no other notices it; c: KeyError"
        == score("m", *cells).methods[0].reason
    )


def test_one_open_cell_keeps_a_method_from_being_called_missed() -> None:
    cells = (
        cell("m", "a", MISSED),
        cell("m", "b", NONE, explanation=because(Cause.FAILED, "x")),
        cell("m", "c", UNREACHED),
    )
    assert score("m", *cells).methods[0].verdict is NONE


def test_a_benchmark_that_fails_unslowed_watches_nothing_but_keeps_the_interval_open() -> None:
    cells = cell("m", "a", MISSED), cell("m", "b", NONE, explanation=because(Cause.FAILED, "x"))
    found = score("m", *cells, broken=frozenset("b"))
    assert (MISSED, 0.0, (0.0, 1.0)) == (found.methods[0].verdict, found.total, found.interval)
    assert any("watching nothing: 1 benchmark (1 of them: x): b" in warning for warning in found.warnings)
    why = "as what has no verdict and failing benchmarks, repaired, turn out"
    assert interval(found) == f"between 0% and 100%, {why}"


def test_one_that_fails_as_another_does_that_works_without_probes_keeps_the_interval_open() -> None:
    alike = Alike(
        methods=("m",),
        benchmarks=("works", "broken"),
        verdict=UNREACHED,
        explanation=Explanation(cause=Cause.NOT_CALLED),
        requested=0.4,
    )
    cells = Cells(alike=(alike,))
    evidence = Evidence(methods=("m",), cells=cells, skipped=(), spreads={}, broken=frozenset({"broken"}))
    (method,) = question.score(evidence, score("m", cell("m", "a"))).methods
    assert (UNREACHED, 2) == (method.verdict, method.explanation.details.judged)


def test_benchmarks_that_fail_are_told_with_why_most_of_them_do() -> None:
    """Of 281 benchmarks 263 failed, 227 for want of one folder; the user was told three of their names."""
    reasons = {"a": "no folder", "b": "no module", "c": "no folder"}
    cells = [
        cell(method, name, NONE, explanation=because(Cause.FAILED, reason))
        for name, reason in reasons.items()
        for method in "mn"
    ]
    result = score("mn", *cells, cell("m", "d", UNREACHED), broken=frozenset(reasons))
    (warning,) = (warning for warning in result.warnings if warning.startswith("failing"))
    assert ": 3 benchmarks (2 of them: no folder): a, b, c; repair them" in warning
    assert "called by no benchmark that works while it is timed" in answer(result)


@pytest.mark.parametrize(("methods", "ending"), [("m", ": b"), ("mn", "with --methods")])
def test_a_benchmark_that_probes_change_is_named_with_what_may_help(methods: str, ending: str) -> None:
    found = score(
        methods, cell("m", "b", NONE, explanation=because(Cause.UNVIABLE, "x")), changed=frozenset("b")
    )
    (warning,) = (one for one in found.warnings if one.startswith("probes change 1 benchmark "))
    assert warning.endswith(ending)


def test_where_every_benchmark_fails_unslowed_there_is_no_verdict() -> None:
    found = score("m", cell("m", "b", NONE, explanation=because(Cause.FAILED, "x")), broken=frozenset("b"))
    assert NONE is found.methods[0].verdict


def test_a_method_that_was_not_tried_has_no_verdict() -> None:
    found = score("m", cell("n", "a", DETECTED)).methods[0]
    assert found.verdict is NONE
    assert found.reason.startswith("not-run:")


def test_a_method_that_cannot_carry_a_probe_has_no_verdict_but_the_reason() -> None:
    found = score("m", skipped=(Skipped(method="m", reason="written in C"),)).methods[0]
    assert found.verdict is NONE
    assert found.reason == "unviable: written in C"


@pytest.mark.parametrize(
    ("further_s", "at_least", "told"),
    [
        (60.0, False, "finishing takes about 60 s of benchmarks"),
        (60.0, True, "finishing takes more than 60 s of benchmarks"),
        (0.0, True, "nobody knows how long finishing takes"),
    ],
)
def test_what_finishing_takes_is_told_as_far_as_it_is_known(
    further_s: float, at_least: bool, told: str
) -> None:
    left = Unfinished(methods=1, further_s=further_s, at_least=at_least)
    assert any(told in warning for warning in score("m", cell("m", "a", NONE), unfinished=left).warnings)


def test_cells_that_no_method_waits_for_are_not_told_as_methods() -> None:
    """An audit of logrus ended with "0 of 191 methods are not settled"."""
    left = Unfinished(methods=0, further_s=16.0, at_least=True)
    warnings = score("m", cell("m", "a", NONE), unfinished=left).warnings
    assert any(
        "budget ended: no method waits for the cells that are left; finishing" in said for said in warnings
    )


def test_what_no_benchmark_was_counted_for_is_told() -> None:
    left = Unfinished(methods=1, further_s=60.0, at_least=True, uncounted=2)
    (warning,) = (
        told for told in score("m", cell("m", "a", NONE), unfinished=left).warnings if "budget" in told
    )
    assert "1 of 1 methods are not settled; what 2 benchmarks call is not known; finishing" in warning


def test_an_unreached_method_says_whether_set_up_calls_it() -> None:
    causes = {"m": Cause.NOT_CALLED, "n": Cause.SETUP_ONLY, "o": Cause.AT_FIRST}
    cells = [
        cell(method, name, UNREACHED, explanation=Explanation(cause=cause))
        for method, cause in causes.items()
        for name in "abcde"
    ]
    found = score("mno", *cells).methods
    assert {one.verdict for one in found} == {UNREACHED}
    assert found[0].reason == "not called by any benchmark"
    assert found[1].reason == "called in set-up only, outside the timed region, by a, b, c and 2 more"
    assert (
        found[2].reason
        == "called at first only, not when measured (a cache may answer), by a, b, c and 2 more"
    )


def test_a_method_that_loading_calls_names_benchmarks_only_whose_own_set_up_does() -> None:
    causes = {"a": Cause.LOADING_ONLY, "b": Cause.LOADING_ONLY, "c": Cause.SETUP_ONLY, "d": Cause.NOT_CALLED}
    cells = [
        cell(method, name, UNREACHED, explanation=Explanation(cause=causes[name]))
        for method, names in {"m": "abcd", "n": "abd"}.items()
        for name in names
    ]
    told = score("mn", *cells).methods
    assert [Cause.SETUP_ONLY, Cause.LOADING_ONLY] == [method.cause for method in told]
    assert told[0].reason == "called in set-up only, outside the timed region, by c"
    assert told[1].reason == (
        "called only while the suite is loaded (imports, variables of packages, static initialisers), "
        "by no benchmark"
    )


def test_a_missed_method_says_how_near_the_best_benchmark_came() -> None:
    cells = cell("m", "a", MISSED, share=0.1), cell("m", "b", MISSED, share=0.25)
    found = score("m", *cells, cell("m", "c", UNREACHED)).methods[0]
    assert found.verdict is MISSED
    assert found.best_share == 0.25
    assert "largest share 25% in b" in found.reason
    assert "the method 80% slower instead of 40% slower" in found.reason


def test_a_share_that_no_clock_shows_is_told_by_what_it_may_be() -> None:
    """Of cattrs' `identity`, which returns what it is given, nothing is left beside reading a clock."""
    cells = (
        cell("m", name, MISSED, share=0.0, share_interval=(0.0, most))
        for name, most in {"a": 0.02, "b": 0.18, "c": 0.05}.items()
    )
    (missed,) = score("m", *cells).methods
    assert missed.reason == "largest share at most 18% in b"
    assert largest_share(missed) == "≤18%"


def test_a_missed_method_with_a_large_share_repeats_what_stood_in_the_way() -> None:
    found = score("m", cell("m", "a", MISSED, share=0.9, explanation=NOISE)).methods[0]
    assert "enough in principle, but difference of means 30% does not stand out" in found.reason


def test_unstable_benchmarks_count_in_the_total_only() -> None:
    cells = cell("m", "wild", DETECTED), cell("n", "calm", DETECTED)
    found = score("mn", *cells, spreads={"wild": 0.6, "calm": 0.5})
    assert (found.total, found.absolute) == (1.0, 0.5)


def test_the_relative_score_leaves_out_the_most_unstable_twentieth() -> None:
    spreads: dict[str, float | None] = {f"b{i:02}": 0.01 * i for i in range(20)}
    cells = cell("m", "b19", DETECTED), cell("n", "b18", DETECTED)
    found = score("mn", *cells, spreads=spreads)
    assert (found.total, found.relative, found.absolute) == (1.0, 0.5, 1.0)


def test_of_equally_unstable_benchmarks_the_id_decides() -> None:
    spreads: dict[str, float | None] = dict.fromkeys("abcdefghijklmnopqrst", 0.3)
    assert question.stable_relative(spreads) == frozenset("abcdefghijklmnopqrs")


def test_a_benchmark_without_a_spread_counts_in_the_total_only_and_is_named() -> None:
    found = score("m", cell("m", "new", DETECTED), spreads={"new": None, "old": 0.1})
    assert (found.total, found.relative, found.absolute) == (1.0, 0.0, 0.0)
    assert any("new" in warning and "maxSpread" in warning for warning in found.warnings)


def test_a_variant_that_stable_benchmarks_could_still_raise_is_called_a_lower_bound() -> None:
    cells = cell("m", "wild", DETECTED), cell("m", "calm", NONE, explanation=because(Cause.NOT_RUN, "enough"))
    found = score("m", *cells, spreads={"wild": 0.9, "calm": 0.1})
    assert any("absolute score is a lower bound" in warning for warning in found.warnings)


def test_false_alarms_are_warned_of_with_their_interval() -> None:
    found = score("m", cell("m", "a", MISSED), alarms=FalseAlarms(cells=20, alarms=1))
    assert any("1 of 20" in warning and "0.0089 to 0.24" in warning for warning in found.warnings)


def test_a_score_without_a_check_of_the_control_against_itself_says_so() -> None:
    found = score("m", cell("m", "a", MISSED), alarms=FalseAlarms(cells=0, alarms=0))
    assert any("rate of false alarms is unknown" in warning for warning in found.warnings)


def test_a_clean_score_has_no_warnings() -> None:
    assert score("m", cell("m", "a", DETECTED)).warnings == ()


def test_a_score_of_no_methods_is_refused() -> None:
    with pytest.raises(UsageError, match="at least 1 method"):
        score("")


cells = st.lists(
    st.builds(cell, st.sampled_from("mnop"), st.sampled_from("abc"), st.sampled_from(Verdict)),
    max_size=12,
    unique_by=lambda one: (one.method, one.benchmark),
)


@given(cells)
def test_variants_never_exceed_the_total_nor_the_total_its_interval(drawn: list[CellVerdict]) -> None:
    found = score("mnop", *drawn, spreads={"a": 0.1, "b": 0.6, "c": None})
    assert 0 <= found.relative <= found.total
    assert 0 <= found.absolute <= found.total
    assert found.interval[0] == found.total <= found.interval[1] <= 1


@given(cells, st.randoms())
def test_the_order_of_cells_does_not_matter(drawn: list[CellVerdict], random: object) -> None:
    shuffled = sorted(drawn, key=lambda _: random.random())
    known = {"a": 0.1, "b": 0.6, "c": None}
    before, after = score("mnop", *drawn, spreads=known), score("mnop", *shuffled, spreads=known)
    assert [(one.verdict, one.detected_by) for one in before.methods] == [
        (one.verdict, one.detected_by) for one in after.methods
    ]
    assert (before.total, before.relative, before.absolute) == (after.total, after.relative, after.absolute)
