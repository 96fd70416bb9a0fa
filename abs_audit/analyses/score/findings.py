"""A score as findings: what no benchmark would notice, at the definitions of the methods."""

from collections.abc import Mapping
from typing import Final

from abs_audit.analyses.score.advice import by_attention, next_command, plan
from abs_audit.analyses.score.model import Score
from abs_audit.analyses.score.text import answer, change, false_alarms, interval, largest_share, variant
from abs_audit.model.accepted import AcceptList
from abs_audit.model.subject import ApiMethod, Skipped
from abs_audit.model.verdict import MethodVerdict, Verdict
from abs_audit.report.exports.findings import Finding, Findings, Level, Rule
from abs_audit.report.names import visible
from abs_audit.wording import percent, slower

RULES: Final = {
    Verdict.MISSED: Rule(
        text="Benchmarks call the method, but none notices its slowdown.", level=Level.WARNING
    ),
    Verdict.UNREACHED: Rule(text="No benchmark calls the method in its timed part.", level=Level.WARNING),
    Verdict.NO_VERDICT: Rule(
        text="Whether a benchmark notices the method could not be found out.", level=Level.NOTE, is_open=True
    ),
}


def findings(
    score: Score, methods: Mapping[str, ApiMethod], accepting: AcceptList, suite: str, version: str
) -> Findings:
    """Return what needs attention; `methods` (id → definition) gives the places of those that it holds.

    First what a change touches. What is accepted is skipped; it counts in the score as before.
    """
    touched, lost = (score.since.measured, score.since.lost) if score.since else ((), ())
    ranked = sorted(
        by_attention(score.methods), key=lambda each: (each.method not in lost, each.method not in touched)
    )
    unnoticed = [method.method for method in ranked if method.verdict in RULES]
    accepted = accepting.of(unnoticed)
    living = {entry.id for entry in accepted}
    return Findings(
        version=version,
        suite=suite,
        answer=answer(score),
        change=change(score),
        rules={verdict.value: rule for verdict, rule in RULES.items()},
        findings=tuple(
            _finding(method, score, methods.get(method.method))
            for method in ranked
            if method.verdict in RULES and method.method not in living
        ),
        passed=tuple(method.method for method in ranked if method.verdict is Verdict.DETECTED),
        skipped=(
            *score.skipped,
            *(Skipped(method=entry.id, reason=f"accepted: {entry.reason}") for entry in accepted),
        ),
        advice=tuple(plan(score)),
        foundations=(
            f"ABS {percent(score.total)}: {interval(score)}",
            f"relative {variant(score, score.relative)}, absolute {variant(score, score.absolute)}",
            f"A/A: {false_alarms(score.false_alarms)}",
            *(f"accepted: {entry.id}: {entry.reason}" for entry in accepted),
            *(
                f"accepted until {entry.until}, and no longer: {entry.id}: {entry.reason}"
                for entry in accepting.of(unnoticed, expired=True)
            ),
        ),
        duration_s=score.cost.total_s,
        warnings=score.warnings,
    )


def _finding(method: MethodVerdict, score: Score, definition: ApiMethod | None) -> Finding:
    before = "noticed before this change; " if score.since and method.method in score.since.lost else ""
    open_claim = "Nothing is known about what a benchmark would notice"
    subject = open_claim if method.verdict is Verdict.NO_VERDICT else "No benchmark would notice"
    return Finding(
        rule=method.verdict.value,
        about=method.method,
        figure=largest_share(method),
        claim=f"{subject} if {visible(method.method)} became {slower(score.slowdown)}",
        why=f"{before}{method.reason}",
        next=next_command(method, score),
        place=definition,
    )
