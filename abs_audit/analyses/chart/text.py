"""A new run against baselines, for terminals."""

from rich.console import Group
from rich.text import Text

from abs_audit.analyses.chart.flag_quality import FlagQuality
from abs_audit.analyses.chart.load import LoadFilter
from abs_audit.analyses.chart.model import ChartedCounter, ControlChart
from abs_audit.report.text import facts, headline, more, named, page, table, warnings
from abs_audit.wording import count, percent, probability, quantity

COUNTERS = 60


def answer(result: ControlChart) -> str:
    """Return how many counters are out of control, and which most."""
    flagged = [counter for counter in result.counters if counter.out_of_control]
    if not result.counters:
        return "No counter is in the new run and in a baseline: nothing was charted."
    verb = "is" if len(flagged) < 2 else "are"
    text = f"{len(flagged) or 'None'} of {count(result.counters, 'counter')} {verb} out of control"
    if flagged:
        worst = percent(flagged[0].violation_ratio)
        text += f"; of the worst, {worst} of the samples lie outside the limits"
    return f"{text}."


def filtering(filtered: LoadFilter) -> str:
    """Return what the filter for two kinds of load did to the new run."""
    if filtered.cut is None:
        return "one kind of load, nothing dropped"
    dropped = int((~filtered.kept).sum())
    text = f"{dropped} of {count(filtered.samples, 'sample')} below {quantity(filtered.cut)} dropped"
    if filtered.normality_before is None or filtered.normality_after is None:
        return text
    before, after = probability(filtered.normality_before), probability(filtered.normality_after)
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


def summary(result: ControlChart, quality: FlagQuality | None = None) -> Group:
    """Return the counters, the most violated first, and what their charting rests on."""
    rows = (
        (
            Text(
                "out" if counter.out_of_control else "in",
                style="bold red" if counter.out_of_control else "dim",
            ),
            percent(counter.violation_ratio),
            percent(counter.threshold),
            named(counter.name, *_details(counter)),
        )
        for counter in result.counters[:COUNTERS]
    )
    return page(
        headline(answer(result)),
        table(("left", "control"), ("right", "outside", "threshold"), ("fold", "counter"), rows=rows),
        more(len(result.counters) - COUNTERS, "less violated"),
        facts(
            ("baselines", f"{len(result.baselines)}: {', '.join(result.baselines)}"),
            ("average", _average(result)),
            ("labels", flags(quality) if quality else ""),
        ),
        warnings(result.warnings),
    )


def _average(result: ControlChart) -> str:
    average = result.average_violation
    return "" if average is None else f"{percent(average)} outside, of the counters out of control"


def _details(counter: ChartedCounter) -> list[tuple[str, str]]:
    limits = counter.limits
    spread = f"{quantity(limits.lcl)} to {quantity(limits.ucl)}, median {quantity(limits.cl)}"
    load = filtering(counter.filtered) if counter.filtered else ""
    return [("limits", spread), ("filter", load), *(("note", note) for note in counter.notes)]
