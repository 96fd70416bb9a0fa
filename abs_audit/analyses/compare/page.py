"""The page of `compare`: what changed, with intervals."""

import math

import numpy as np

from abs_audit.analyses.compare.model import Comparison
from abs_audit.analyses.compare.text import answer, by_attention, own_alarms
from abs_audit.report.html import frame
from abs_audit.report.html.dot_rows import ROWS, DotRows, Line, dot_rows, plot_axis
from abs_audit.report.html.geometry import Tick, change_ticks
from abs_audit.wording import change


def render(result: Comparison, before: str, after: str) -> str:
    """Return the page of `compare`."""
    return frame.measurement(
        "compare/page.html.j2",
        sources=f"{before} against {after}",
        answer=answer(result),
        notes=result.warnings,
        result=result,
        before=before,
        after=after,
        own=own_alarms(result),
        changes=changes(result),
        ranked=sorted(result.benchmarks, key=by_attention),
    )


def changes(result: Comparison) -> DotRows | None:
    """Return a row a benchmark: the change of its median with its interval; what became slower first."""
    ranked = sorted(result.benchmarks, key=by_attention)
    shown = [end for benchmark in ranked[:ROWS] for end in (*(benchmark.interval or ()), benchmark.ratio)]
    if not shown:
        return None
    # A few endless intervals must not shrink the others to nothing: they end at the edge.
    reach = math.exp(max(0.05, float(np.quantile(np.abs(np.log(shown)), 0.9))))
    axis = plot_axis(1 / reach, reach, logarithmic=True)
    lines = [
        Line(
            name=benchmark.benchmark,
            dots={benchmark.change.value: benchmark.ratio},
            span=benchmark.interval,
            kind=benchmark.change.value,
            note=change(benchmark.ratio - 1),
        )
        for benchmark in ranked
    ]
    return dot_rows(lines, axis, change_ticks(axis), Tick(at=axis.at(1.0), label="0%"))
