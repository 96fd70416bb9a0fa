"""Why a method got its verdict, and the command that helps."""

from collections.abc import Iterable
from dataclasses import dataclass

from abs_audit.advising import advised
from abs_audit.analyses.score.model import Score
from abs_audit.grouping import grouped
from abs_audit.model.explanation import Cause
from abs_audit.model.verdict import UNWATCHED, MethodVerdict, Verdict
from abs_audit.wording import count


@dataclass(frozen=True, slots=True, kw_only=True)
class _Help:
    """What can be done about methods without a verdict."""

    command: tuple[str, ...]
    purpose: str
    of_a_method: bool = False
    """Whether it helps one method at a time, which the command names, as slow as it was made."""


_CALM = _Help(command=("doctor",), purpose="finds what disturbs this machine; noise hides")
_BORDER = _Help(
    command=("doctor",), purpose="tells how quiet this machine is; a quieter one narrows the share of"
)
_INJECT = _Help(
    command=("inject", "--diff"), purpose="shows the change that is not viable for", of_a_method=True
)
_ALONE = _Help(
    command=("score",), purpose="asks without the probes of the other methods about", of_a_method=True
)
_LIST = _Help(command=("list",), purpose="shows which benchmarks fail, and why; that hides")
# A resumed command does what is not done yet.
_GO_ON = _Help(command=("score",), purpose="goes on with the remaining")
_HELP = {
    Cause.NOISY: _CALM,
    Cause.OVER_INJECTED: _CALM,
    Cause.UNCERTAIN_SHARE: _BORDER,
    Cause.TIMED_OUT: _Help(command=("score", "--timeout", "3600"), purpose="allows more time for"),
    Cause.NOT_RUN: _GO_ON,
    Cause.TOO_FEW_REPETITIONS: _GO_ON,
    Cause.ANOTHER_BENCHMARK_NOTICES: _GO_ON,
    Cause.BUDGET: _GO_ON,
    Cause.UNVIABLE: _INJECT,
    Cause.NO_TALLY: _INJECT,
    Cause.UNDER_INJECTED: _INJECT,
    Cause.CHANGED_BY_PROBE: _ALONE,
    Cause.OTHER_PROCESSES: _INJECT,
    Cause.OTHER_THREADS: _INJECT,
    Cause.AT_ONCE: _INJECT,
}
"""Cause → what helps; else a benchmark fails."""
ATTENTION = (Verdict.MISSED, Verdict.UNREACHED, Verdict.NO_VERDICT, Verdict.DETECTED)
"""Verdicts in the order in which people should look at them."""


def by_attention(methods: Iterable[MethodVerdict]) -> list[MethodVerdict]:
    """Return what needs a decision first; within a verdict the order stays (most used first)."""
    return sorted(methods, key=lambda method: ATTENTION.index(method.verdict))


def next_command(method: MethodVerdict, score: Score) -> str:
    """Return the command that helps with this verdict of a score; empty where none does or has to."""
    if method.verdict is Verdict.DETECTED:
        return ""
    if method.verdict in UNWATCHED:
        return advised("stubs")
    if method.cause is Cause.UNVIABLE and any(method.method == left.method for left in score.skipped):
        # Nothing is injected into it that could be looked at.
        return ""
    remedy = _remedy(method, score)
    name, *options = remedy.command
    if remedy.of_a_method:
        options = ["--method", method.method, "--slowdown", f"{score.slowdown:g}", *options]
    return advised(name, *options)


def plan(score: Score) -> list[tuple[str, str]]:
    """Return each command that helps with a score, once, with what it is for.

    One that names a method stands for those that help others in the same way.
    """
    helped = grouped((_kind(method, score), method) for method in by_attention(score.methods))
    commands = ((next_command(group[0], score), group) for group in helped.values())
    return [(command, _purpose(group, score)) for command, group in commands if command]


def _kind(method: MethodVerdict, score: Score) -> str:
    """Return what is the same for methods that one command helps, or one of a kind."""
    remedy = _remedy(method, score)
    command = next_command(method, score)
    names_method = method.verdict is Verdict.NO_VERDICT and remedy.of_a_method
    return remedy.purpose if command and names_method else command


def _purpose(methods: list[MethodVerdict], score: Score) -> str:
    size = count(methods, "method")
    if methods[0].verdict is not Verdict.NO_VERDICT:
        return f"proposes benchmarks for {size} that none notices"
    remedy = _remedy(methods[0], score)
    first = "the first of " if remedy.of_a_method and methods[1:] else ""
    return f"{remedy.purpose} {first}{size}"


def _remedy(method: MethodVerdict, score: Score) -> _Help:
    """Return what can be done about a method; one that was asked alone has no probes beside its own."""
    remedy = _HELP.get(method.cause, _LIST)
    return _INJECT if remedy is _ALONE and len(score.methods) == 1 else remedy
