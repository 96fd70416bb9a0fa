"""Summaries of the analyses that work on measurements alone."""

import io
import re
from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import RenderableType

from abs_audit.advising import giving
from abs_audit.analyses.chart import text as chart_text
from abs_audit.analyses.compare import text as compare_text
from abs_audit.analyses.compare.model import Change
from abs_audit.analyses.detectable import text as detectable_text
from abs_audit.analyses.detectable.recommendation import recommend
from abs_audit.analyses.detectable.sampling import Sampling, Strategy
from abs_audit.analyses.variability import text as variability_text
from abs_audit.report.text import show
from tests.support import builders as b
from tests.support import measurements as m

SUMMARIES: dict[str, Callable[[], RenderableType]] = {
    "compare-small": lambda: compare_text.summary(m.small_comparison()),
    "compare-hostile": lambda: compare_text.summary(m.hostile_comparison()),
    "chart-small": lambda: chart_text.summary(m.small_chart(), m.small_quality()),
    "chart-filtered": lambda: chart_text.summary(m.filtered_chart()),
    "chart-hostile": lambda: chart_text.summary(m.hostile_chart()),
    "variability-small": lambda: variability_text.summary(m.small_variability(), m.small_detectable()),
    "variability-hostile": lambda: variability_text.summary(m.hostile_variability(), m.hostile_detectable()),
    "detectable-small": lambda: detectable_text.summary(m.small_detectable(), m.small_advice()),
    "detectable-hostile": lambda: detectable_text.summary(
        m.hostile_detectable(), recommend(m.hostile_detectable())
    ),
}


def shown(content: RenderableType) -> str:
    out = io.StringIO()
    show(content, out, width=80)
    return out.getvalue()


def words(content: RenderableType) -> str:
    return " ".join(shown(content).split())


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_summary_says_what_its_golden_file_says(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"{name}.txt", shown(SUMMARIES[name]()))


@pytest.mark.parametrize("name", SUMMARIES)
def test_a_plain_summary_fits_80_columns_and_holds_no_escape(name: str) -> None:
    text = shown(SUMMARIES[name]())
    assert [line for line in text.splitlines() if cell_len(line) > 80] == []
    assert re.findall(r"[^\x20-\x7e\n…–×µ]", text) == []


def test_a_benchmark_without_a_verdict_is_never_counted_as_unchanged() -> None:
    text = words(compare_text.summary(m.comparison(m.compared("a"), m.undecidable("b"), only_before=("c",))))
    assert text.startswith("None of 2 benchmarks became slower; 1 has no verdict; 1 is missing afterwards.")
    assert "missing afterwards, so without a verdict: c" in text


def test_what_became_slower_comes_first_and_the_worst_of_it_at_the_top() -> None:
    lines = shown(SUMMARIES["compare-small"]()).splitlines()
    kinds = [line.split()[0] for line in lines if line.split() and line.split()[0] in set(Change)]
    assert kinds == ["slower"] * 2 + ["undecidable", "faster"] + ["unchanged"] * 4
    first = next(line for line in lines if line.startswith("slower"))
    assert "+31%" in first


def test_a_p_value_is_not_printed_where_it_could_decide_nothing() -> None:
    text = words(compare_text.summary(m.comparison(m.undecidable("b"))))
    assert "p not testable" in text


def test_a_chart_without_a_threshold_says_so() -> None:
    assert " – " in shown(chart_text.summary(m.chart(m.charted("cpu", 0.5, None))))


def test_the_recommendation_is_the_first_sentence() -> None:
    assert words(SUMMARIES["detectable-small"]()).startswith(
        "3 instances × 3 trials let you see 5% in 90% of the benchmarks, "
        "with both versions on the same instances."
    )


def test_a_recommendation_that_misses_the_aim_says_so() -> None:
    text = detectable_text.answer(recommend(m.small_detectable(), regression=0.01))
    assert text == (
        "3 instances × 5 trials let you see 3% in 90% of the benchmarks, with both versions on the same "
        "instances; no sampling tried lets you see 1% in any."
    )


def test_a_recommendation_that_only_some_benchmarks_reach_says_how_many() -> None:
    half = Sampling(strategy=Strategy.TRIALS, instances=2, trials=1)
    result = b.detectable(b.seen("a", half, 0.05), b.seen("b", half, 0.5), samplings=(half,), asked=2)
    assert detectable_text.answer(recommend(result)) == (
        "No sampling tried lets you see 5% in 90% of the benchmarks; 2 instances × 1 trial, "
        "with both versions on the same instances, comes nearest: 50% of them."
    )


def test_where_no_sampling_shows_anything_that_is_the_answer() -> None:
    blind = m.detectable(("a",), samplings=())
    assert words(detectable_text.summary(blind, recommend(blind))).startswith(
        "No sampling tried lets you see a regression"
    )


def test_what_is_next_after_variability_works_on_the_same_source() -> None:
    """Without two groups to compare there are neither A/A rates nor smallest regressions."""
    small, alarms = m.small_variability(), m.small_detectable()
    with giving(lambda command: [("two words.csv",)]):
        told = words(variability_text.summary(small, alarms))
    assert "next abs-audit detectable 'two words.csv'" in told
    assert "abs-audit detectable" not in words(variability_text.summary(small))
