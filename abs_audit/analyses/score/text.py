"""The summary of a score: which methods could become slower unnoticed, why, and what to do."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from abs_audit.analyses.score.advice import by_attention, next_command
from abs_audit.analyses.score.against import turns
from abs_audit.analyses.score.model import Score, open_cells
from abs_audit.experiment.forecast import Forecast
from abs_audit.grouping import grouped
from abs_audit.model.cells import size
from abs_audit.model.explanation import Nearest, OpenCells
from abs_audit.model.verdict import UNWATCHED, FalseAlarms, MethodVerdict, Verdict
from abs_audit.report.names import brief_method
from abs_audit.report.text import STYLES, facts, headline, named, names, page, table, warnings
from abs_audit.wording import count, duration, percent, slower, some, whole

MANY_ALIKE = 4
"""Methods of which the same is told, from which on it is told once."""
WORTH_TELLING = 0.1
"""Part of the whole from which on it is told what set-up took, or what could be saved."""
TOLD = {Verdict.DETECTED: "noticed", **dict.fromkeys(UNWATCHED, "not noticed"), Verdict.NO_VERDICT: "open"}


def answer(result: Score) -> str:
    """Return how many methods would be noticed; methods without a verdict are never counted as such."""
    verdicts = [method.verdict for method in result.methods]
    if not verdicts:
        return "No method was audited, so nothing is known about this suite."
    detected, open_ = verdicts.count(Verdict.DETECTED), len(result.undecided)
    unreached = [method for method in result.methods if method.verdict is Verdict.UNREACHED]
    unnoticed = len(verdicts) - detected - open_
    text = (
        f"{whole(detected)} of {count(verdicts, 'method')} ({percent(result.total)}) would be noticed "
        f"if they became {slower(result.slowdown)}; {whole(unnoticed)} would not"
    )
    never = "never called while a benchmark is timed"
    if any(isinstance(method.explanation.details, OpenCells) for method in unreached):
        never = "called by no benchmark that works while it is timed"
    if unreached:
        text += f": {never}" if len(unreached) == unnoticed else f" ({whole(len(unreached))} of them {never})"
    if open_:
        text += f"; {whole(open_)} {'has' if open_ == 1 else 'have'} no verdict"
    return f"{text}."


def interval(result: Score) -> str:
    """Return between which bounds the score lies, and why it is not one number."""
    low, high = result.interval
    if low == high:
        return "every method has a verdict"
    is_all = round((high - low) * len(result.methods)) == len(result.undecided)
    why = (
        "what has no verdict turns"
        if is_all
        else "what has no verdict and failing benchmarks, repaired, turn"
    )
    return f"between {percent(low)} and {percent(high)}, as {why} out"


def _open(result: Score) -> str:
    """Return why a score ends with 4 though every method has a verdict; empty where it is not so."""
    amounts = open_cells(result)
    if not amounts or result.undecided:
        return ""
    number, first = size(amounts), amounts[0].cell
    more = f" and {number - 1} more" if number > 1 else ""
    why = f"{first.method} in {first.benchmark}: {first.reason}{more}"
    return f"{count(number, 'cell')} without a verdict (exit code 4): {why}"


def false_alarms(alarms: FalseAlarms) -> str:
    """Return what the comparisons of control with control say about the verdicts."""
    if alarms.cells == 0:
        return "not measured: how often noise passes for a slowdown is unknown"
    text = f"{alarms.alarms} of {alarms.cells} comparisons of control with control raised a false alarm"
    return f"{text}; doubt single detections" if alarms.alarms else text


def since(result: Score) -> str:
    """Return which answers are new; empty where all of them are."""
    if result.since is None:
        return ""
    new, old, unasked = result.since.measured, result.since.taken_over, result.since.unasked
    told = _by_verdict(result, new) if new else "it touches none of these methods"
    told += f"; {count(old, 'answer')} from the score before, where {result.since.revision} does not differ"
    if not old:
        told = f"all of {count(new, 'method')} measured: it touches them, or no earlier score answers"
    if lost := result.since.lost:
        told += f"; noticed before and not now: {_names(lost)}"
    if unasked:
        told += f"; not asked about, for the methods file does not name what is new: {_names(unasked)}"
    return told


def change(result: Score) -> str:
    """Return the same of the change under review, as a sentence."""
    return f"This change: {since(result)}." if result.since else ""


def _by_verdict(result: Score, methods: Sequence[str]) -> str:
    verdicts = {method.method: method.verdict for method in result.methods}
    kinds = grouped((TOLD[verdicts.get(method, Verdict.NO_VERDICT)], method) for method in methods)
    kinds = {kind: kinds[kind] for kind in TOLD.values() if kind in kinds}
    told = [f"{len(named)} {kind} ({_names(named)})" for kind, named in kinds.items()]
    return f"measured {count(methods, 'method')}: {', '.join(told)}"


def _names(methods: Sequence[str]) -> str:
    return some([brief_method(method) for method in methods])


def against(result: Score, before: Score) -> str:
    """Return in a sentence what changed since an earlier score."""
    changed = turns(result, before)
    lost, won = (sum(getattr(turn, kind) for turn in changed) for kind in ("lost", "won"))
    text = f"ABS {percent(before.total)} before, {percent(result.total)} now"
    if not changed:
        return f"{text}; every method has the verdict that it had."
    rest = len(changed) - lost - won
    told = [f"{count(range(lost), 'method')} noticed before and not now", f"{won} noticed anew"]
    return f"{text}: {', '.join([*told, *([count(range(rest), 'other change')] if rest else [])])}."


def summary(result: Score) -> Group:
    """Return the sentence, the methods that need attention first, and what the score rests on."""
    rows = {method.method for method in result.methods}
    others = [skipped for skipped in result.skipped if skipped.method not in rows]
    return page(
        headline(answer(result)),
        _methods(result),
        facts(*_foundations(result)),
        names(
            f"without a verdict, for they cannot carry a probe, {count(others, 'method')}:",
            [f"{skipped.method}: {skipped.reason}" for skipped in others],
        ),
        warnings(result.warnings),
    )


def _methods(result: Score) -> RenderableType | None:
    """Return a row for each method; those of which the same is told follow each other.

    Below the last of many it stands once.
    """
    rows = list[Sequence[RenderableType]]()
    told_alike = grouped(
        ((method.verdict, _told(method, result)), method) for method in by_attention(result.methods)
    )
    for (verdict, facts_told), alike in told_alike.items():
        many = len(alike) >= MANY_ALIKE
        of_all = [(label, f"all {whole(len(alike))}: {text}") for label, text in facts_told[:1]]
        for method in alike:
            at_last = [*of_all, *facts_told[1:]] if method is alike[-1] else []
            told = at_last if many else facts_told
            state = Text(verdict.value, style=STYLES[verdict])
            rows.append((state, largest_share(method), named(method.method, *told)))
    return table(("left", "verdict"), ("right", "share"), ("fold", "method"), rows=rows)


def largest_share(method: MethodVerdict) -> str:
    """Return the largest share of a method: "65%"; "≤37%" where no more is known of it than that."""
    nearest = method.explanation.details
    if isinstance(nearest, Nearest) and nearest.at_most:
        return f"≤{percent(nearest.at_most)}"
    return percent(method.best_share)


def _told(method: MethodVerdict, result: Score) -> tuple[tuple[str, str], ...]:
    """Return why a method has its verdict and the command that helps, each with a label."""
    rows = [("why", method.reason), ("next", next_command(method, result))]
    if method.verdict is Verdict.DETECTED and method.detected_by:
        rows.insert(0, ("by", some(method.detected_by, 1)))
    return tuple((label, text) for label, text in rows if text)


def _foundations(result: Score) -> list[tuple[str, str]]:
    return [
        ("ABS", f"{percent(result.total)}, {interval(result)}"),
        ("open", _open(result)),
        ("relative", variant(result, result.relative, "the 5% of benchmarks that vary most")),
        ("absolute", variant(result, result.absolute, "benchmarks that vary by more than 50%")),
        ("A/A", false_alarms(result.false_alarms)),
        ("since", since(result)),
        ("protocol", f"{result.protocol}, {count(result.runs, 'run')}"),
        ("cost", cost(result)),
    ]


def variant(result: Score, rate: float, left_out: str = "") -> str:
    """Return the score without some benchmarks, where it is known how much they vary."""
    if not result.variants_known:
        return f"not known, {percent(rate)} so far" if rate else "not known"
    return f"{percent(rate)}, without {left_out}" if left_out else percent(rate)


def cost(result: Score) -> str:
    """Return what the score took, and what the protocol of 2018 would have taken."""
    wall_s, benchmark_s = result.cost.total_s, result.cost.benchmark_s
    set_up_s = result.cost.phases.get("set_up", 0.0)
    parts = f"{duration(benchmark_s)} of it benchmarks"
    if set_up_s > WORTH_TELLING * wall_s:
        parts = f"{duration(set_up_s)} of it set-up, {duration(benchmark_s)} benchmarks"
    text = f"{duration(wall_s)} in all, {parts}"
    if benchmark_s > wall_s:
        text = f"{duration(wall_s)}; {duration(benchmark_s)} of benchmarks, with those recorded before"
    text += f" and {duration(result.cost.build_s)} builds"
    if result.cost.paper_protocol_s is not None:
        text += f"; the protocol of 2018 would take {duration(result.cost.paper_protocol_s)} of benchmarks"
    return text


def ahead_of(ahead: Forecast, recorded: int, *, settle_all: bool = True) -> str:
    """Return what is going to be done and about how long it takes; `recorded`: trials of before.

    `settle_all`: of every cell; else of what a method is noticed by.
    """
    phases = ahead.asked(settle_all)
    saved_s = ahead.total_s - sum(ahead.needed.values())
    asked = f"{count(ahead.methods, 'method')} × {count(ahead.benchmarks, 'benchmark')}"
    timed = f"{count(ahead.reached, 'cell')} in {count(ahead.calling, 'benchmark')}"
    parts = ", ".join(f"{phase.value} {duration(seconds)}" for phase, seconds in phases.items())
    text = (
        f"{asked}; inside a timed region: {timed}; "
        f"about {duration(sum(phases.values()))} more ({parts}), longer where values scatter"
    )
    if saved_s > WORTH_TELLING * ahead.total_s:
        text += (
            f"; --goal score would save about {duration(saved_s)}"
            if settle_all
            else f", and up to {duration(ahead.total_s)} where the most promising benchmarks do not notice"
        )
    if ahead.uncounted:
        text += f"; then what {count(ahead.uncounted, 'more benchmark')} call"
    return f"{text}; {count(recorded, 'trial')} recorded already" if recorded else text
