"""A score as SARIF 2.1.0: what is not noticed is a finding at the method's definition."""

import hashlib
import json
from collections.abc import Mapping
from urllib.parse import quote

from abs_audit.analyses.score.advice import by_attention, next_command
from abs_audit.analyses.score.model import Score
from abs_audit.model.subject import ApiMethod
from abs_audit.model.verdict import MethodVerdict, Verdict
from abs_audit.report.names import visible
from abs_audit.report.wording import slower

_LEVELS = {Verdict.MISSED: "warning", Verdict.UNREACHED: "warning", Verdict.NO_VERDICT: "note"}
_RULES = {
    Verdict.MISSED: "Benchmarks call the method, but none notices its slowdown.",
    Verdict.UNREACHED: "No benchmark calls the method in its timed part.",
    Verdict.NO_VERDICT: "Whether a benchmark notices the method could not be found out.",
}
_CLAIMS = {
    Verdict.MISSED: "No benchmark would notice",
    Verdict.UNREACHED: "No benchmark would notice",
    Verdict.NO_VERDICT: "Nothing is known about what a benchmark would notice",
}


def sarif(score: Score, methods: Mapping[str, ApiMethod], version: str) -> str:
    """Return the document; `methods` (id → definition) gives the places of those that it holds."""
    findings = [method for method in by_attention(score.methods) if method.verdict in _RULES]
    document = {
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver(version)},
                "columnKind": "unicodeCodePoints",
                "results": [
                    _result(method, score.slowdown, methods.get(method.method)) for method in findings
                ],
            }
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _driver(version: str) -> dict[str, object]:
    return {
        "name": "abs-audit",
        "version": version,
        "rules": [
            {
                "id": verdict.value,
                "shortDescription": {"text": text},
                "defaultConfiguration": {"level": _LEVELS[verdict]},
            }
            for verdict, text in _RULES.items()
        ],
    }


def _result(method: MethodVerdict, slowdown: float, definition: ApiMethod | None) -> dict[str, object]:
    name = visible(method.method)
    text = f"{_CLAIMS[method.verdict]} if {name} became {slower(slowdown)}: {visible(method.reason)}"
    return {
        "ruleId": method.verdict.value,
        "level": _LEVELS[method.verdict],
        "message": {"text": f"{text}. Next: {visible(next_command(method, slowdown))}"},
        "locations": [_location(name, definition)],
        # Independent of line and verdict: a finding stays the same one when code around it moves.
        "partialFingerprints": {"method/v1": hashlib.sha256(name.encode()).hexdigest()},
    }


def _location(name: str, definition: ApiMethod | None) -> dict[str, object]:
    logical: dict[str, object] = {"logicalLocations": [{"fullyQualifiedName": name, "kind": "function"}]}
    if definition is None:
        return logical
    return logical | {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(definition.path, errors="replace"), "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": max(1, definition.line)},
        }
    }
