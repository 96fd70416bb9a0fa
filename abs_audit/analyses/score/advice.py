"""Why a method got its verdict, and the command that helps."""

import re
import shlex
from collections.abc import Iterable

from abs_audit.model.verdict import MethodVerdict, NoVerdictReason, Verdict
from abs_audit.report.wording import count, percent, slower

_HELP = {
    NoVerdictReason.NOISY: "abs-audit doctor",
    NoVerdictReason.TIMED_OUT: "abs-audit score --timeout 3600",
    NoVerdictReason.FAILED: "abs-audit list",
    # A resumed command does what is not done yet.
    NoVerdictReason.NOT_RUN: "abs-audit score",
}
_KNOWN = re.compile(rf"(?<![\w-])(?:{'|'.join(NoVerdictReason)})(?![\w-])")
_PURPOSES = {
    NoVerdictReason.NOISY: "finds what disturbs this machine; noise hides",
    NoVerdictReason.TIMED_OUT: "allows more time for",
    NoVerdictReason.FAILED: "shows which benchmarks fail, and why; that hides",
    NoVerdictReason.NOT_RUN: "goes on with the remaining",
    NoVerdictReason.UNVIABLE: "shows the change that is not viable for",
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
        return _why_missed(method.best_share, slowdown)
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


def plan(methods: Iterable[MethodVerdict], slowdown: float) -> list[tuple[str, str]]:
    """Return each command that helps, once, with what it is for."""
    purposes: dict[str, list[MethodVerdict]] = {}
    for method in by_attention(methods):
        command = next_command(method, slowdown)
        if command:
            purposes.setdefault(command, []).append(method)
    return [(command, _purpose(group)) for command, group in purposes.items()]


def _why_missed(share: float, slowdown: float) -> str:
    # Eq. 2 asks for half of the slowdown: only a benchmark that spends half of its time there can show it.
    if share >= 0.5:
        return (
            f"no benchmark showed it in every run, though up to {percent(share)} of one's time is spent in it"
        )
    return (
        f"at most {percent(share)} of a benchmark's time is spent in it, so being {slower(slowdown)} "
        f"changes no benchmark by more than {100 * share * slowdown:.2g}%; {percent(slowdown / 2)} are needed"
    )


def _purpose(methods: list[MethodVerdict]) -> str:
    size = count(methods, "method")
    if methods[0].verdict is not Verdict.NO_VERDICT:
        return f"proposes benchmarks for {size} that none notices"
    reason = no_verdict_reason(methods[0].reason) or NoVerdictReason.FAILED
    return f"{_PURPOSES[reason]} {size}"


def no_verdict_reason(reason: str) -> NoVerdictReason | None:
    """Return which of the known reasons a sentence names first ("noisy: …", "… (2 noisy, 1 failed) …")."""
    found = _KNOWN.search(reason)
    return NoVerdictReason(found[0]) if found else None
