"""The page as people use it: by keyboard, by link, on a phone, in the dark, on paper, and read aloud."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from abs_audit.analyses.audit.model import AuditReport
from abs_audit.analyses.audit.page import render
from abs_audit.analyses.chart import page as chart_page
from abs_audit.analyses.chart.model import ChartSettings
from abs_audit.analyses.compare import page as compare_page
from abs_audit.analyses.detectable import page as detectable_page
from abs_audit.analyses.rootcause import page as rootcause_page
from abs_audit.analyses.score.page import anchor
from abs_audit.analyses.variability import page as variability_page
from abs_audit.model.verdict import Verdict
from tests.support import builders as b
from tests.support import measurements as m
from tests.support import root_causes, sessions
from tests.support.browser import Browser, browser

pytestmark = pytest.mark.toolchain("chromium")
ROWS = "[...document.querySelectorAll('#methods-table > tbody > tr')]"
VISIBLE = f"{ROWS}.filter(row => row.checkVisibility()).map(row => row.id)"
UNFOLD = "document.querySelectorAll('details').forEach(details => { details.open = true; })"
READABLE = 4.5
"""The contrast that WCAG 2.2 asks of text (1.4.3)."""

# Own text, its colour and all that is painted below it, blended; formula of WCAG 2.2, "contrast ratio".
FAINT = """(() => {
  const parse = (text) => {
    const [r, g, b, a = 1] = text.match(/-?[\\d.]+(e-?\\d+)?/g).map(Number);
    return text.startsWith("color(") ? [255 * r, 255 * g, 255 * b, a] : [r, g, b, a];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((part, i) => part * a + below[i] * (1 - a));
  const up = function* (node) { for (; node; node = node.parentElement) yield getComputedStyle(node); };
  const ground = (node) => [...up(node)].map((style) => parse(style.backgroundColor)).reverse()
    .reduce((below, colour) => over(colour, below), [255, 255, 255]);
  const light = (rgb) => rgb.map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const holdsText = (node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
  const nodes = [...document.querySelectorAll("body :not(script, style, title)")];
  return nodes.filter((node) => node.checkVisibility() && holdsText(node)).map((node) => {
    const [r, g, b, a] = parse(getComputedStyle(node)[node instanceof SVGElement ? "fill" : "color"]);
    const seen = [...up(node)].reduce((product, style) => product * style.opacity, a);
    const below = ground(node);
    const [dark, bright] = [light(over([r, g, b, seen], below)), light(below)].sort((x, y) => x - y);
    return [(bright + 0.05) / (dark + 0.05), node.textContent.trim()];
  }).filter(([contrast]) => contrast < READABLE);
})()""".replace("READABLE", str(READABLE))


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    reports = {
        "small": sessions.small(),
        "hostile": sessions.hostile(),
        "few": sparse(50),
        "many": sparse(500),
    }
    paths = {name: folder / f"{name}.html" for name in reports}
    for name, report in reports.items():
        paths[name].write_text(render(report))
    return paths


@pytest.fixture
def small(tab: Browser, pages: dict[str, Path]) -> Browser:
    tab.look()
    tab.open(pages["small"])
    return tab


def sparse(benchmarks: int) -> AuditReport:
    """A score of forty methods, of which each benchmark calls four."""
    methods = [f"pkg.mod.Class.method{index}" for index in range(40)]
    return b.report(
        score=b.score(
            *(b.method(name) for name in methods),
            cells=tuple(
                b.cell(name, f"bench.py::test[{row}]", list(Verdict)[(row + column) % 10 and 2])
                for column, name in enumerate(methods)
                for row in range(benchmarks)
            ),
        )
    )


def test_a_slash_begins_to_filter_the_methods_and_escape_shows_all_again(small: Browser) -> None:
    every = small.run(VISIBLE)
    small.press("/", *"cache.")
    cached = [anchor(f"tokenmap.cache.Cache.{name}") for name in ("evict", "put", "get")]
    assert cached == [row for row in small.run(VISIBLE) if row in cached]
    assert f"{len(small.run(VISIBLE))} of {len(every)}" == small.run("document.querySelector('output').value")
    assert anchor("tokenmap.render.Renderer.render") not in small.run(VISIBLE)
    small.press("Escape")
    assert every == small.run(VISIBLE)


def test_filtering_leaves_the_evidence_of_what_fits_whole(small: Browser) -> None:
    cells = "document.querySelectorAll('.evidence tbody tr:not([hidden])').length"
    before = small.run(cells)
    small.press("/", *"tokenmap.")
    assert before == small.run(cells)


def test_a_heading_sorts_by_keyboard_in_both_directions(small: Browser) -> None:
    shares = f"{ROWS}.map(row => Number(row.cells[2].dataset.value))"
    before = sorted(small.run(shares))
    nested = "document.querySelectorAll('.evidence tbody tr').length"
    proofs = small.run(nested)
    small.run("document.querySelector('#methods-table th:nth-child(3) button').focus()")
    small.press("Enter")
    assert before == small.run(shares)
    assert "ascending" == small.run("document.activeElement.closest('th').ariaSort")
    small.press(" ")
    assert before[::-1] == small.run(shares)
    assert proofs == small.run(nested)


def test_every_method_that_was_measured_opens_its_evidence_by_keyboard(small: Browser) -> None:
    rows = small.run(f"{ROWS}.filter(row => row.querySelector('.evidence')).map(row => row.id)")
    assert 16 == len(rows)
    for row in rows:
        small.run(f"document.querySelector('#{row} summary').focus()")
        small.press("Enter")
        height = small.run(f"document.querySelector('#{row} .evidence table').getBoundingClientRect().height")
        assert height > 0, row


def test_a_permalink_shows_its_method_opened(tab: Browser, pages: dict[str, Path]) -> None:
    wanted = anchor("tokenmap.text.split_words")
    tab.look()
    tab.open(pages["small"], f"#{wanted}")
    assert tab.run(f"document.querySelector('#{wanted} .evidence').open")
    top = tab.run(f"document.getElementById('{wanted}').getBoundingClientRect().top")
    assert 0 <= top <= 900


def test_a_link_to_a_method_that_is_filtered_away_shows_it(small: Browser) -> None:
    wanted = anchor("tokenmap.core.TokenMap.merge")
    small.press("/", *"cache")
    assert wanted not in small.run(VISIBLE)
    small.run(f"document.querySelector('#benchmarks a[href=\"#{wanted}\"]').focus()")
    small.press("Enter")
    small.run("new Promise(resolve => setTimeout(resolve))")
    assert wanted in small.run(VISIBLE)
    assert small.run(f"document.querySelector('#{wanted} .evidence').open")


@pytest.mark.parametrize("name", ["small", "hostile"])
def test_on_a_phone_nothing_is_wider_than_the_screen(tab: Browser, pages: dict[str, Path], name: str) -> None:
    tab.look(width=400)
    tab.open(pages[name])
    tab.run(UNFOLD)
    assert tab.run("document.scrollingElement.scrollWidth") <= 400


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(small: Browser, scheme: str) -> None:
    small.look(scheme=scheme)
    small.run(UNFOLD)
    assert [] == small.run(FAINT)


def test_paper_shows_the_evidence_of_every_method_and_the_screen_folds_it_again(small: Browser) -> None:
    opened = "document.querySelectorAll('.evidence[open]').length"
    small.run(f"addEventListener('beforeprint', () => {{ window.printed = {opened}; }})")
    small.call("Page.printToPDF")
    assert 16 == small.run("window.printed")
    assert 0 == small.run(opened)


def test_the_head_of_a_large_map_stays_above_its_columns(tab: Browser, pages: dict[str, Path]) -> None:
    tab.look()
    tab.open(pages["many"])
    frame = "document.querySelector('.map-frame')"
    assert 500 == tab.run("document.querySelectorAll('.map .row').length")
    tab.run(f"{frame}.scrollIntoView(), {frame}.scrollTo(200, {frame}.scrollHeight)")
    place = "(node => [node.getBoundingClientRect().left, node.getBoundingClientRect().top])"
    (_, top), (left, head), (body, _) = (
        tab.run(f"{place}({node})") for node in (frame, f"{frame}.children[0]", f"{frame}.children[1]")
    )
    assert abs(head - top) <= 1
    assert left == body


def test_time_until_a_page_can_be_used_grows_no_faster_than_its_benchmarks(
    tab: Browser, pages: dict[str, Path]
) -> None:
    took = {}
    for name in ("few", "many"):
        tab.look()
        tab.open(pages[name])
        took[name] = tab.run(
            "(entry => entry.domContentLoadedEventEnd - entry.responseStart)"
            "(performance.getEntriesByType('navigation')[0])"
        )
    # Ten times the benchmarks; twice that on a busy machine. What is quadratic would take a hundred times.
    assert took["many"] <= 20 * took["few"]


def nameless(nodes: list[dict[str, Any]]) -> list[str]:
    """Return the roles of what a screen reader would have no name for."""
    named = {"button", "link", "searchbox", "image", "img", "table", "navigation"}
    roles = [(node["role"]["value"], node.get("name", {}).get("value")) for node in nodes]
    return [role for role, name in roles if role in named and not name]


def test_read_aloud_the_page_has_an_outline_and_a_name_for_everything(small: Browser) -> None:
    small.run(UNFOLD)
    nodes = small.read_aloud()
    assert [] == nameless(nodes)
    levels = [
        trait["value"]["value"]
        for node in nodes
        if node["role"]["value"] == "heading"
        for trait in node["properties"]
        if trait["name"] == "level"
    ]
    assert 1 == levels[0] and 1 == levels.count(1)
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert {"main", "navigation", "contentinfo"} <= {node["role"]["value"] for node in nodes}


def test_the_pages_of_other_analyses_fit_a_phone_and_can_be_read_by_everybody(
    tab: Browser, tmp_path: Path
) -> None:
    pages = {
        "compare": compare_page.render(m.small_comparison(), "a.json", "b.json"),
        "chart": chart_page.render(m.small_chart(), ChartSettings(), m.small_quality()),
        "variability": variability_page.render(m.small_variability(), m.small_detectable(), "x.csv"),
        "detectable": detectable_page.render(m.small_detectable(), m.small_advice(), "x.csv"),
        "rootcause": rootcause_page.render(root_causes.small()),
    }
    for name, text in pages.items():
        path = tmp_path / f"{name}.html"
        path.write_text(text)
        tab.look(width=400, scheme="dark")
        tab.open(path)
        tab.run(UNFOLD)
        width = tab.run("document.scrollingElement.scrollWidth")
        seen = (name, width <= 400, tab.run(FAINT), nameless(tab.read_aloud()))
        assert (name, True, [], []) == seen
