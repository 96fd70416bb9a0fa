"""What a search reports: the document against its schema, the summary, and a page as safe as the others."""

import base64
import hashlib
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from abs_audit.analyses.rootcause import blame
from abs_audit.analyses.rootcause.document import RootCauseDocument
from abs_audit.analyses.rootcause.page import course, path
from abs_audit.analyses.rootcause.page import render as webpage
from abs_audit.analyses.rootcause.text import nested
from abs_audit.analyses.rootcause.text import summary as summarise
from abs_audit.report.document import dumps
from abs_audit.report.text import show
from tests.support import root_causes
from tests.support.html_page import BUDGET, LINKING, Lazily, Page
from tests.support.schemas import validate

NAMES = ("small", "none", "gradual", "hostile", "large")
RESULTS = Lazily(lambda name: getattr(root_causes, name)(), NAMES)
TEXTS = Lazily(lambda name: webpage(RESULTS[name]), RESULTS)
PAGES = Lazily(lambda name: Page(TEXTS[name]), RESULTS)
pytestmark = pytest.mark.xdist_group("test_root_cause")
each = pytest.mark.parametrize("name", RESULTS)


@each
def test_the_document_satisfies_its_shipped_schema(name: str) -> None:
    validate(json.loads(dumps(RootCauseDocument.read(RESULTS[name]))))


def test_the_document_holds_what_the_contract_names() -> None:
    found = json.loads(dumps(RootCauseDocument.read(RESULTS["small"])))

    assert root_causes.sha(5) == found["cause"]
    assert {"from": root_causes.sha(3), "to": root_causes.sha(5), "kind": "major"}.items() <= (
        found["regressions"][0].items()
    )
    first = found["measured"][0]
    assert (root_causes.sha(0), 100, 1.01e-3, "fast") == (
        first["commit"],
        first["sample_size"],
        first["mean"],
        first["category"],
    )
    assert ["lib.outer", "lib.inner", "lib.other"] == [node["method"] for node in found["tree"]]
    assert ["lib.inner", "lib.idle"] == [one["method"] for one in found["changed_methods"]]


def test_where_nobody_is_to_blame_the_cause_is_null() -> None:
    assert [None, None] == [RootCauseDocument.read(RESULTS[name]).cause for name in ("none", "gradual")]


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("small", f"Commit {root_causes.sha(5)[:12]} made it 40% slower: change 5."),
        ("none", f"{root_causes.sha(9)[:12]} is not measurably slower than {root_causes.sha(0)[:12]}."),
        ("gradual", "No single commit is to blame"),
    ],
)
def test_the_answer_comes_first_in_text_and_page(name: str, answer: str) -> None:
    assert blame.answer(RESULTS[name]).startswith(answer)
    assert answer in " ".join(summary(name).split())
    assert f"<h1>{answer}" in TEXTS[name]


def summary(name: str) -> str:
    out = io.StringIO()
    show(summarise(RESULTS[name]), out, width=80)
    return out.getvalue()


@pytest.mark.parametrize("name", ["small", "none"])
def test_the_summary_is_as_expected(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"root_cause_{name}.txt", summary(name))


def test_hostile_names_reach_no_terminal() -> None:
    text = summary("hostile")

    assert [] == [character for character in text if not (character.isprintable() or character == "\n")]
    assert "\n::error::" not in text


@each
def test_a_page_is_balanced_small_and_refers_to_nothing_outside_itself(name: str) -> None:
    page = PAGES[name]

    assert ([], []) == (page.open, page.unbalanced)
    assert len(TEXTS[name].encode()) <= BUDGET
    links = [value for attribute in LINKING for value in page.attributes(attribute)]
    assert [] == [value for value in links if not value.startswith("#")]
    assert [] == re.findall(r"@import|url\((?!#)|https?:", page.raw["style"] + page.raw["script"])


@each
def test_only_our_own_style_and_script_may_run(name: str) -> None:
    page = PAGES[name]
    policy = next(value for value in page.attributes("content") if "default-src" in value)
    for kind in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(page.raw[kind].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    names = {attribute for _, attributes in page.elements for attribute in attributes}
    assert set() == {name for name in names if name.startswith("on") or name == "style"}


@each
def test_no_outline_is_cut_off_and_no_number_is_missing(name: str) -> None:
    page = PAGES[name]

    assert [] == [path for path in page.attributes("d") if "…" in path]
    numbers = [value for _, attributes in page.elements for value in attributes.values() if value]
    assert [] == [value for value in numbers if re.search(r"\b(nan|inf|None)\b", value)]


def test_hostile_names_stay_text() -> None:
    page = PAGES["hostile"]

    assert (0, 0) == (page.count("img"), page.count("bold"))
    assert "</script><script>alert(1)</script>" in page.words
    assert "alert" not in page.raw["script"]


def test_the_course_leaps_from_the_commit_before_to_the_cause() -> None:
    page = PAGES["small"]
    paths = {attributes["class"]: attributes["d"] for tag, attributes in page.elements if "d" in attributes}
    places = re.fullmatch(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)", str(paths["leap"]))
    assert places is not None
    before_x, before_y, cause_x, cause_y = map(float, places.groups())

    assert before_x < cause_x
    assert before_y > cause_y  # heights grow downwards
    assert f"{before_x:g} {before_y:g}L{cause_x:g} {cause_y:g}" in str(paths["through"])
    assert ["end", "good", "skipped", "cause", "end"] == [kind for _, kind in course(RESULTS["small"]).kinds]
    bands = [kind for kind in page.attributes("class") if kind.startswith("band ")]
    assert ["band band-fast", "band band-medium"] == bands


def test_what_was_only_compared_is_shown_as_neither_good_nor_bad() -> None:
    compared = [replace(of, judgement=None) for of in RESULTS["small"].measured if of.level_s is not None]
    result = replace(RESULTS["small"], measured=tuple(compared))

    assert ["end", "compared", "cause", "end"] == [kind for _, kind in course(result).kinds]
    classes = Page(webpage(result)).attributes("class")
    # One of each in the legend.
    assert (1, 2) == (classes.count("course-good"), classes.count("course-compared"))


def test_the_path_shows_how_the_candidates_became_fewer() -> None:
    bars = path(RESULTS["small"])

    assert [9, 9, 6] == [bar.value for bar in bars]
    assert "good, 9 candidates before" == bars[1].note


def test_the_tree_is_shown_depth_first() -> None:
    where = RESULTS["small"].where
    assert where is not None
    assert [("lib.outer", 1), ("lib.inner", 2), ("lib.other", 2)] == [
        (node.method, depth) for node, depth in nested(where.tree)
    ]
    assert "lib.inner 1 ms → 1.4 ms (+40%) ◄ cause ● changed" in " ".join(PAGES["small"].words.split())


def test_what_a_commit_was_taken_for_is_not_cut_within_its_word() -> None:
    """Cells of tables may be cut anywhere, and a narrow one is cut to letters."""
    assert re.search(
        r"td\.word \{ overflow-wrap: break-word; \}.*<td class=\"word\">good end</td>", TEXTS["small"], re.S
    )
