"""The subset for a time budget, for terminals."""

from rich.console import Group
from rich.text import Text

from abs_audit.analyses.selection.model import Selection
from abs_audit.report.text import facts, headline, names, page, verbatim, warnings
from abs_audit.wording import count, duration, percent


def answer(result: Selection) -> str:
    """Return what the subset costs, keeps and loses."""
    unknown = count(result.undecided, "method")
    if not result.score_full and result.undecided:
        return f"Nothing to choose from yet: no method is known to be noticed, {unknown} without a verdict."
    if not result.score_full:
        return "No benchmark notices any of these methods, so no subset keeps anything."
    size, allowed = count(result.chosen, "benchmark"), duration(result.budget_s)
    keep = "keeps" if len(result.chosen) == 1 else "keep"
    text = f"{size}, {duration(result.duration_s)} of the {allowed} allowed, {keep} "
    if result.lost:
        text += f"a score of {percent(result.score_kept)} instead of {percent(result.score_full)}: "
        text += f"{count(result.lost, 'method')} would no longer be noticed"
    else:
        text += f"the whole score of {percent(result.score_full)}"
    return f"{text}; {unknown} without a verdict." if result.undecided else f"{text}."


def optimality(result: Selection) -> str:
    """Return how far the subset may be from the best one."""
    proof = "proven to be the best within the budget"
    if not result.optimal:
        proof = f"the best subset is at most {percent(result.gap)} better"
    return f"{proof}; the greedy choice keeps {percent(result.greedy_score)}"


def summary(result: Selection, framework_filter: str) -> Group:
    """Return the subset and what to paste to execute it."""
    return page(
        headline(answer(result)),
        names("chosen:", result.chosen, limit=50),
        names("no longer noticed:", result.lost),
        facts(("proof", optimality(result))),
        Group(Text("paste:", style="dim"), verbatim(framework_filter)) if framework_filter else None,
        warnings(result.warnings),
    )
