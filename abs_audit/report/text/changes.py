"""Summaries of what changed: two versions side by side, and a new run against baselines."""

from rich.console import Group
from rich.text import Text

from abs_audit.analyses.chart.flag_quality import FlagQuality
from abs_audit.analyses.chart.model import ChartedCounter, ControlChart
from abs_audit.analyses.compare.model import Change, ComparedBenchmark, Comparison
from abs_audit.report import answers
from abs_audit.report.text.page import facts, headline, more, name, names, page, table, warnings
from abs_audit.report.wording import change, count, percent, probability, quantity

CHANGES = {
    Change.SLOWER: "bold red",
    Change.UNDECIDABLE: "yellow",
    Change.FASTER: "green",
    Change.UNCHANGED: "dim",
}
BENCHMARKS = COUNTERS = 60


def comparison(result: Comparison) -> Group:
    """Return the benchmarks, those that became slower first, and what is in one side only."""
    rows = (
        (
            Text(one.change.value, style=CHANGES[one.change]),
            Text(change(one.ratio - 1)),
            Group(name(one.benchmark), facts([("  95%", _evidence(one))])),
        )
        for one in _shown(result)
    )
    return page(
        headline(answers.comparison(result)),
        table(("change", "left"), ("median", "right"), ("benchmark", "fold"), rows=rows)
        if result.benchmarks
        else None,
        more(len(result.benchmarks) - len(_shown(result)), "unchanged"),
        names("missing afterwards, so without a verdict:", result.only_before, limit=50),
        names("new, so without anything to compare with:", result.only_after, limit=50),
        facts(_foundations(result)),
        warnings(result.warnings),
    )


def _shown(result: Comparison) -> list[ComparedBenchmark]:
    """Return every benchmark that changed or has no verdict, and as many others as find room."""
    ranked = sorted(result.benchmarks, key=answers.by_attention)
    changed = sum(one.change is not Change.UNCHANGED for one in ranked)
    return ranked[: max(changed, BENCHMARKS)]


def _evidence(one: ComparedBenchmark) -> str:
    p = "not testable" if one.change is Change.UNDECIDABLE else probability(one.p_corrected)
    return f"{interval(one)}; p {p}; Cliff's delta {one.cliffs_delta:+.2f}"


def interval(one: ComparedBenchmark) -> str:
    """Return the interval of the change, or what is missing for one."""
    if one.interval is None:
        return f"needs {count(one.missing_forks, 'more fork')} a side"
    low, high = one.interval
    return f"{change(low - 1)} to {change(high - 1)}"


def _foundations(result: Comparison) -> list[tuple[str, str]]:
    units = sorted({one.unit.value for one in result.benchmarks})
    sizes = [size for one in result.benchmarks for size in one.replicates]
    return [
        ("unit", f"{' or '.join(units)}, {min(sizes)} to {max(sizes)} a side" if sizes else ""),
        (
            "p",
            "permuted labels against the noise of the suite, corrected for its number of benchmarks",
        ),
        ("A/A", answers.own_alarms(result)),
    ]


def chart(result: ControlChart, quality: FlagQuality | None = None) -> Group:
    """Return the counters, the most violated first, and what their charting rests on."""
    shown = result.counters[:COUNTERS]
    rows = (
        (
            Text("out" if one.out_of_control else "in", style="bold red" if one.out_of_control else "dim"),
            Text(percent(one.violation_ratio)),
            Text(percent(one.threshold)),
            Group(name(one.name), facts(_details(one))),
        )
        for one in shown
    )
    return page(
        headline(answers.chart(result)),
        table(
            ("control", "left"), ("outside", "right"), ("threshold", "right"), ("counter", "fold"), rows=rows
        )
        if shown
        else None,
        more(len(result.counters) - COUNTERS, "less violated"),
        facts(
            [
                ("baselines", f"{len(result.baselines)}: {', '.join(result.baselines)}"),
                ("average", _average(result)),
                ("labels", answers.flags(quality) if quality else ""),
            ]
        ),
        warnings(result.warnings),
    )


def _average(result: ControlChart) -> str:
    average = result.average_violation
    return "" if average is None else f"{percent(average)} outside, of the counters out of control"


def _details(one: ChartedCounter) -> list[tuple[str, str]]:
    limits = one.limits
    spread = f"{quantity(limits.lcl)} to {quantity(limits.ucl)}, median {quantity(limits.cl)}"
    load = answers.filtering(one.filtered) if one.filtered else ""
    return [("  limits", spread), ("  filter", load), *(("  note", note) for note in one.notes)]
