"""The formats in which findings are written for others: a name each, and a module of that name."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from abs_audit.report.exports.findings import Findings

FORMATS = ("markdown", "junit", "sarif", "github", "gitlab")


def write(name: str, findings: "Findings") -> str:
    """Return the findings in a format, as the function of that name in the module of that name writes it."""
    text: str = getattr(import_module(f"abs_audit.report.exports.{name}"), name)(findings)
    return text
