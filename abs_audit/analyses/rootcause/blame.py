"""What a search for a root cause found, in sentences."""

from abs_audit.analyses.rootcause.calls.call_tree import Change, Node
from abs_audit.analyses.rootcause.model import FoundRegression, MeasuredCommit, RootCause
from abs_audit.wording import change, count, percent, slower, time_per_invocation

GREW = {Change.SLOWER, Change.FASTER}
SHORT = 12
"""Characters of a commit's id that people are shown."""


def answer(result: RootCause) -> str:
    """Return which commit is to blame and by how much, or why none is."""
    if not result.regressions:
        wanted = "faster" if result.improvement else "slower"
        return f"{result.bad[:SHORT]} is not measurably {wanted} than {result.good[:SHORT]}."
    main = result.regressions[0]
    if not main.confirmed:
        return (
            f"No single commit is to blame: between {result.good[:SHORT]} and {result.bad[:SHORT]} the time "
            "changed in steps too small to tell."
        )
    more = len(result.regressions) - 1
    noun = "further improvement" if result.improvement else "further regression"
    others = f" {count(more, noun)} in the period." if more else ""
    change = faster(main) if result.improvement else slower(growth(main))
    return f"Commit {main.cause[:SHORT]} made it {change}: {title(result)}.{others}"


def faster(regression: FoundRegression) -> str:
    """Return what an improvement means: "40% less time", from half of it on "2.5 times as fast"."""
    ratio = regression.level_s[0] / regression.level_s[1]
    return f"{ratio:.3g} times as fast" if ratio >= 2 else f"take {percent(1 - 1 / ratio)} less time"


def title(result: RootCause) -> str:
    """Return the title of the main cause."""
    titles = {commit.commit: commit.title for commit in result.measured}
    return titles.get(result.regressions[0].cause, "").rstrip(".") or "without a title"


def growth(regression: FoundRegression) -> float:
    """Return the relative difference of a regression."""
    return regression.level_s[1] / regression.level_s[0] - 1


def effort(result: RootCause) -> str:
    """Return what the search took."""
    runs = sum(commit.runs for commit in result.measured)
    measured = [commit for commit in result.measured if commit.runs]
    return (
        f"{count(len(measured), 'commit')} of a period of {count(result.candidates, 'candidate')} measured, "
        f"in {count(runs, 'run')}"
    )


def sure(result: RootCause) -> str:
    """Return how sure the path is, under the model of the rule."""
    if result.confidence is None:
        return "the rule gives no probability"
    return f"all steps are right with {percent(result.confidence)}, if runs differ as those measured do"


def judged(commit: MeasuredCommit, result: RootCause) -> str:
    """Return what a commit was taken for."""
    if commit.reason:
        return "skipped"
    if commit.commit in {result.good, result.bad}:
        return "good end" if commit.commit == result.good else "bad end"
    return commit.judgement.value if commit.judgement else "compared"


def became(node: Node) -> str:
    """Return what became of a method, with its times a call."""
    before, after = node.time_s
    if node.change in {Change.MORE_OFTEN, Change.LESS_OFTEN} and node.calls[0]:
        return f"called {node.calls[1] / node.calls[0]:.3g} times as often"
    if before is None or after is None:
        shown_s = after if after is not None else before
        return f"{node.change.value}{f', {time_per_invocation(shown_s)}' if shown_s is not None else ''}"
    times = f"{time_per_invocation(before)} → {time_per_invocation(after)}"
    return f"{times} ({change(after / before - 1)})" if node.change in GREW else times


def structure(result: RootCause) -> str:
    """Return where the edges of the call tree come from."""
    if result.where is None or result.where.recorded is None:
        return ""
    if result.where.recorded:
        return "callers as recorded while the benchmark ran"
    return "callers inferred from the text of the methods that were counted; they may be wrong"
