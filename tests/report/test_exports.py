import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from xml.etree import ElementTree

import pytest
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema

from abs_audit.analyses.score.findings import findings
from abs_audit.analyses.score.model import Score, Since
from abs_audit.model.accepted import AcceptedEntry, AcceptList
from abs_audit.model.explanation import Cause
from abs_audit.model.subject import ApiMethod, Skipped
from abs_audit.model.verdict import Verdict
from abs_audit.report.exports.findings import Findings
from abs_audit.report.exports.formats import FORMATS, write
from abs_audit.report.exports.github import github
from abs_audit.report.exports.gitlab import gitlab
from abs_audit.report.exports.junit import junit
from abs_audit.report.exports.markdown import markdown, plain
from abs_audit.report.exports.sarif import sarif
from tests.support import builders as b
from tests.support import sessions

TODAY = date(2026, 5, 4)


def of(
    score: Score, suite: str = "tokenmap", accepted: tuple[AcceptedEntry, ...] = (), **methods: ApiMethod
) -> Findings:
    definitions = {method.id: method for method in methods.values()}
    return findings(score, definitions, AcceptList(entries=accepted, today=TODAY), suite, "0.1.0")


def score_of(name: str, suite: str = "tokenmap") -> Findings:
    score = getattr(sessions, name)().score
    assert isinstance(score, Score)
    return of(score, suite)


FOUR_METHODS = b.score(
    b.method("m.seen"),
    b.method("m.missed", Verdict.MISSED, best_share=0.2),
    b.method("m.unreached", Verdict.UNREACHED),
    b.method("m.open", Verdict.NO_VERDICT, explanation=b.because(Cause.NOISY, "24%")),
    skipped=(Skipped(method="m.skipped", reason="a C function"),),
)
FOUR = of(FOUR_METHODS)


def test_a_method_that_is_accepted_is_skipped_and_an_expired_one_is_found_again() -> None:
    accepted = AcceptedEntry(id="m.missed", reason="a debugging aid", until=TODAY)
    expired = AcceptedEntry(id="m.unreached", reason="to be removed", until=date(2026, 5, 3))
    reviewed = of(FOUR_METHODS, accepted=(accepted, expired))
    assert ["m.open", "m.unreached"] == sorted(finding.about for finding in reviewed.findings)
    case = ElementTree.fromstring(junit(reviewed)).find(".//testcase[@name='m.missed']/skipped")
    assert case is not None
    assert "accepted: a debugging aid" == case.get("message")
    told = markdown(reviewed).replace("\\", "")
    assert "- accepted: m.missed: a debugging aid" in told
    assert "- accepted until 2026-05-03, and no longer: m.unreached: to be removed" in told
    # The score itself says what is, whoever lives with it.
    assert of(FOUR_METHODS).answer == reviewed.answer


def test_a_review_of_a_change_begins_with_what_it_touches() -> None:
    since = Since(revision="main", measured=("m.open",), taken_over=("m.seen", "m.missed", "m.unreached"))
    reviewed = of(replace(FOUR_METHODS, since=since))
    assert ["m.open", "m.missed", "m.unreached"] == [finding.about for finding in reviewed.findings]
    told = (
        "This change: measured 1 method: 1 open (m.open); "
        "3 answers from the score before, where main does not differ."
    )
    assert (of(FOUR_METHODS).answer, told) == (reviewed.answer, reviewed.change)
    assert told in markdown(reviewed).splitlines()
    assert f" {told}" in github(reviewed).splitlines()[-1]


def test_what_a_change_touches_is_told_by_brief_names_and_never_cut() -> None:
    package = "org.example.some.library.with.a.deep.package"
    methods = tuple(f"{package}.Curve.point{number}(java.math.BigInteger)" for number in range(5))
    since = Since(revision="main", measured=methods, taken_over=("m.seen",), lost=methods)
    change = of(replace(FOUR_METHODS, since=since)).change
    first = "Curve.point0(BigInteger), Curve.point1(BigInteger), Curve.point2(BigInteger) and 2 more"
    assert f"measured 5 methods: 5 open ({first}); 1 answer from" in change
    assert plain(change).replace("\\", "") == change


def test_a_review_says_first_whether_what_changed_is_watched() -> None:
    methods = ("m.unreached", "m.open", "m.seen", "m.missed")
    since = Since(revision="main", measured=methods, taken_over=("m.other",))
    change = of(replace(FOUR_METHODS, since=since)).change
    told = "1 noticed (m.seen), 2 not noticed (m.unreached, m.missed), 1 open (m.open)"
    assert f"measured 4 methods: {told}; 1 answer" in change


def test_what_a_change_loses_comes_first_and_says_so() -> None:
    since = Since(revision="main", measured=("m.open",), taken_over=("m.seen",), lost=("m.missed",))
    reviewed = of(replace(FOUR_METHODS, since=since))
    assert "m.missed" == reviewed.findings[0].about
    assert reviewed.findings[0].why.startswith("noticed before this change; ")
    assert "; noticed before and not now: m.missed." in reviewed.change


@pytest.mark.parametrize("session", ["small", "hostile"])
def test_the_markdown_says_what_its_golden_file_says(
    session: str, golden: Callable[[str, str], None]
) -> None:
    golden(f"score-{session}.md", markdown(score_of(session)))


def test_the_first_line_that_the_markdown_shows_is_the_answer() -> None:
    first = markdown(FOUR).splitlines()[1]
    assert first.replace("\\", "") == (
        "**1 of 4 methods (25%) would be noticed if they became 40% slower; "
        "2 would not (1 of them never called while a benchmark is timed); 1 has no verdict.**"
    )


@pytest.mark.parametrize("session", ["small", "hostile"])
def test_every_row_of_the_markdown_table_has_its_four_cells(session: str) -> None:
    rows = [line for line in markdown(score_of(session)).splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}


def test_the_markdown_of_many_methods_fits_a_comment() -> None:
    many = b.score(
        *(
            b.method("x" * 400 + str(n), Verdict.MISSED, explanation=b.because(Cause.FAILED, "y" * 900))
            for n in range(500)
        )
    )
    text = markdown(of(many))
    assert len(text) < 65_536
    assert "and 440 more methods" in text


def test_a_name_in_markdown_is_neither_markup_nor_a_mention() -> None:
    because = b.because(Cause.FAILED, "ask @octocat <b>now</b> [x](y)")
    text = markdown(of(b.score(b.method("a`b|c", Verdict.MISSED, explanation=because))))
    assert "``a`b\\|c``" in text.replace("`` a", "``a").replace("c ``", "c``")
    assert "@octocat" not in text
    assert "<b>" not in text.replace("\\<", "")
    assert "\\[x\\](y)" in text


def test_junit_counts_no_verdict_as_an_error_and_never_as_a_pass() -> None:
    suite = ElementTree.fromstring(junit(FOUR)).find("testsuite")
    assert suite is not None
    counts = {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "5", "failures": "2", "errors": "1", "skipped": "1"}
    outcomes = {case.get("name"): [child.tag for child in case] for case in suite.iter("testcase")}
    assert outcomes == {
        "m.seen": [],
        "m.missed": ["failure"],
        "m.unreached": ["failure"],
        "m.open": ["error"],
        "m.skipped": ["skipped"],
    }


def test_junit_cases_have_the_attributes_that_jenkins_knows_and_their_place_in_the_text() -> None:
    place = ApiMethod(id="m.missed", path="src/a.py", line=12)
    cases = list(ElementTree.fromstring(junit(of(FOUR_METHODS, missed=place))).iter("testcase"))
    assert {"name", "time", "classname"} == {key for case in cases for key in case.attrib}
    assert "src/a.py:12\nnext: abs-audit stubs" in [case.findtext("failure") for case in cases]


def test_junit_stays_readable_whatever_the_names() -> None:
    text = junit(score_of("hostile", sessions.HOSTILE[2]))
    names = [case.get("name") for case in ElementTree.fromstring(text).iter("testcase")]
    assert "</script><script>alert(1)</script>" in names
    assert r"\x1b[31mred\x1b[0m" in names
    assert text.encode("utf-8")


def test_sarif_places_each_finding_at_the_definition_of_its_method() -> None:
    methods = {"missed": ApiMethod(id="m.missed", path="src/a b.py", line=12)}
    (run,) = json.loads(sarif(of(FOUR_METHODS, **methods)))["runs"]
    found = {result["message"]["text"].split(" if ")[1].split(" ")[0]: result for result in run["results"]}
    assert {name: (result["ruleId"], result["level"]) for name, result in found.items()} == {
        "m.missed": ("missed", "warning"),
        "m.unreached": ("unreached", "warning"),
        "m.open": ("no-verdict", "note"),
    }
    (place,) = found["m.missed"]["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "src/a%20b.py"
    assert place["physicalLocation"]["region"] == {"startLine": 12}
    assert "physicalLocation" not in found["m.open"]["locations"][0]


def test_the_fingerprint_of_a_finding_survives_a_move_and_a_new_verdict() -> None:
    def prints(verdict: Verdict, line: int) -> list[dict[str, str]]:
        methods = {"m": ApiMethod(id="m", path="a.py", line=line)}
        document = json.loads(sarif(of(b.score(b.method("m", verdict)), **methods)))
        return [result["partialFingerprints"] for result in document["runs"][0]["results"]]

    assert prints(Verdict.MISSED, 3) == prints(Verdict.UNREACHED, 90)


def test_every_rule_that_sarif_uses_is_declared() -> None:
    (run,) = json.loads(sarif(score_of("hostile")))["runs"]
    declared = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {result["ruleId"] for result in run["results"]} <= declared


def test_sarif_is_what_the_published_schema_asks_for() -> None:
    place = ApiMethod(id="m.missed", path="src/a.py", line=12)
    for document in (sarif(of(FOUR_METHODS, missed=place)), sarif(score_of("hostile"))):
        # Generated from the schema that OASIS publishes; it refuses what that does.
        log = StaticAnalysisResultsFormatSarifVersion210JsonSchema.model_validate_json(document)
        assert log.runs[0].results


def test_a_github_annotation_stands_at_the_line_of_its_method() -> None:
    place = ApiMethod(id="m.missed", path="src/a,b.py", line=12)
    lines = github(of(FOUR_METHODS, missed=place)).splitlines()
    assert lines[0].startswith(
        "::warning file=src/a%2Cb.py,line=12,title=missed%3A m.missed::No benchmark would"
    )
    assert lines[1].startswith("::warning title=unreached%3A m.unreached::")
    assert lines[2].startswith("::notice title=no-verdict%3A m.open::")
    assert lines[3].startswith("::notice title=abs-audit tokenmap::1 of 4 methods (25%25)")


def test_github_gets_no_more_annotations_than_it_shows_and_the_rest_is_counted() -> None:
    many = of(b.score(*(b.method(f"m{number}", Verdict.MISSED) for number in range(25))))
    lines = github(many).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::warning"] * 10 + ["::notice"]
    assert lines[-1].endswith("15 more findings in the job summary.")


def test_a_hostile_name_cannot_end_a_github_command_or_begin_one() -> None:
    for line in github(score_of("hostile")).splitlines():
        assert re.match(r"::(warning|notice) [^\x00-\x1f]*$", line)


def test_gitlab_gets_what_its_code_quality_report_needs() -> None:
    place = ApiMethod(id="m.missed", path="src/a.py", line=12)
    issues = json.loads(gitlab(of(FOUR_METHODS, missed=place)))
    assert [issue["severity"] for issue in issues] == ["minor", "minor", "info"]
    assert issues[0]["location"] == {"path": "src/a.py", "lines": {"begin": 12}}
    assert len({issue["fingerprint"] for issue in issues}) == 3
    assert {"description", "check_name", "fingerprint", "severity", "location"} == issues[0].keys()


def test_a_markdown_comment_begins_with_a_marker_that_is_not_shown_and_holds_nothing_hostile() -> None:
    first = markdown(of(FOUR_METHODS, "a--> <b>x</b> (pytest)")).splitlines()[0]
    assert first == "<!-- abs-audit: a-_ _b_x_/b_ (pytest) -->"


def test_a_markdown_comment_fits_one_screen_until_it_is_unfolded() -> None:
    many = of(b.score(*(b.method(f"m{number}", Verdict.MISSED) for number in range(200))))
    seen = re.sub(r"<details>.*?</details>", "<details>", markdown(many), flags=re.DOTALL)
    assert len(seen.splitlines()) <= 22


@pytest.mark.parametrize("shape", FORMATS)
def test_every_format_survives_every_name(shape: str) -> None:
    text = write(shape, score_of("hostile", sessions.HOSTILE[0]))
    assert re.findall(r"[^\x20-\x7e\n–…█⠀-￿δ×]", text.replace("\u2060", "")) == []
