"""Findings as SARIF 2.1.0, which code scanners and editors show at the lines they belong to."""

import hashlib
import json
from urllib.parse import quote

from abs_audit.report.exports.findings import Finding, Findings
from abs_audit.report.names import visible

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(findings: Findings) -> str:
    """Return the document: one run, one result a finding."""
    document = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver(findings)},
                "automationDetails": {"id": f"abs-audit/{visible(findings.suite)}/"},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "Root of the checkout."}}},
                "results": [_result(findings, finding) for finding in findings.findings],
            }
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def fingerprint(about: str) -> str:
    """Return what identifies a finding from run to run.

    Independent of line and verdict: a finding stays the same one when code around it moves.
    """
    return hashlib.sha256(visible(about).encode()).hexdigest()


def _driver(findings: Findings) -> dict[str, object]:
    return {
        "name": "abs-audit",
        "version": findings.version,
        "rules": [
            {
                "id": key,
                "shortDescription": {"text": rule.text},
                "defaultConfiguration": {"level": rule.level.value},
            }
            for key, rule in findings.rules.items()
        ],
    }


def _result(findings: Findings, finding: Finding) -> dict[str, object]:
    return {
        "ruleId": finding.rule,
        "ruleIndex": list(findings.rules).index(finding.rule),
        "level": findings.level(finding).value,
        "message": {"text": finding.message},
        "locations": [_location(finding)],
        "partialFingerprints": {"method/v1": fingerprint(finding.about)},
    }


def _location(finding: Finding) -> dict[str, object]:
    name = visible(finding.about)
    logical: dict[str, object] = {"logicalLocations": [{"fullyQualifiedName": name, "kind": "function"}]}
    if finding.place is None:
        return logical
    return logical | {
        "physicalLocation": {
            "artifactLocation": {
                "uri": quote(finding.place.path, errors="replace"),
                "uriBaseId": "%SRCROOT%",
            },
            "region": {"startLine": max(1, finding.place.line)},
        }
    }
