"""The answer to each question in one sentence; what every rendering says first."""

from collections.abc import Sequence

from abs_audit.analyses.redundancy.model import Redundancy
from abs_audit.analyses.score.model import FalseAlarms, Score
from abs_audit.analyses.selection.model import Selection
from abs_audit.analyses.sensitivity.model import Sensitivity
from abs_audit.analyses.stability.model import Stability
from abs_audit.model.stub import StubOutcome
from abs_audit.model.subject import Discovery
from abs_audit.model.trace import TraceResult
from abs_audit.model.verdict import Verdict
from abs_audit.report.wording import count, duration, percent, slower


def listing(discovery: Discovery, duration_s: float | None) -> str:
    """Return how many benchmarks there are and how long one execution of all takes."""
    text = count(discovery.benchmarks, "benchmark")
    if duration_s is not None:
        text += f"; executing each once takes {duration(duration_s)}"
    if discovery.broken:
        text += f"; {len(discovery.broken)} more cannot be measured"
    return f"{text}."


def trace(result: TraceResult) -> str:
    """Return how many API methods the downstream projects call, and which most."""
    called = [ranked for ranked in result.methods if ranked.calls > 0]
    projects = count(result.downstreams, "downstream project")
    if not called:
        return f"The tests of {projects} call none of the API methods."
    return f"The tests of {projects} call {count(called, 'API method')}."


def stability(result: Stability) -> str:
    """Return how many benchmarks are steady, how far the worst strays, and which slowdown stands out."""
    known = [one.max_spread for one in result.benchmarks if one.max_spread is not None]
    if not known:
        return f"None of {count(result.benchmarks, 'benchmark')} has a result in every run."
    text = (
        f"{result.buckets[0]} of {count(known, 'benchmark')} vary by at most 5% between "
        f"{count(result.runs, 'run')}; the noisiest by {percent(max(known))}."
    )
    if len(known) < len(result.benchmarks):
        text += f" {len(result.benchmarks) - len(known)} more lack a result in some run."
    if result.slowdown is not None:
        text += f" Methods that become {slower(result.slowdown)} stand out from this noise."
    return text


def score(result: Score) -> str:
    """Return how many methods would be noticed; methods without a verdict are never counted as such."""
    verdicts = [method.verdict for method in result.methods]
    if not verdicts:
        return "No method was audited, so nothing is known about this suite."
    detected, open_ = verdicts.count(Verdict.DETECTED), verdicts.count(Verdict.NO_VERDICT)
    unreached = verdicts.count(Verdict.UNREACHED)
    text = (
        f"{detected} of {count(verdicts, 'method')} ({percent(result.total)}) would be noticed "
        f"if they became {slower(result.slowdown)}; {len(verdicts) - detected - open_} would not"
    )
    if unreached:
        text += f" ({unreached} of them never called by a benchmark)"
    if open_:
        text += f"; {open_} {'has' if open_ == 1 else 'have'} no verdict"
    return f"{text}."


def interval(result: Score) -> str:
    """Return between which bounds the score lies, and why it is not one number."""
    low, high = result.interval
    if low == high:
        return "every method has a verdict"
    return f"between {percent(low)} and {percent(high)}, as the methods without a verdict turn out"


def false_alarms(alarms: FalseAlarms) -> str:
    """Return what the comparisons of control with control say about the verdicts."""
    if alarms.cells == 0:
        return "not measured: how often noise passes for a slowdown is unknown"
    text = f"{alarms.alarms} of {alarms.cells} comparisons of control with control raised a false alarm"
    return f"{text}; doubt single detections" if alarms.alarms else text


def sensitivity(result: Sensitivity) -> str:
    """Return the smallest and the largest slowdown that is needed, and how many are never noticed."""
    known = [one.smallest_noticed for one in result.methods if one.smallest_noticed is not None]
    never = len(result.methods) - len(known)
    if not known:
        return f"No slowdown of any of {count(result.methods, 'method')} would ever be noticed."
    text = f"The best watched method is noticed when it becomes {slower(min(known))}"
    if len(known) > 1:
        text += f"; the worst watched must become {slower(max(known))}"
    if never:
        text += f"; {never} can become arbitrarily slow unnoticed"
    return f"{text}."


def redundancy(result: Redundancy) -> str:
    """Return how many benchmarks could go."""
    if not result.removable:
        return "No benchmark can be removed without losing a method that it alone notices."
    return (
        f"{count(result.removable, 'benchmark')} could be removed, all at once, "
        "and every method that is noticed now would still be."
    )


def selection(result: Selection) -> str:
    """Return what the subset costs, keeps and loses."""
    size, allowed = count(result.chosen, "benchmark"), duration(result.budget_s)
    text = f"{size}, {duration(result.duration_s)} of the {allowed} allowed, "
    if not result.lost:
        return f"{text}keep the whole score of {percent(result.score_full)}."
    return (
        f"{text}keep a score of {percent(result.score_kept)} instead of {percent(result.score_full)}: "
        f"{count(result.lost, 'method')} would no longer be noticed."
    )


def optimality(result: Selection) -> str:
    """Return how far the subset may be from the best one."""
    if result.optimal:
        return (
            f"proven to be the best within the budget; the greedy choice keeps {percent(result.greedy_score)}"
        )
    return f"the best subset is at most {percent(result.gap)} better; the greedy choice keeps " + percent(
        result.greedy_score
    )


def stubs(outcomes: Sequence[StubOutcome]) -> str:
    """Return how many proposed benchmarks notice what they were written for."""
    if not outcomes:
        return "No benchmark is missing."
    proven = sum(outcome.detects is True for outcome in outcomes)
    return (
        f"{proven} of {count(outcomes, 'proposed benchmark')} "
        f"{'notices' if proven == 1 else 'notice'} a slowdown of the method that they were written for."
    )
