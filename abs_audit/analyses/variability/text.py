"""Where noise comes from, for terminals."""

from collections.abc import Sequence
from statistics import fmean, median

from rich.console import Group, RenderableType
from rich.text import Text

from abs_audit.advising import advised
from abs_audit.analyses.detectable.model import SmallestRegression
from abs_audit.analyses.detectable.sampling import Sampling, Strategy
from abs_audit.analyses.variability.model import Variability
from abs_audit.report.text import facts, headline, largest_first, more, name, page, table, warnings
from abs_audit.wording import count, fine_percent, percent

BENCHMARKS = 60
_A_A = (
    "how often a rank-sum test (p < 0.05) tells equal code apart, instances × trials for each side: by all "
    "values, by all values and an effect of medium size, by one median a trial"
)


def answer(result: Variability) -> str:
    """Return how much half of the benchmarks vary at most, in total and inside an instance."""
    total = [benchmark.rsd.total for benchmark in result.benchmarks if benchmark.rsd.total is not None]
    if not total:
        return f"None of {count(result.benchmarks, 'benchmark')} has the two values that a deviation needs."
    text = f"Half of {count(total, 'benchmark')} vary by at most {fine_percent(median(total))} in total"
    inside = [
        benchmark.rsd.per_instance
        for benchmark in result.benchmarks
        if benchmark.rsd.per_instance is not None
    ]
    if inside and any(benchmark.instances > 1 for benchmark in result.benchmarks):
        text += f" and by at most {fine_percent(median(inside))} within one instance"
    return f"{text}; the noisiest by {fine_percent(max(total))}."


def summary(result: Variability, alarms: SmallestRegression | None = None) -> Group:
    """Return the benchmarks by how much they vary, and how often equal code looks different."""
    ranked = sorted(result.benchmarks, key=lambda benchmark: largest_first(benchmark.rsd.total))
    rows = (
        (
            fine_percent(benchmark.rsd.total),
            fine_percent(benchmark.rsd.per_instance),
            fine_percent(benchmark.rsd.per_trial),
            Text(str(benchmark.outliers), style="yellow" if benchmark.outliers else "dim"),
            name(benchmark.benchmark),
        )
        for benchmark in ranked[:BENCHMARKS]
    )
    return page(
        headline(answer(result)),
        table(("right", "RSD total", "instance", "trial", "outliers"), ("fold", "benchmark"), rows=rows),
        more(len(result.benchmarks) - BENCHMARKS, "steadier"),
        _alarms(alarms) if alarms and alarms.benchmarks else None,
        facts(
            ("RSD", "standard deviation divided by the mean: of all values, within one instance, one trial"),
            ("from", _extent(result)),
            ("outliers", "values of at least 10 times the median"),
            ("A/A", _A_A if alarms and alarms.benchmarks else ""),
            ("next", advised("detectable") if alarms else ""),
        ),
        warnings([*result.warnings, *(alarms.warnings if alarms else ())]),
    )


def _extent(result: Variability) -> str:
    measured = [benchmark for benchmark in result.benchmarks if benchmark.values]
    parts = [
        _range([benchmark.instances for benchmark in measured], "instance"),
        _range([benchmark.trials for benchmark in measured], "trial"),
        _range([benchmark.values for benchmark in measured], "value"),
    ]
    return f"{', '.join(parts)} for each benchmark" if measured else ""


def _range(sizes: Sequence[int], noun: str) -> str:
    low, high = min(sizes, default=0), max(sizes, default=0)
    return count(high, noun) if low == high else f"{low} to {count(high, noun)}"


def _alarms(result: SmallestRegression) -> RenderableType | None:
    """Return the mean A/A rates of each sampling."""
    rates = (
        (
            f"{sampling.instances} × {sampling.trials}",
            "same" if sampling.strategy is Strategy.TRIALS else "different",
            *(percent(rates.get(kind)) for kind in ("total", "instance", "trial")),
        )
        for sampling in result.samplings
        if (rates := false_alarms(result, sampling))
    )
    return table(
        ("left", "A/A alarms", "instances"),
        ("right", "all values", "medium effect", "trial medians"),
        rows=rates,
    )


def false_alarms(result: SmallestRegression, sampling: Sampling) -> dict[str, float]:
    """Return the mean A/A rates that are known: of all values, of a medium effect, of medians of trials."""
    rows = result.under(sampling)
    medians = [row.false_alarms_of_medians for row in rows if row.false_alarms_of_medians is not None]
    of_all = {
        "total": [row.false_alarms for row in rows],
        "instance": [row.false_alarms_of_effect for row in rows],
        "trial": medians,
    }
    return {kind: fmean(rates) for kind, rates in of_all.items() if rates}
