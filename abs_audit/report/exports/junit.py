"""Findings as JUnit XML: a method is a test case, so that CI services list what is not noticed."""

from xml.etree import ElementTree

from abs_audit.report.exports.findings import Finding, Findings
from abs_audit.report.names import visible


def junit(findings: Findings) -> str:
    """Return the document: findings are failures, or errors where nothing is known."""
    errors = sum(findings.rules[finding.rule].is_open for finding in findings.findings)
    counts = {
        "tests": len(findings.findings) + len(findings.passed) + len(findings.skipped),
        "failures": len(findings.findings) - errors,
        "errors": errors,
    }
    attributes = {key: str(size) for key, size in counts.items()} | {"time": f"{findings.duration_s:.3f}"}
    root = ElementTree.Element("testsuites", attributes)
    name = f"abs-audit {visible(findings.suite)}"
    suite = ElementTree.SubElement(
        root, "testsuite", attributes, name=name, skipped=str(len(findings.skipped))
    )
    for method in findings.passed:
        _case(suite, method)
    for finding in findings.findings:
        _finding(_case(suite, finding.about), findings, finding)
    for skipped in findings.skipped:
        ElementTree.SubElement(_case(suite, skipped.method), "skipped", message=visible(skipped.reason))
    ElementTree.SubElement(suite, "system-out").text = visible(findings.told)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: ElementTree.Element, about: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname="abs-audit", name=visible(about), time="0")


def _finding(case: ElementTree.Element, findings: Findings, finding: Finding) -> None:
    tag = "error" if findings.rules[finding.rule].is_open else "failure"
    # In the text, since Jenkins refuses a document whose cases have attributes that its schema does not name.
    defined_at = f"{visible(finding.place.path)}:{max(1, finding.place.line)}\n" if finding.place else ""
    outcome = ElementTree.SubElement(case, tag, type=finding.rule, message=visible(finding.why))
    outcome.text = f"{defined_at}next: {visible(finding.next)}"
