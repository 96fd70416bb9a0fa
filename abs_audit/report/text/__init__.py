"""Summaries for terminals: the answer first, then what it rests on; at 80 columns, without colour."""

from abs_audit.analyses.audit.text import audit
from abs_audit.analyses.score.text import score
from abs_audit.analyses.stop.text import stop
from abs_audit.report.text.changes import chart, comparison
from abs_audit.report.text.consequences import redundancy, selection, sensitivity, stubs
from abs_audit.report.text.page import show
from abs_audit.report.text.suite import listing, stability, trace
from abs_audit.report.text.variability import detectable, variability

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
