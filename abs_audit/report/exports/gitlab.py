"""Findings as a code quality report, which GitLab shows in merge requests."""

import json

from abs_audit.report.exports.findings import Finding, Findings, Level
from abs_audit.report.exports.sarif import fingerprint
from abs_audit.report.names import visible

_SEVERITIES = {Level.WARNING: "minor", Level.NOTE: "info"}


def gitlab(findings: Findings) -> str:
    """Return the list of findings; one without a place is reported at the root of the checkout."""
    return json.dumps([_issue(findings, finding) for finding in findings.findings], indent=2) + "\n"


def _issue(findings: Findings, finding: Finding) -> dict[str, object]:
    definition = finding.place
    return {
        "description": finding.message,
        "check_name": f"abs-audit/{finding.rule}",
        "fingerprint": fingerprint(finding.about),
        "severity": _SEVERITIES[findings.level(finding)],
        "location": {
            "path": visible(definition.path) if definition else ".",
            "lines": {"begin": max(1, definition.line) if definition else 1},
        },
    }
