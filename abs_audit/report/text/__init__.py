"""Summaries for terminals: the answer first, then what it rests on; at 80 columns, without colour."""

from abs_audit.report.text.changes import chart, comparison
from abs_audit.report.text.consequences import redundancy, selection, sensitivity, stubs
from abs_audit.report.text.page import show
from abs_audit.report.text.stopping import stop
from abs_audit.report.text.suite import listing, stability, trace
from abs_audit.report.text.variability import detectable, variability
from abs_audit.report.text.verdicts import score
from abs_audit.report.text.whole import audit

__all__ = [
    "audit",
    "chart",
    "comparison",
    "detectable",
    "listing",
    "redundancy",
    "score",
    "selection",
    "sensitivity",
    "show",
    "stability",
    "stop",
    "stubs",
    "trace",
    "variability",
]
