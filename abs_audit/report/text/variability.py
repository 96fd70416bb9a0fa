"""Summaries of noise: where it comes from, and the smallest regression that it lets through."""

from collections.abc import Sequence
from statistics import fmean

from rich.console import Group, RenderableType
from rich.text import Text

from abs_audit.analyses.detectable.model import SmallestRegression
from abs_audit.analyses.detectable.recommendation import Recommendation
from abs_audit.analyses.detectable.sampling import Strategy
from abs_audit.analyses.variability.model import BenchmarkVariability, Variability
from abs_audit.report import answers
from abs_audit.report.text.page import facts, headline, more, name, names, page, table, warnings
from abs_audit.report.wording import count, fine_percent, percent

BENCHMARKS = 60
_A_A = (
    "how often a rank-sum test (p < 0.05) tells equal code apart, instances × trials for each side: by all "
    "values, by all values and an effect of medium size, by one median a trial"
)


def variability(result: Variability, alarms: SmallestRegression | None = None) -> Group:
    """Return the benchmarks by how much they vary, and how often equal code looks different."""
    rows = (
        (
            Text(fine_percent(one.total)),
            Text(fine_percent(one.per_instance)),
            Text(fine_percent(one.per_trial)),
            Text(str(one.outliers), style="yellow" if one.outliers else "dim"),
            name(one.benchmark),
        )
        for one in sorted(result.benchmarks, key=_noisiest_first)[:BENCHMARKS]
    )
    return page(
        headline(answers.variability(result)),
        table(
            ("RSD total", "right"),
            ("instance", "right"),
            ("trial", "right"),
            ("outliers", "right"),
            ("benchmark", "fold"),
            rows=rows,
        ),
        more(len(result.benchmarks) - BENCHMARKS, "steadier"),
        _alarms(alarms) if alarms and alarms.benchmarks else None,
        facts(
            [
                (
                    "RSD",
                    "standard deviation divided by the mean: of all values, within one instance, one trial",
                ),
                ("from", _extent(result)),
                ("outliers", "values of at least 10 times the median"),
                ("A/A", _A_A if alarms and alarms.benchmarks else ""),
                ("next", "abs-audit detectable"),
            ]
        ),
        warnings([*result.warnings, *(alarms.warnings if alarms else ())]),
    )


def _extent(result: Variability) -> str:
    measured = [one for one in result.benchmarks if one.values]
    parts = [
        _range([one.instances for one in measured], "instance"),
        _range([one.trials for one in measured], "trial"),
        _range([one.values for one in measured], "value"),
    ]
    return f"{', '.join(parts)} for each benchmark" if measured else ""


def _range(sizes: Sequence[int], noun: str) -> str:
    low, high = min(sizes, default=0), max(sizes, default=0)
    return count(high, noun) if low == high else f"{low} to {count(high, noun)}"


def _noisiest_first(one: BenchmarkVariability) -> float:
    return float("-inf") if one.total is None else -one.total


def _alarms(result: SmallestRegression) -> RenderableType:
    """Return the mean A/A rates of each sampling."""
    rows = (
        (
            Text(f"{sampling.instances} × {sampling.trials}"),
            Text("same" if sampling.strategy is Strategy.TRIALS else "different"),
            Text(percent(fmean(one.false_alarms for one in found))),
            Text(percent(fmean(one.false_alarms_of_effect for one in found))),
            Text(percent(_mean([one.false_alarms_of_medians for one in found]))),
        )
        for sampling in result.samplings
        if (found := result.under(sampling))
    )
    return table(
        ("A/A alarms", "left"),
        ("instances", "left"),
        ("all values", "right"),
        ("medium effect", "right"),
        ("trial medians", "right"),
        rows=rows,
    )


def _mean(rates: Sequence[float | None]) -> float | None:
    known = [rate for rate in rates if rate is not None]
    return fmean(known) if known else None


def detectable(result: SmallestRegression, advice: Recommendation) -> Group:
    """Return the recommendation, and what each sampling shows."""
    rows = (
        (
            Text("->" if one is advice.chosen else ""),
            Text(answers.extent(one.sampling)),
            Text(one.sampling.strategy.value),
            Text(_seen(one.smallest)),
            Text(_seen(one.median)),
            Text(percent(one.seeing)),
            Text(f"{one.none} of {one.answered}", style="red" if one.none else ""),
        )
        for one in advice.sights
    )
    return page(
        headline(answers.recommendation(advice)),
        table(
            ("", "left"),
            ("for each version", "left"),
            ("sampling", "left"),
            (f"{percent(advice.share)} see", "right"),
            ("half see", "right"),
            (f"see {percent(advice.regression)}", "right"),
            ("blind", "right"),
            rows=rows,
        )
        if advice.sights
        else None,
        names(f"do not see {percent(advice.regression)} there:", _blind(result, advice)),
        facts(
            [
                ("blind", "benchmarks that see no regression up to a doubling"),
                ("instance-based", "both versions on different instances"),
                ("trial-based", "both versions on the same instances, in different trials"),
                ("draws", f"{result.draws} pairs of random groups for each benchmark and sampling"),
            ]
        ),
        warnings(result.warnings),
    )


def _seen(regression: float | None) -> str:
    return "none" if regression is None else percent(regression)


def _blind(result: SmallestRegression, advice: Recommendation) -> list[str]:
    """Return the benchmarks that miss the aim under the chosen sampling, the worst first."""
    if advice.chosen is None:
        return []
    rows = result.under(advice.chosen.sampling)
    blind = [row for row in rows if row.smallest is None or row.smallest > advice.regression]
    blind.sort(key=lambda row: -(row.smallest or float("inf")))
    return [f"{row.benchmark}: {_seen(row.smallest)}" for row in blind]
