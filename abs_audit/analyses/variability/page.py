"""The page of `variability`: deviations by source, and A/A rates."""

from abs_audit.analyses.detectable.model import SmallestRegression
from abs_audit.analyses.detectable.text import label
from abs_audit.analyses.variability import text as variability_text
from abs_audit.analyses.variability.model import BenchmarkVariability, Variability
from abs_audit.analyses.variability.text import answer
from abs_audit.report.html import frame
from abs_audit.report.html.dot_rows import DotRows, Line, dot_rows, plot_axis
from abs_audit.report.html.geometry import Tick, decade_ticks, percent_ticks
from abs_audit.wording import fine_percent


def render(result: Variability, alarms: SmallestRegression | None, source: str) -> str:
    """Return the page of `variability`."""
    return frame.measurement(
        "variability/page.html.j2",
        sources=source,
        answer=answer(result),
        notes=[*result.warnings, *(alarms.warnings if alarms else ())],
        result=result,
        deviations=deviations(result),
        alarms=alarms,
        false_alarms=false_alarms(alarms) if alarms else None,
    )


def deviations(result: Variability) -> DotRows | None:
    """Return a row a benchmark: its RSD in total, within an instance, within a trial; the noisiest first."""
    measured = [benchmark for benchmark in result.benchmarks if benchmark.rsd.total is not None]
    values = [value for benchmark in measured for value in _sources(benchmark) if value]
    if not values:
        return None
    axis = plot_axis(max(1e-4, 0.8 * min(values)), 1.2 * max(values), logarithmic=True)
    measured.sort(key=lambda benchmark: -(benchmark.rsd.total or 0.0))
    lines = [
        Line(
            name=benchmark.benchmark,
            dots={
                kind: value
                for value, kind in zip(_sources(benchmark), ("trial", "instance", "total"), strict=True)
                if value is not None
            },
            note=fine_percent(benchmark.rsd.total),
        )
        for benchmark in measured
    ]
    return dot_rows(lines, axis, decade_ticks(axis))


def _sources(benchmark: BenchmarkVariability) -> tuple[float | None, float | None, float | None]:
    return benchmark.rsd.per_trial, benchmark.rsd.per_instance, benchmark.rsd.total


def false_alarms(result: SmallestRegression) -> DotRows | None:
    """Return a row a sampling: its mean A/A rates, with the nominal 5 % for reference."""
    axis = plot_axis(0.0, 1.0)
    lines = [
        Line(name=label(sampling), dots=rates)
        for sampling in result.samplings
        if (rates := variability_text.false_alarms(result, sampling))
    ]
    return dot_rows(lines, axis, percent_ticks(axis, 5), Tick(at=axis.at(0.05), label="5%"))
