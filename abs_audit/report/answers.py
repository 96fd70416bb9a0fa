"""The answers of the analyses that work on measurements alone, without a subject, in one sentence each."""

from statistics import median

from abs_audit.analyses.chart.flag_quality import FlagQuality
from abs_audit.analyses.chart.model import ControlChart, Filtered
from abs_audit.analyses.compare.model import Change, ComparedBenchmark, Comparison
from abs_audit.analyses.detectable.recommendation import Recommendation
from abs_audit.analyses.detectable.sampling import Sampling, Strategy
from abs_audit.analyses.stop.model import Replay
from abs_audit.analyses.variability.model import Variability
from abs_audit.report.wording import count, fine_percent, percent, probability, quantity

ATTENTION = (Change.SLOWER, Change.UNDECIDABLE, Change.FASTER, Change.UNCHANGED)
"""The order in which changes matter."""


def comparison(result: Comparison) -> str:
    """Return how many benchmarks became slower; those without a verdict are never counted as unchanged."""
    if not result.benchmarks:
        return "No benchmark is in both: nothing was compared."
    changes = [one.change for one in result.benchmarks]
    slow = result.regressions
    text = f"{len(slow) or 'None'} of {count(changes, 'benchmark')} became slower"
    if slow:
        worst = max(one.ratio for one in slow)
        text += (
            f", the worst by {fine_percent(worst - 1)}"
            if len(slow) > 1
            else f", by {fine_percent(worst - 1)}"
        )
    if faster := changes.count(Change.FASTER):
        text += f"; {faster} became faster"
    if undecidable := changes.count(Change.UNDECIDABLE):
        text += f"; {undecidable} {'has' if undecidable == 1 else 'have'} no verdict"
    if result.only_before:
        text += f"; {_are(len(result.only_before))} missing afterwards"
    return f"{text}."


def own_alarms(result: Comparison) -> str:
    """Return what the comparisons of each side with itself say about the verdicts."""
    if not result.halves:
        return "too few units to compare a side with itself"
    return (
        f"{result.alarms} of {count(result.halves, 'comparison')} of a side with itself "
        "(first half against second) raised a false alarm"
    )


def chart(result: ControlChart) -> str:
    """Return how many counters are out of control, and which most."""
    flagged = [one for one in result.counters if one.out_of_control]
    if not result.counters:
        return "No counter is in the new run and in a baseline: nothing was charted."
    verb = "is" if len(flagged) < 2 else "are"
    text = f"{len(flagged) or 'None'} of {count(result.counters, 'counter')} {verb} out of control"
    if flagged:
        worst = percent(flagged[0].violation_ratio)
        text += f"; of the worst, {worst} of the samples lie outside the limits"
    return f"{text}."


def filtering(done: Filtered) -> str:
    """Return what the filter for two kinds of load did to the new run."""
    if done.cut is None:
        return "one kind of load, nothing dropped"
    dropped = sum(value < done.cut for value in done.samples)
    text = f"{dropped} of {count(done.samples, 'sample')} below {quantity(done.cut)} dropped"
    if done.normality_before is None or done.normality_after is None:
        return text
    before, after = probability(done.normality_before), probability(done.normality_after)
    return f"{text}; Shapiro-Wilk p {before} before, {after} after"


def flags(quality: FlagQuality) -> str:
    """Return how well the flags agree with the labels."""
    low, high = quality.precision_interval
    least, most = quality.recall_interval
    return (
        f"precision {percent(quality.precision)} ({percent(low)} to {percent(high)}), "
        f"recall {percent(quality.recall)} ({percent(least)} to {percent(most)}), "
        f"F {percent(quality.f_measure)}"
    )


def variability(result: Variability) -> str:
    """Return how much half of the benchmarks vary at most, in total and inside an instance."""
    total = [one.total for one in result.benchmarks if one.total is not None]
    if not total:
        return f"None of {count(result.benchmarks, 'benchmark')} has the two values that a deviation needs."
    text = f"Half of {count(total, 'benchmark')} vary by at most {fine_percent(median(total))} in total"
    inside = [one.per_instance for one in result.benchmarks if one.per_instance is not None]
    if inside and any(one.instances > 1 for one in result.benchmarks):
        text += f" and by at most {fine_percent(median(inside))} within one instance"
    return f"{text}; the noisiest by {fine_percent(max(total))}."


def extent(sampling: Sampling) -> str:
    """Return what one version is measured with: "3 instances × 5 trials"."""
    return f"{count(sampling.instances, 'instance')} × {count(sampling.trials, 'trial')}"


def recommendation(advice: Recommendation) -> str:
    """Return which sampling to use and what it will show, in one sentence."""
    chosen, share, aim = advice.chosen, percent(advice.share), percent(advice.regression)
    if chosen is None:
        return f"No sampling tried lets you see a regression, even a doubling, in {share} of the benchmarks."
    how = f"{extent(chosen.sampling)}{{}}, with both versions on {machines(chosen.sampling)}"
    if advice.reached:
        seen = f" let you see {percent(chosen.smallest)} in {share} of the benchmarks"
        return f"{how.format(seen)}."
    if chosen.seeing:
        missed = f"No sampling tried lets you see {aim} in {share} of the benchmarks"
        return f"{missed}; {how.format('')}, comes nearest: {percent(chosen.seeing)} of them."
    seen = f" let you see {percent(chosen.smallest)} in {share} of the benchmarks"
    return f"{how.format(seen)}; no sampling tried lets you see {aim} in any."


def machines(sampling: Sampling) -> str:
    """Return where the two versions are measured."""
    return "the same instances" if sampling.strategy is Strategy.TRIALS else "different instances"


def by_attention(one: ComparedBenchmark) -> tuple[int, float]:
    """Return the key that puts what became slower first, and the largest change within a kind."""
    return ATTENTION.index(one.change), -abs(one.ratio - 1)


def _are(number: int) -> str:
    return f"{number} {'is' if number == 1 else 'are'}"


def stopping(result: Replay) -> str:
    """Return after how many values the rule stops in the mean, and how good they are."""
    stopped = [one.stop_at for one in result.series if one.stop_at is not None]
    whole = f"{len(result.series)} series"
    if not stopped:
        return f"{result.rule} would not have stopped on any of {whole}."
    text = f"{result.rule} would have stopped on {len(stopped)} of {whole}, after {median(stopped):g} values"
    if len(stopped) > 1:
        text += " in the median"
    if result.accuracy_mean is not None:
        text += f"; accuracy {percent(result.accuracy_mean)}"
    return f"{text}."
