"""Findings as commands that GitHub Actions turns into annotations of the changed lines."""

from collections.abc import Iterator, Mapping

from abs_audit.report.exports.findings import Finding, Findings, Level
from abs_audit.report.names import visible
from abs_audit.wording import count

MOST = 10
"""GitHub shows so many annotations of a level and step, and silently drops the others."""
_COMMANDS = {Level.WARNING: "warning", Level.NOTE: "notice"}


def github(findings: Findings) -> str:
    """Return a command a line: the first findings of each level, then the answer."""
    return "".join(f"{line}\n" for line in _lines(findings))


def _lines(findings: Findings) -> Iterator[str]:
    shown = dict.fromkeys(Level, 0)
    for finding in findings.findings:
        level = findings.level(finding)
        shown[level] += 1
        # The last notice is the answer itself.
        if shown[level] <= MOST - (level is Level.NOTE):
            yield _command(_COMMANDS[level], finding.message, _properties(finding))
    left = sum(shown.values()) - sum(min(size, MOST - (level is Level.NOTE)) for level, size in shown.items())
    answer = findings.told + (f" {count(left, 'more finding')} in the job summary." if left else "")
    yield _command("notice", answer, {"title": f"abs-audit {findings.suite}"})


def _properties(finding: Finding) -> Mapping[str, str]:
    title = {"title": f"{finding.rule}: {finding.about}"}
    if finding.place is None:
        return title
    return {"file": finding.place.path, "line": str(max(1, finding.place.line))} | title


def _command(command: str, message: str, properties: Mapping[str, str]) -> str:
    told = {
        key: _data(visible(text)).replace(":", "%3A").replace(",", "%2C") for key, text in properties.items()
    }
    stated = ",".join(f"{key}={text}" for key, text in told.items())
    return f"::{command} {stated}::{_data(visible(message))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
