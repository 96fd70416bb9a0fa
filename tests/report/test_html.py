import base64
import hashlib
import re
from dataclasses import replace

import pytest

from abs_audit.analyses.audit.model import Definition
from abs_audit.analyses.audit.page import render
from abs_audit.analyses.score.model import Since
from abs_audit.analyses.score.page import anchor, watchers
from abs_audit.model.explanation import Cause
from abs_audit.model.verdict import FalseAlarms, Verdict
from tests.support import builders as b
from tests.support import sessions
from tests.support.html_page import BUDGET, LINKING, Lazily, Page

PARTS = (
    "subject",
    "discovery",
    "trace",
    "stability",
    "score",
    "sensitivity",
    "redundancy",
    "selection",
    "stubs",
)


REPORTS = {"small": sessions.small, "hostile": sessions.hostile, "large": sessions.large, "empty": b.report}
TEXTS = Lazily(lambda name: render(REPORTS[name]()), REPORTS)
PAGES = Lazily(lambda name: Page(TEXTS[name]), REPORTS)
pytestmark = pytest.mark.xdist_group("test_html")
each_page = pytest.mark.parametrize("name", PAGES)


def page_of(**parts: object) -> Page:
    return Page(render(b.report(**parts)))


@each_page
def test_a_page_is_balanced(name: str) -> None:
    assert PAGES[name].open == []
    assert PAGES[name].unbalanced == []


@each_page
def test_a_page_refers_to_nothing_outside_itself(name: str) -> None:
    page = PAGES[name]
    for attribute in LINKING:
        assert [value for value in page.attributes(attribute) if not value.startswith("#")] == []
    assert re.findall(r"@import|url\((?!#)|https?:", page.raw["style"] + page.raw["script"]) == []


@each_page
def test_every_link_inside_a_page_has_a_target(name: str) -> None:
    page = PAGES[name]
    targets = page.attributes("id")
    assert sorted(targets) == sorted(set(targets))
    wanted = {value.removeprefix("#") for value in page.attributes("href")}
    assert wanted - set(targets) == set()


@each_page
def test_only_our_own_style_and_script_may_run(name: str) -> None:
    page = PAGES[name]
    policy = next(value for value in page.attributes("content") if "default-src" in value)
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for kind in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(page.raw[kind].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
        assert page.count(kind) == 1


@each_page
def test_no_element_carries_style_or_code_of_its_own(name: str) -> None:
    names = {attribute for _, attributes in PAGES[name].elements for attribute in attributes}
    assert {attribute for attribute in names if attribute.startswith("on") or attribute == "style"} == set()


@each_page
def test_a_page_stays_within_two_megabytes(name: str) -> None:
    assert len(TEXTS[name].encode()) <= BUDGET


def test_a_page_stays_small_even_if_every_name_is_endless() -> None:
    long = {name: name * 20 for name in ("m", "b")}
    methods = [f"{long['m']}.m{index}" * 40 for index in range(40)]
    benchmarks = [f"{long['b']}/b{index}" * 40 for index in range(900)]
    cells = tuple(
        b.cell(method, benchmark, explanation=b.because(Cause.FAILED, "r" * 500), repetitions=(80, 80))
        for method in methods
        for benchmark in benchmarks
    )
    report = b.report(
        score=b.score(*(b.method(name, detected_by=tuple(benchmarks)) for name in methods), cells=cells),
        runs=sessions.runs_of(cells),
        stability=b.stability(*(b.spread(name) for name in benchmarks)),
        redundancy=b.redundancy(dict.fromkeys(methods, tuple(benchmarks)), removable=tuple(benchmarks)),
        selection=b.selection(*benchmarks, lost=tuple(methods)),
        selection_filter=" ".join(benchmarks),
    )
    assert len(render(report).encode()) <= BUDGET


def test_a_page_of_forty_methods_and_five_hundred_benchmarks_stays_small() -> None:
    assert len(render(sessions.large(500, 40)).encode()) <= BUDGET


def test_a_name_breaks_behind_its_separators_and_is_linked_and_copied_as_it_is() -> None:
    text = render(sessions.small())
    name = next(name for name in re.findall(r"<code>([^<\s]+(?:<wbr>[^<\s]+)+)</code>", text))
    assert re.split("<wbr>", name) == re.findall(r".+?[./:]+(?=[\w(*])|.+$", name.replace("<wbr>", ""))
    assert not re.findall(r'"[^"<>]*<wbr>', text)


def test_hostile_names_stay_text() -> None:
    page = PAGES["hostile"]
    assert page.count("img") == 0
    assert page.count("bold") == 0
    assert "</script><script>alert(1)</script>" in page.words
    assert '"><img src=x onerror=alert(1)>' in page.words
    assert "{{ 7 * 7 }}{% raw %}" in page.words
    assert "alert" not in page.raw["script"]


@each_page
def test_no_invisible_character_reaches_a_page(name: str) -> None:
    assert [
        character for character in TEXTS[name] if not (character.isprintable() or character == "\n")
    ] == []
    assert TEXTS[name].encode("utf-8")


def test_control_and_direction_characters_are_shown_as_escapes() -> None:
    words = PAGES["hostile"].words
    for escape in (r"\x1b[31mred\x1b[0m", r"\u202egnirts\u202c", r"nul\x00byte", r"lone \udc80 surrogate"):
        assert escape in words


def test_the_first_heading_is_the_answer() -> None:
    heading = re.search(r"<h1>(.*?)</h1>", TEXTS["small"])
    assert heading is not None
    assert heading[1] == (
        "11 of 17 methods (65%) would be noticed if they became 40% slower; "
        "4 would not (1 of them never called while a benchmark is timed); 2 have no verdict."
    )


def test_the_page_of_a_change_says_below_the_answer_what_it_touches() -> None:
    methods = tuple(f"org.example.some.deep.package.Curve.point{number}(long)" for number in range(4))
    since = Since(revision="main", measured=methods, taken_over=("m",), lost=methods)
    told = page_of(score=replace(b.score(b.method("m")), since=since)).words
    first = "Curve.point0(long), Curve.point1(long), Curve.point2(long) and 1 more"
    assert f"This change: measured 4 methods: 4 open ({first}); 1 answer" in told
    assert f"noticed before and not now: {first}." in told
    assert "This change" not in PAGES["small"].words


def test_sections_stand_in_the_order_in_which_they_matter() -> None:
    assert re.findall(r'<section id="([a-z]+)"', TEXTS["small"]) == [
        "methods",
        "map",
        "benchmarks",
        "stability",
        "redundancy",
        "subset",
        "sensitivity",
        "stubs",
        "trace",
        "costs",
        "reading",
        "environment",
    ]


@pytest.mark.parametrize("missing", PARTS)
def test_a_session_without_a_part_still_makes_a_page(missing: str) -> None:
    page = Page(render(replace(sessions.small(), **{missing: None})))
    assert page.unbalanced == []
    assert {value.removeprefix("#") for value in page.attributes("href")} <= set(page.attributes("id"))


@pytest.mark.parametrize("part", PARTS)
def test_a_session_with_one_part_only_makes_a_page(part: str) -> None:
    page = page_of(**{part: getattr(sessions.small(), part)})
    assert page.unbalanced == []


def test_a_session_without_a_score_says_how_to_get_one() -> None:
    assert "No score has been recorded yet." in PAGES["empty"].words
    assert "abs-audit score" in PAGES["empty"].words


def test_methods_without_a_verdict_are_shown_as_open_and_not_as_noticed() -> None:
    page = page_of(
        score=b.score(b.method("a.b", Verdict.NO_VERDICT, explanation=b.because(Cause.FAILED, "exit code 1")))
    )
    assert "0 of 1 method (0%) would be noticed" in page.words
    assert "1 has no verdict" in page.words
    assert "open" in page.attributes("class")


def test_false_alarms_are_printed_with_the_score() -> None:
    page = page_of(score=b.score(b.method("a.b"), false_alarms=FalseAlarms(cells=20, alarms=3)))
    assert page.words.count("3 of 20 comparisons of control with control raised a false alarm") == 2


def test_what_to_do_next_is_said_once_a_command() -> None:
    page = page_of(
        score=b.score(
            b.method("a", Verdict.MISSED),
            b.method("b", Verdict.UNREACHED),
            b.method("c", Verdict.NO_VERDICT, explanation=b.because(Cause.NOISY, "much")),
        )
    )
    assert "proposes benchmarks for 2 methods that none notices" in page.words
    assert "finds what disturbs this machine; noise hides 1 method" in page.words


def test_the_filter_of_a_subset_is_printed_whole() -> None:
    filter_ = " ".join(f"bench.py::test_{index}" for index in range(500))
    assert filter_ in page_of(selection=b.selection("x"), selection_filter=filter_).words


@each_page
def test_no_outline_is_cut_off(name: str) -> None:
    paths = PAGES[name].attributes("d")
    assert [path for path in paths if "…" in path] == []
    assert [path for path in paths if re.search(r"[A-Za-z]$", path) and path[-1] not in "Zz"] == []


def test_numbers_that_are_not_finite_do_not_reach_a_page() -> None:
    nan = float("nan")
    page = page_of(
        stability=b.stability(b.spread("x", None, means=(nan,), rsd=nan), slowdown=None),
        score=b.score(
            b.method("m", best_share=nan), cells=(b.cell("m", "x", difference_mean=nan, share=nan),)
        ),
    )
    numbers = [value for _, attributes in page.elements for value in attributes.values() if value]
    assert [value for value in numbers if re.search(r"\b(nan|inf)\b", value)] == []
    assert "nan" not in page.words.split()


def test_equal_reports_make_equal_pages() -> None:
    assert render(sessions.small()) == TEXTS["small"]


def test_every_picture_has_its_numbers_as_text_too() -> None:
    for section in re.split(r"<section ", TEXTS["small"])[1:]:
        pictures = re.findall(r'class="picture ([a-z]+)', section)
        if set(pictures) - {"bars"}:
            assert "<table" in section


def test_a_whole_report_knows_where_it_was_made() -> None:
    words = PAGES["small"].words
    for fact in ("4711", "AMD EPYC 7B13, 2 of 64 cores pinned", "performance"):
        assert fact in words


def test_a_report_reader_without_script_sees_every_fact() -> None:
    report = sessions.small()
    words = PAGES["small"].words
    assert report.score is not None
    for method in report.score.methods:
        assert method.method in words


def test_a_filter_that_is_too_long_for_a_page_names_the_command_that_prints_it() -> None:
    page = page_of(selection=b.selection("x", budget_s=90.0), selection_filter="x" * 300_000)
    assert "abs-audit select --budget 90s --json" in page.words
    assert "x" * 1000 not in page.words


def test_each_method_opens_its_evidence_under_a_permalink() -> None:
    report = sessions.small()
    assert report.score is not None
    first = report.score.methods[0]
    place = Definition(id="m", path="src/a<b>.py", line=12, injected="+def load(self) -> '<b>':")
    page = render(replace(report, definitions={first.method: place}))
    row = page.split(f'<tr id="{anchor(first.method)}"')[1].split("\n</tr>")[0]
    assert f'href="#{anchor(first.method)}"' in row
    assert "src/a&lt;b&gt;.py:12" in row
    assert "def load(self) -&gt; &#39;&lt;b&gt;&#39;:" in row
    proven = [cell for cell in report.score.cells if cell.method == first.method and cell.share]
    best = max(proven, key=lambda cell: cell.share or 0.0)
    assert best.benchmark in row.split('class="evidence"')[1]


def test_what_was_not_measured_to_the_end_is_not_told_as_unnoticed() -> None:
    unasked = b.because(Cause.ANOTHER_BENCHMARK_NOTICES, "")
    cells = (b.cell("m.a", "x"), b.cell("m.a", "y", Verdict.NO_VERDICT, explanation=unasked))
    page = render(b.report(score=b.score(b.method("m.a"), cells=cells)))
    assert "1 cell with a question mark was not measured to the end" in page
    section = page.split('<section id="benchmarks">')[1]
    assert '<td class="number">0</td><td class="number">1</td><td class="number">1</td>' in section
    assert "not known" not in render(b.report(score=b.score(b.method("m.a"), cells=cells[:1])))


def test_a_benchmark_says_which_methods_it_notices_and_links_to_them() -> None:
    cells = (b.cell("m.a", "x"), b.cell("m.b", "x", Verdict.MISSED), b.cell("m.a", "y", Verdict.UNREACHED))
    score = b.score(b.method("m.a"), b.method("m.b", Verdict.MISSED), cells=cells)
    first, second = watchers(score)
    assert (first.benchmark, first.noticed, first.called) == ("x", ("m.a",), 2)
    assert (second.benchmark, second.noticed, second.called) == ("y", (), 0)
    section = render(b.report(score=score)).split('<section id="benchmarks">')[1]
    assert f'<a href="#{anchor("m.a")}">' in section


def test_an_outline_is_closed_and_a_value_is_a_stroke_without_length() -> None:
    paths = [attributes for tag, attributes in PAGES["small"].elements if tag == "path"]
    outlines = [str(path["d"]) for path in paths if path.get("class") in {"steady", "restless"}]
    clouds = [str(path["d"]) for path in paths if path.get("class") == "cloud-1"]
    assert outlines
    assert clouds
    assert all(re.fullmatch(r"M[-\d.]+ [-\d.]+(L[-\d.]+ [-\d.]+)+Z", outline) for outline in outlines)
    assert all(re.fullmatch(r"(M[\d.]+ [\d.]+h0)+", cloud) for cloud in clouds)


def test_a_framework_that_is_called_as_its_language_is_named_once() -> None:
    go, jmh = (
        render(b.report(subject=b.subject(language=language, framework=framework)))
        for language, framework in (("go", "go"), ("java", "jmh"))
    )
    assert (1, 1) == (go.count("<span>go</span>"), jmh.count("<span>java</span> <span>jmh</span>"))
