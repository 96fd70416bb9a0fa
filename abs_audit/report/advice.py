"""Why a method got its verdict, and the command that helps."""

import shlex
from collections.abc import Iterable

from abs_audit.model.verdict import MethodVerdict, NoVerdictReason, Verdict
from abs_audit.report.wording import percent, slower

_HELP = {
    NoVerdictReason.NOISY: "abs-audit score --stop rciw",
    NoVerdictReason.TIMED_OUT: "abs-audit score --timeout 600",
    NoVerdictReason.FAILED: "abs-audit score -v",
    # A resumed command does what is not done yet.
    NoVerdictReason.NOT_RUN: "abs-audit score",
}
ATTENTION = (Verdict.MISSED, Verdict.UNREACHED, Verdict.NO_VERDICT, Verdict.DETECTED)
"""Verdicts in the order in which people should look at them."""


def by_attention(methods: Iterable[MethodVerdict]) -> list[MethodVerdict]:
    """Return what needs a decision first; within a verdict the order stays (most used first)."""
    return sorted(methods, key=lambda method: ATTENTION.index(method.verdict))


def why(method: MethodVerdict, slowdown: float) -> str:
    """Return one sentence that explains the verdict; the analysis' own reason where it gave one."""
    if method.reason:
        return method.reason
    if method.verdict is Verdict.UNREACHED:
        return "no benchmark calls it in its timed part"
    if method.verdict is Verdict.MISSED and method.best_share is not None:
        felt = f"{100 * method.best_share * slowdown:.2g}%"
        return (
            f"at most {percent(method.best_share)} of a benchmark's time is spent in it, "
            f"so being {slower(slowdown)} changes no benchmark by more than {felt}; "
            f"{percent(slowdown / 2)} are needed"
        )
    return ""


def next_command(method: MethodVerdict, slowdown: float) -> str:
    """Return the command that helps with this verdict; empty for a detected method."""
    if method.verdict is Verdict.DETECTED:
        return ""
    if method.verdict in {Verdict.MISSED, Verdict.UNREACHED}:
        return "abs-audit stubs"
    reason = no_verdict_reason(method.reason)
    if reason is NoVerdictReason.UNVIABLE:
        return f"abs-audit inject --method {shlex.quote(method.method)} --slowdown {slowdown:g} --diff"
    return _HELP[reason or NoVerdictReason.FAILED]


def no_verdict_reason(reason: str) -> NoVerdictReason | None:
    """Return which of the known reasons a sentence starts with."""
    return next((known for known in NoVerdictReason if reason.startswith(known.value)), None)
