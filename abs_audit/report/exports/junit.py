"""A score as JUnit XML: a method is a test case, so that CI services list what is not noticed."""

from xml.etree import ElementTree

from abs_audit.analyses.score.advice import next_command
from abs_audit.analyses.score.model import Score
from abs_audit.model.verdict import MethodVerdict, Verdict
from abs_audit.report import headlines
from abs_audit.report.names import visible

_TAGS = {Verdict.MISSED: "failure", Verdict.UNREACHED: "failure", Verdict.NO_VERDICT: "error"}


def junit(score: Score, suite: str) -> str:
    """Return the document: missed and unreached are failures, no verdict is an error, skipped is skipped."""
    verdicts = [method.verdict for method in score.methods]
    failures = verdicts.count(Verdict.MISSED) + verdicts.count(Verdict.UNREACHED)
    root = ElementTree.Element("testsuites")
    cases = ElementTree.SubElement(
        root,
        "testsuite",
        name=f"abs-audit {visible(suite)}",
        tests=str(len(verdicts) + len(score.skipped)),
        failures=str(failures),
        errors=str(verdicts.count(Verdict.NO_VERDICT)),
        skipped=str(len(score.skipped)),
        time=f"{score.cost.wall_s:.3f}",
    )
    for method in score.methods:
        _case(cases, method, score.slowdown)
    for skipped in score.skipped:
        case = ElementTree.SubElement(cases, "testcase", classname="abs-audit", name=visible(skipped.method))
        ElementTree.SubElement(case, "skipped", message=visible(skipped.reason))
    ElementTree.SubElement(cases, "system-out").text = headlines.score(score)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _case(cases: ElementTree.Element, method: MethodVerdict, slowdown: float) -> None:
    case = ElementTree.SubElement(cases, "testcase", classname="abs-audit", name=visible(method.method))
    tag = _TAGS.get(method.verdict)
    if tag is not None:
        message = visible(method.reason)
        finding = ElementTree.SubElement(case, tag, type=method.verdict.value, message=message)
        finding.text = f"next: {visible(next_command(method, slowdown))}"
