import json
import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from abs_audit.analyses.score.model import Score
from abs_audit.model.explanation import Cause
from abs_audit.model.subject import ApiMethod, Skipped
from abs_audit.model.verdict import Verdict
from abs_audit.report.exports.junit import junit
from abs_audit.report.exports.markdown import markdown
from abs_audit.report.exports.sarif import sarif
from tests.support import builders as b
from tests.support import sessions


def score_of(name: str) -> Score:
    score = getattr(sessions, name)().score
    assert isinstance(score, Score)
    return score


FOUR = b.score(
    b.method("m.seen"),
    b.method("m.missed", Verdict.MISSED, best_share=0.2),
    b.method("m.unreached", Verdict.UNREACHED),
    b.method("m.open", Verdict.NO_VERDICT, explanation=b.because(Cause.NOISY, "24%")),
    skipped=(Skipped(method="m.skipped", reason="a C function"),),
)


@pytest.mark.parametrize("session", ["small", "hostile"])
def test_the_markdown_says_what_its_golden_file_says(
    session: str, golden: Callable[[str, str], None]
) -> None:
    golden(f"score-{session}.md", markdown(score_of(session)))


def test_the_first_line_of_the_markdown_is_the_answer() -> None:
    first = markdown(FOUR).splitlines()[0]
    assert first.replace("\\", "") == (
        "**1 of 4 methods (25%) would be noticed if they became 40% slower; "
        "2 would not (1 of them never called by a benchmark); 1 has no verdict.**"
    )


@pytest.mark.parametrize("session", ["small", "hostile"])
def test_every_row_of_the_markdown_table_has_its_five_cells(session: str) -> None:
    rows = [line for line in markdown(score_of(session)).splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {6}


def test_the_markdown_of_many_methods_fits_a_comment() -> None:
    many = b.score(
        *(
            b.method("x" * 400 + str(n), Verdict.MISSED, explanation=b.because(Cause.FAILED, "y" * 900))
            for n in range(500)
        )
    )
    text = markdown(many)
    assert len(text) < 65_536
    assert "and 440 more methods" in text


def test_a_name_in_markdown_is_neither_markup_nor_a_mention() -> None:
    text = markdown(
        b.score(
            b.method(
                "a`b|c", Verdict.MISSED, explanation=b.because(Cause.FAILED, "ask @octocat <b>now</b> [x](y)")
            )
        )
    )
    assert "``a`b\\|c``" in text.replace("`` a", "``a").replace("c ``", "c``")
    assert "@octocat" not in text
    assert "<b>" not in text.replace("\\<", "")
    assert "\\[x\\](y)" in text


def test_junit_counts_no_verdict_as_an_error_and_never_as_a_pass() -> None:
    suite = ElementTree.fromstring(junit(FOUR, "tokenmap")).find("testsuite")
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


def test_junit_stays_readable_whatever_the_names() -> None:
    text = junit(score_of("hostile"), sessions.HOSTILE[2])
    names = [case.get("name") for case in ElementTree.fromstring(text).iter("testcase")]
    assert "</script><script>alert(1)</script>" in names
    assert r"\x1b[31mred\x1b[0m" in names
    assert text.encode("utf-8")


def test_sarif_places_each_finding_at_the_definition_of_its_method() -> None:
    methods = {"m.missed": ApiMethod(id="m.missed", path="src/a b.py", line=12)}
    (run,) = json.loads(sarif(FOUR, methods, "0.1.0"))["runs"]
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
        document = json.loads(sarif(b.score(b.method("m", verdict)), methods, "0.1.0"))
        return [result["partialFingerprints"] for result in document["runs"][0]["results"]]

    assert prints(Verdict.MISSED, 3) == prints(Verdict.UNREACHED, 90)


def test_every_rule_that_sarif_uses_is_declared() -> None:
    (run,) = json.loads(sarif(score_of("hostile"), {}, "0.1.0"))["runs"]
    declared = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {result["ruleId"] for result in run["results"]} <= declared
