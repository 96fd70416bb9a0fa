"""Pages of the analyses that work on measurements alone: as safe and as complete as the audit's."""

import base64
import hashlib
import itertools
import re
from dataclasses import replace

import pytest

from abs_audit.analyses.chart import page as chart_page
from abs_audit.analyses.chart.model import PAPER_RULE, STRICT_RULE, ChartSettings, ControlChart
from abs_audit.analyses.compare import page as compare_page
from abs_audit.analyses.detectable import page as detectable_page
from abs_audit.analyses.detectable.recommendation import recommend
from abs_audit.analyses.detectable.sampling import grid
from abs_audit.analyses.variability import page as variability_page
from abs_audit.report.html.dot_rows import Line, dot_rows, plot_axis
from abs_audit.report.html.geometry import Axis, change_ticks, decade_ticks, quantity_ticks
from tests.support import builders as b
from tests.support import measurements as m
from tests.support.html_page import BUDGET, LINKING, Lazily, Page
from tests.support.sessions import HOSTILE

SETTINGS = ChartSettings()


def large_chart() -> ControlChart:
    return m.chart(
        *(
            m.charted(
                f"counter {index} with a rather long name",
                0.5,
                baseline=tuple(range(2_000)),
                samples=tuple(range(5_000)),
            )
            for index in range(500)
        )
    )


def page_of_large_matrix() -> str:
    names = [f"org.example.Benchmark.measure_{index}:size=100,kind=open" for index in range(800)]
    samplings = grid((1, 2, 3, 5, 10), (1, 2, 3, 5))
    result = b.detectable(
        *(b.seen(name, sampling) for name in names for sampling in samplings), samplings=samplings, asked=800
    )
    return detectable_page.render(result, recommend(result), "many.csv")


RENDERED = {
    "compare": lambda: compare_page.render(m.small_comparison(), "a.json", "b.json"),
    "compare-hostile": lambda: compare_page.render(m.hostile_comparison(), HOSTILE[0], HOSTILE[1]),
    "compare-empty": lambda: compare_page.render(m.comparison(), "a", "b"),
    "chart": lambda: chart_page.render(m.small_chart(), SETTINGS, m.small_quality()),
    "chart-hostile": lambda: chart_page.render(m.hostile_chart(), SETTINGS),
    "chart-filtered": lambda: chart_page.render(m.filtered_chart(), ChartSettings(filter_load=True)),
    "chart-empty": lambda: chart_page.render(m.chart(), SETTINGS),
    "chart-large": lambda: chart_page.render(large_chart(), SETTINGS),
    "variability": lambda: variability_page.render(m.small_variability(), m.small_detectable(), "x.csv"),
    "variability-hostile": lambda: variability_page.render(
        m.hostile_variability(), m.hostile_detectable(), HOSTILE[0]
    ),
    "variability-empty": lambda: variability_page.render(m.variability(), None, "x.csv"),
    "detectable": lambda: detectable_page.render(m.small_detectable(), m.small_advice(), "x.csv"),
    "detectable-hostile": lambda: detectable_page.render(
        m.hostile_detectable(), recommend(m.hostile_detectable()), HOSTILE[0]
    ),
    "detectable-empty": lambda: detectable_page.render(
        b.detectable(samplings=()), recommend(b.detectable(samplings=())), "x.csv"
    ),
    "detectable-large": page_of_large_matrix,
}
TEXTS = Lazily(lambda name: RENDERED[name](), RENDERED)
PAGES = Lazily(lambda name: Page(TEXTS[name]), RENDERED)
pytestmark = pytest.mark.xdist_group("test_measurement_pages")
each_page = pytest.mark.parametrize("name", PAGES)


@each_page
def test_a_page_is_balanced_small_and_refers_to_nothing_outside_itself(name: str) -> None:
    page = PAGES[name]
    assert ([], []) == (page.open, page.unbalanced)
    assert len(TEXTS[name].encode()) <= BUDGET
    links = [value for attribute in LINKING for value in page.attributes(attribute)]
    assert [value for value in links if not value.startswith("#")] == []
    assert re.findall(r"@import|url\((?!#)|https?:", page.raw["style"] + page.raw["script"]) == []


@each_page
def test_only_our_own_style_and_script_may_run(name: str) -> None:
    page = PAGES[name]
    policy = next(value for value in page.attributes("content") if "default-src" in value)
    assert "unsafe" not in policy
    for kind in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(page.raw[kind].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    names = {attribute for _, attributes in page.elements for attribute in attributes}
    assert {attribute for attribute in names if attribute.startswith("on") or attribute == "style"} == set()


@each_page
def test_no_outline_is_cut_off_and_no_number_is_missing(name: str) -> None:
    page = PAGES[name]
    assert [path for path in page.attributes("d") if "…" in path] == []
    numbers = [value for _, attributes in page.elements for value in attributes.values() if value]
    assert [value for value in numbers if re.search(r"\b(nan|inf|None)\b", value)] == []


@pytest.mark.parametrize("name", [name for name in PAGES if name.endswith("hostile")])
def test_hostile_names_stay_text(name: str) -> None:
    page = PAGES[name]
    assert (0, 0) == (page.count("img"), page.count("bold"))
    assert "</script><script>alert(1)</script>" in page.words
    assert "alert" not in page.raw["script"]
    unseen = [character for character in TEXTS[name] if not (character.isprintable() or character == "\n")]
    assert unseen == []


@each_page
def test_every_picture_has_its_numbers_as_text_too(name: str) -> None:
    if 'class="picture' in TEXTS[name]:
        assert "<table" in TEXTS[name]


def test_the_first_heading_is_the_answer() -> None:
    headings = {name: re.search(r"<h1>(.*?)</h1>", TEXTS[name])[1] for name in ("compare", "chart")}  # type: ignore[index]
    assert headings["compare"].startswith("2 of 9 benchmarks became slower, the worst by 31%")
    assert headings["chart"].startswith("2 of 5 counters are out of control")


def test_the_page_of_a_chart_names_the_rule_that_decides() -> None:
    strict, paper = "above 25% and above 2 times the learned threshold", "above the learned threshold"
    assert (strict, paper) == (chart_page.rule(STRICT_RULE), chart_page.rule(PAPER_RULE))
    assert strict in PAGES["chart"].words
    expected = chart_page.render(m.small_chart(), ChartSettings(percentiles=(1.0, 99.0)))
    assert "A good run has about 2%." in Page(expected).words


def drawn(page: Page, kind: str) -> list[int]:
    """Return how many samples of a kind are drawn, counter by counter: a sample begins with a move."""
    paths = [attributes for _, attributes in page.elements if attributes.get("class") == f"sample-{kind}"]
    # The first is that of the legend.
    return [str(path["d"]).count("M") for path in paths][1:]


def test_each_counter_is_drawn_once_and_its_violations_apart() -> None:
    pictures = chart_page.counters(m.small_chart())
    assert [picture.counter.name for picture in pictures] == [
        counter.name for counter in m.small_chart().counters
    ]
    page = PAGES["chart"]
    assert (1, 19) == (drawn(page, "inside")[0], drawn(page, "outside")[0])
    limits = next(path for path in page.attributes("d") if "H800M70 " in path)
    lower, upper = (float(place) for place in re.findall(r"M70 ([\d.]+)", limits))
    assert upper < lower  # heights grow downwards


def test_a_sample_on_a_limit_is_drawn_inside() -> None:
    on_limit = m.charted("c", 0.0, samples=(90.0, 110.0, 110.01))
    page = Page(chart_page.render(m.chart(on_limit), SETTINGS))
    assert ([2], [1]) == (drawn(page, "inside"), drawn(page, "outside"))


def test_a_constant_counter_and_a_single_sample_are_drawn() -> None:
    flat = m.charted("c", 0.0, baseline=(5.0, 5.0), samples=(5.0,))
    page = Page(chart_page.render(m.chart(flat), SETTINGS))
    assert [2] == drawn(page, "baseline")
    assert 1 == sum(drawn(page, "inside") + drawn(page, "outside"))


def test_long_runs_are_thinned_and_said_to_be() -> None:
    assert "Drawn are 300 of 5 000 samples" in PAGES["chart-large"].words
    assert "440 less violated counters not drawn" in PAGES["chart-large"].words


def test_a_filter_is_drawn_with_its_cut_and_says_what_it_dropped() -> None:
    two, one = chart_page.counters(m.filtered_chart())
    assert two.density is not None
    assert one.density is not None
    assert two.density.reference is not None
    assert (True, None) == (0 < two.density.reference.at < two.density.axis.end, one.density.reference)
    words = PAGES["chart-filtered"].words
    assert "30 of 120 samples below 40 dropped; Shapiro-Wilk p <0.0001 before, 0.3 after" in words
    assert "one kind of load, nothing dropped" in words
    assert chart_page.counters(m.small_chart())[0].density is None


def test_the_overview_shows_ratio_threshold_and_limit_of_each_counter() -> None:
    picture = chart_page.overview(m.chart(m.charted("a", 0.5, 0.1), m.charted("b", 0.1, None)))
    assert picture is not None
    assert [["limit", "in"], ["threshold", "limit", "out"]] == [list(line.dots) for line in picture.lines]


def test_deviations_are_drawn_noisiest_first_and_without_those_unknown() -> None:
    picture = variability_page.deviations(m.small_variability())
    assert picture is not None
    assert 13 == len(picture.lines)
    assert m.BENCHMARKS[12] == picture.lines[0].name
    assert ["instance", "total"] == list(picture.lines[0].dots)


def test_the_portions_of_a_bar_add_up_to_the_benchmarks_with_an_answer() -> None:
    result = m.small_detectable()
    portions = [detectable_page.classes_of(result, sight.sampling) for sight in m.small_advice().sights]
    assert [len(m.BENCHMARKS)] * 12 == [sum(sizes.values()) for sizes in portions]
    assert "none" == list(portions[0])[-1]
    assert "3 × 3 same ←" in PAGES["detectable"].words


def test_the_classes_of_regressions_end_at_their_edges() -> None:
    expected = {0.01: "s0", 0.02: "s1", 0.05: "s1", 0.1: "s2", 0.15: "s3", 0.5: "s4", 1.0: "s4", None: "none"}
    assert expected == {smallest: detectable_page.size_class(smallest) for smallest in expected}


def test_the_blindest_benchmark_is_the_first_of_the_matrix() -> None:
    benchmark, cells = detectable_page.matrix(m.small_detectable())[0]
    assert benchmark == m.BENCHMARKS[-1]
    assert (12, None) == (len(cells), cells[0].smallest)  # type: ignore[union-attr]


def test_a_large_matrix_is_cut_and_says_so() -> None:
    assert "650 benchmarks that see more left out" in PAGES["detectable-large"].words


def test_more_warnings_than_anybody_reads_are_counted() -> None:
    noisy = replace(m.small_comparison(), warnings=tuple(f"warning {number}" for number in range(45)))
    text = compare_page.render(noisy, "a", "b")
    assert ("<li>warning 39</li>" in text, "<li>warning 40</li>" in text) == (True, False)
    assert "<li>and 5 more; the JSON document has them all</li>" in text


def test_one_endless_interval_does_not_shrink_the_others_to_nothing() -> None:
    steady = [m.compared(f"b{index}", 1.1) for index in range(20)]
    endless = m.compared("endless", 1.2, interval=(0.2, 400.0))
    picture = compare_page.changes(m.comparison(endless, *steady))
    assert picture is not None
    first, second = (picture.axis.at(value) for line in picture.lines[:2] for value in line.dots.values())
    assert first - second > 10
    assert [0.0, picture.axis.end] == [picture.axis.at(end) for end in picture.lines[0].span or ()]


def test_twice_and_half_as_fast_lie_equally_far_from_unchanged() -> None:
    picture = compare_page.changes(m.comparison(m.compared("a", 2.0), m.compared("b", 0.5)))
    assert picture is not None
    assert picture.reference is not None
    middle = picture.reference.at
    slower, faster = (picture.axis.at(value) for line in picture.lines for value in line.dots.values())
    assert slower - middle == pytest.approx(middle - faster, abs=0.11)


def test_ticks_of_changes_are_percents_near_1_and_factors_beyond_and_never_touch() -> None:
    wide = plot_axis(0.1, 10.0, logarithmic=True)
    assert ["-90%", "-80%", "-50%", "0%", "2×", "5×", "10×"] == [tick.label for tick in change_ticks(wide)]
    places = [tick.at for tick in change_ticks(plot_axis(0.9, 1.1, logarithmic=True))]
    assert len(places) > 4
    assert min(right - left for left, right in itertools.pairwise(places)) >= 36


def test_small_deviations_have_ticks_too() -> None:
    axis = plot_axis(0.0003, 0.2, logarithmic=True)
    labels = [tick.label for tick in decade_ticks(axis)]
    assert {"0.05%", "1.0%", "10%"} <= set(labels)


def test_rows_beyond_the_limit_are_counted() -> None:
    lines = [Line(name=f"b{i}", dots={"in": 0.5}) for i in range(75)]
    picture = dot_rows(lines, plot_axis(0.0, 1.0), ())
    assert picture is not None
    assert (60, 15) == (len(picture.lines), picture.left_out)
    assert dot_rows([], plot_axis(0.0, 1.0), ()) is None


def test_ticks_of_a_quantity_are_round_whatever_its_size() -> None:
    tiny = Axis(low=0.0, high=3e-9, start=0.0, end=100.0)
    assert ["0", "1e-09", "2e-09", "3e-09"] == [tick.label for tick in quantity_ticks(tiny, 3)]
    flat = Axis(low=2.0, high=2.0, start=0.0, end=100.0)
    assert len(quantity_ticks(flat)) <= 1
