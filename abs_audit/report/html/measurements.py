"""The pages of the analyses that work on measurements alone: changes, control charts, noise."""

from collections.abc import Mapping, Sequence

import numpy as np

from abs_audit import __version__
from abs_audit.analyses.chart import pictures as control_pictures
from abs_audit.analyses.chart.flag_quality import FlagQuality
from abs_audit.analyses.chart.model import ChartSettings, ControlChart, ThresholdRule
from abs_audit.analyses.compare.model import Comparison
from abs_audit.analyses.detectable.model import SmallestRegression
from abs_audit.analyses.detectable.recommendation import Recommendation
from abs_audit.analyses.stop import pictures as stopping_pictures
from abs_audit.analyses.stop.model import Replay, SeriesReplay
from abs_audit.analyses.variability.model import Variability
from abs_audit.report import answers
from abs_audit.report.html import frame, noise_pictures
from abs_audit.report.wording import percent

TABLE_ROWS = 1000
"""Longest tables, so that a page stays within 2 MB; the JSON document has all rows."""
MATRIX_CELLS = 6000
LIST_NAMES = 200
WARNINGS = 40


def comparison(result: Comparison, before: str, after: str) -> str:
    """Return the page of `compare`."""
    return _page(
        "comparison.html.j2",
        kind="Comparison",
        sources=f"{before} against {after}",
        answer=answers.comparison(result),
        notes=_first(result.warnings),
        result=result,
        before=before,
        after=after,
        own=answers.own_alarms(result),
        changes=noise_pictures.changes(result),
        table=sorted(result.benchmarks, key=answers.by_attention)[:TABLE_ROWS],
    )


def chart(result: ControlChart, settings: ChartSettings, quality: FlagQuality | None = None) -> str:
    """Return the page of `chart`."""
    low, high = settings.percentiles
    return _page(
        "chart.html.j2",
        kind="Control chart",
        sources=result.target,
        answer=answers.chart(result),
        notes=_first(result.warnings),
        chart=result,
        expected=(low + 100 - high) / 100,
        rule=rule(settings.rule),
        quality=quality and answers.flags(quality),
        overview=control_pictures.overview(result),
        counters=control_pictures.counters(result),
        table=result.counters[:TABLE_ROWS],
    )


def stopping(
    result: Replay, series: Mapping[str, np.ndarray], rules: Mapping[str, Sequence[SeriesReplay]]
) -> str:
    """Return the page of `stop`; `rules` holds what all rules did on the same series."""
    return _page(
        "stopping.html.j2",
        kind="Stopping rules",
        sources=result.rule,
        answer=answers.stopping(result),
        notes=_first(result.warnings),
        replay=result,
        pictures=stopping_pictures.replays(series, rules),
        table=result.series[:TABLE_ROWS],
    )


def variability(result: Variability, alarms: SmallestRegression | None, source: str) -> str:
    """Return the page of `variability`."""
    return _page(
        "variability.html.j2",
        kind="Variability",
        sources=source,
        answer=answers.variability(result),
        notes=_first([*result.warnings, *(alarms.warnings if alarms else ())]),
        result=result,
        deviations=noise_pictures.deviations(result),
        false_alarms=noise_pictures.false_alarms(alarms) if alarms else None,
        alarms=alarms.benchmarks[:TABLE_ROWS] if alarms else (),
        table=result.benchmarks[:TABLE_ROWS],
    )


def detectable(result: SmallestRegression, advice: Recommendation, source: str) -> str:
    """Return the page of `detectable`."""
    matrix = noise_pictures.matrix(result)
    shown = matrix[: MATRIX_CELLS // max(1, len(result.samplings))]
    return _page(
        "detectable.html.j2",
        kind="Detectable regressions",
        sources=source,
        answer=answers.recommendation(advice),
        notes=_first(result.warnings),
        result=result,
        advice=advice,
        classes=noise_pictures.legend(),
        bars=noise_pictures.shares(result, advice),
        labels=[noise_pictures.label(sampling) for sampling in result.samplings],
        size_class=noise_pictures.size_class,
        matrix=shown,
        left_out=len(matrix) - len(shown),
    )


def rule(of: ThresholdRule) -> str:
    """Return a rule in words."""
    if not of.floor and of.factor == 1:
        return "above the learned threshold"
    return f"above {percent(of.floor)} and above {of.factor:g} times the learned threshold"


def _page(template: str, **context: object) -> str:
    return frame.render(template, "measurement.css", version=__version__, names_limit=LIST_NAMES, **context)


def _first(warnings: tuple[str, ...] | list[str]) -> list[str]:
    shown = list(warnings[:WARNINGS])
    left = len(warnings) - len(shown)
    return [*shown, f"and {left} more; the JSON document has them all"] if left else shown
