"""What changed between two versions, for terminals."""

from rich.console import Group
from rich.text import Text

from abs_audit.analyses.compare.model import Change, ComparedBenchmark, Comparison
from abs_audit.formats.sample import SECONDS
from abs_audit.report.text import facts, headline, more, name, named, names, page, table, warnings
from abs_audit.wording import change, count, fine_percent, probability, quantity, time_per_invocation

CHANGES = {
    Change.SLOWER: "bold red",
    Change.UNDECIDABLE: "yellow",
    Change.FASTER: "green",
    Change.UNCHANGED: "dim",
}
"""Colours, in the order in which changes matter."""
ATTENTION = tuple(CHANGES)
BENCHMARKS = 8
"""Rows that unchanged benchmarks may fill: an answer where nothing changed is one screen."""
UNDECIDED = PACKAGES = 20


def answer(result: Comparison) -> str:
    """Return how many benchmarks became slower; those without a verdict are never counted as unchanged."""
    if not result.benchmarks:
        return "No benchmark is in both: nothing was compared."
    changes = [benchmark.change for benchmark in result.benchmarks]
    slow = result.regressions
    text = f"{len(slow) or 'None'} of {count(changes, 'benchmark')} became slower"
    if slow:
        worst = max(benchmark.ratio for benchmark in slow)
        text += f",{' the worst' if len(slow) > 1 else ''} by {fine_percent(worst - 1)}"
    if faster := changes.count(Change.FASTER):
        text += f"; {faster} became faster"
    if undecidable := changes.count(Change.UNDECIDABLE):
        text += f"; {undecidable} {'has' if undecidable == 1 else 'have'} no verdict"
    if missing := len(result.only_before):
        text += f"; {missing} {'is' if missing == 1 else 'are'} missing afterwards"
    return f"{text}."


def own_alarms(result: Comparison) -> str:
    """Return what the comparisons of each side with itself say about the verdicts."""
    if not result.halves:
        return "too few units to compare a side with itself"
    return (
        f"{result.alarms} of {count(result.halves, 'comparison')} of a side with itself "
        "(first half against second) raised a false alarm"
    )


def by_attention(benchmark: ComparedBenchmark) -> tuple[int, float]:
    """Return the key that puts what became slower first, and the largest change within a kind."""
    return ATTENTION.index(benchmark.change), -abs(benchmark.ratio - 1)


def summary(result: Comparison) -> Group:
    """Return the benchmarks, those that became slower first, and what is in one side only."""
    rows = (
        (
            Text(benchmark.change.value, style=CHANGES[benchmark.change]),
            change(benchmark.ratio - 1),
            named(benchmark.benchmark, ("95%", _evidence(benchmark))),
        )
        for benchmark in _shown(result)
    )
    return page(
        headline(answer(result)),
        table(("left", "change"), ("right", "median"), ("fold", "benchmark"), rows=rows),
        more(len(result.benchmarks) - len(_shown(result)), "unchanged or without a verdict"),
        names("missing afterwards, so without a verdict:", result.only_before, limit=50),
        names("new, so without anything to compare with:", result.only_after, limit=50),
        facts(*_foundations(result)),
        warnings(result.warnings),
    )


def _shown(result: Comparison) -> list[ComparedBenchmark]:
    """Return every benchmark that changed, and as many others as find room."""
    ranked = sorted(result.benchmarks, key=by_attention)
    changed = [row for row in ranked if row.change in (Change.SLOWER, Change.FASTER)]
    undecided = [row for row in ranked if row.change is Change.UNDECIDABLE][:UNDECIDED]
    room = max(0, BENCHMARKS - len(changed) - len(undecided))
    unchanged = [row for row in ranked if row.change is Change.UNCHANGED][:room]
    return sorted([*changed, *undecided, *unchanged], key=by_attention)


def _amount(value: float, unit: str) -> str:
    return time_per_invocation(value) if unit == SECONDS else f"{quantity(value)} {unit}".rstrip()


def packages(result: Comparison) -> Group:
    """Return how each package changed, the largest change first."""
    ranked = sorted(result.packages, key=lambda package: -abs(package.geometric_mean - 1))
    rows = (
        (change(package.geometric_mean - 1), str(package.benchmarks), name(package.package))
        for package in ranked[:PACKAGES]
    )
    return page(
        table(("right", "geometric mean", "benchmarks"), ("fold", "package"), rows=rows),
        more(len(ranked) - PACKAGES, "less changed"),
    )


def _evidence(benchmark: ComparedBenchmark) -> str:
    p = "not testable" if benchmark.change is Change.UNDECIDABLE else probability(benchmark.p_corrected)
    before, after = (_amount(median, benchmark.measured_in) for median in benchmark.medians)
    return f"{interval(benchmark)}; p {p}; {before} before, {after} after"


def interval(benchmark: ComparedBenchmark) -> str:
    """Return the interval of the change, or what is missing for one."""
    if benchmark.interval is None:
        return f"needs {count(benchmark.missing_forks, 'more fork')} a side"
    low, high = benchmark.interval
    return f"{change(low - 1)} to {change(high - 1)}"


def _foundations(result: Comparison) -> list[tuple[str, str]]:
    units = sorted({benchmark.unit.value for benchmark in result.benchmarks})
    sizes = [size for benchmark in result.benchmarks for size in benchmark.replicates]
    return [
        ("geomean", f"{change(result.geometric_mean - 1)} over {count(result.benchmarks, 'benchmark')}"),
        ("unit", f"{' or '.join(units)}, {min(sizes)} to {max(sizes)} a side" if sizes else ""),
        ("p", "permuted labels against the noise of the suite, corrected for its number of benchmarks"),
        ("A/A", own_alarms(result)),
    ]
