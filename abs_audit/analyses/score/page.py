"""The sections of the page on the score: its methods, and the map of its cells."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from markupsafe import Markup

from abs_audit.analyses.audit.model import Definition
from abs_audit.analyses.score import advice
from abs_audit.analyses.score.against import turns
from abs_audit.analyses.score.cell_map import cell_map
from abs_audit.analyses.score.model import Score
from abs_audit.analyses.score.text import against, largest_share
from abs_audit.model.cells import Amount, Cells, size
from abs_audit.model.explanation import Cause
from abs_audit.model.verdict import CellRuns, CellVerdict, ComparedRun, MethodVerdict, Verdict
from abs_audit.report.html import frame
from abs_audit.report.html.bars import Bar
from abs_audit.report.html.dot_rows import DotRows, Line, dot_rows, plot_axis
from abs_audit.report.html.geometry import Tick, percent_ticks
from abs_audit.wording import change, duration, finite, percent

BENCHMARK_ROWS = 300
EVIDENCE_METHODS = 100
EVIDENCE_CELLS = 5
USUAL = (0.02, 0.98)
"""Quantiles of the values between which the axis of a picture of them lies."""
VALUES_CELLS = 2
"""Cells of a method, those with the largest shares, of which every value is drawn."""
CELL_ROWS = 300
"""Longest table of cells, so that a page stays within 2 MB; the JSON document has all rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the verdict on one method rests on: its cells with the largest shares."""

    cells: tuple[CellVerdict, ...]
    """Of some that are alike only one."""
    picture: DotRows | None
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Watcher:
    """What one benchmark watches."""

    benchmark: str
    noticed: tuple[str, ...]
    called: int
    """Methods that it calls in its timed part."""
    open: int
    """Those of them of which nothing is known here."""


def methods_section(score: Score, definitions: Mapping[str, Definition], runs: CellRuns) -> Markup:
    """Return the section of the methods, what needs a decision first, each with its evidence."""
    methods = advice.by_attention(score.methods)
    return frame.part(
        "score/section.html.j2",
        score=score,
        methods=methods,
        definitions=definitions,
        evidence=evidence(score, methods[:EVIDENCE_METHODS], runs),
        anchor=anchor,
        largest_share=largest_share,
        next_command=advice.next_command,
        Verdict=Verdict,
    )


def against_section(score: Score, before: Score) -> Markup:
    """Return the section on what became of each method since an earlier score."""
    return frame.part(
        "score/against.html.j2", answer=against(score, before), turns=turns(score, before), anchor=anchor
    )


def benchmarks_section(score: Score) -> Markup | None:
    """Return the section of the benchmarks and what each of them watches; None where no cell was recorded."""
    rows = watchers(score)
    if not rows:
        return None
    return frame.part("score/benchmarks.html.j2", rows=rows[:BENCHMARK_ROWS], total=len(rows), anchor=anchor)


def watchers(score: Score) -> list[Watcher]:
    """Return the benchmarks, those that notice most first."""
    rows = [
        Watcher(
            benchmark=benchmark,
            noticed=tuple(part.cell.method for part in parts if part.cell.verdict is Verdict.DETECTED),
            called=size(part for part in parts if part.cell.verdict is not Verdict.UNREACHED),
            open=size(part for part in parts if part.cell.verdict is Verdict.NO_VERDICT),
        )
        for benchmark, parts in score.cells.of_benchmarks().items()
    ]
    return sorted(rows, key=lambda row: (-len(row.noticed), -row.called, row.benchmark))


def evidence(score: Score, methods: Sequence[MethodVerdict], runs: CellRuns) -> dict[str, Evidence]:
    """Return for each method its cells with the largest shares, with a picture of what they showed."""
    cells = score.cells.of_methods()
    reached = {
        method.method: [
            part for part in cells.get(method.method, ()) if part.cell.verdict is not Verdict.UNREACHED
        ]
        for method in methods
    }
    return {method: _evidence(parts, runs) for method, parts in reached.items() if parts}


def _evidence(parts: Sequence[Amount], runs: CellRuns) -> Evidence:
    ranked = sorted((part.cell for part in parts), key=lambda cell: -(finite(cell.share) or 0.0))
    shown = tuple(ranked[:EVIDENCE_CELLS])
    return Evidence(cells=shown, picture=_differences(shown, runs), left_out=size(parts) - len(shown))


def _differences(cells: Sequence[CellVerdict], runs: CellRuns) -> DotRows | None:
    """Return a row a run, or a cell: how much slower it should become, and became, beside what is needed."""
    measured = [cell for cell in cells if finite(cell.difference_mean) is not None]
    if not measured:
        return None
    lines = [
        line
        for rank, cell in enumerate(measured)
        for line in _lines(cell, runs.get((cell.method, cell.benchmark), ()) if rank < VALUES_CELLS else ())
    ]
    needed = max((cell.requested or 0.0) / 2 for cell in measured)
    marked = [difference for line in lines for difference in (*line.dots.values(), *(line.span or ()))]
    # A few values that others disturbed must not shrink the rest to nothing: they are drawn at the edge.
    seen = [difference for line in lines for cloud in line.clouds for difference in np.quantile(cloud, USUAL)]
    axis = plot_axis(min([*marked, *seen, 0.0]), 1.1 * max([*marked, *seen, needed, 0.01]))
    return dot_rows(lines, axis, percent_ticks(axis, 5), Tick(at=axis.at(needed), label=percent(needed)))


def _lines(cell: CellVerdict, runs: Sequence[ComparedRun]) -> list[Line]:
    """Return a line for each run with its values; one for the cell where the session does not have them."""
    expected = None if cell.share is None or cell.requested is None else cell.share * cell.requested
    if not runs:
        marks = _marks(expected, cell.difference_mean, cell.difference_median)
        span = (0.0, cell.difference_mean or 0.0)
        return [Line(name=cell.benchmark, dots=marks, span=span, note=change(cell.difference_mean))]
    lines = []
    for number, run in enumerate(runs, 1):
        ends = run.interval
        between = f" ({change(ends[0])} to {change(ends[1])})" if ends else ""
        lines.append(
            Line(
                name=f"{cell.benchmark}, run {number}",
                dots=_marks(expected, run.mean, run.median),
                span=ends,
                kind="interval",
                note=f"{change(run.mean)}{between}",
                clouds=(run.control, run.mutant),
            )
        )
    return lines


def _marks(expected: float | None, mean: float | None, median: float | None) -> dict[str, float]:
    """Return what a row shows: the slowdown times the share (bar), the mean (dot), the median (ring)."""
    marks = {"trial": expected, "total": mean, "instance": median}
    return {kind: value for kind, mark in marks.items() if (value := finite(mark)) is not None}


def anchor(method: str) -> str:
    """Return the permalink of a method within a page."""
    return f"m-{hashlib.sha256(method.encode(errors='surrogatepass')).hexdigest()[:10]}"


def map_section(score: Score) -> Markup | None:
    """Return the section of the map, or None where no cell was recorded."""
    if not score.cells:
        return None
    parts = score.cells.amounts()
    return frame.part(
        "score/map.html.j2",
        cell_map=cell_map(score),
        cells=_cells(score),
        cells_limit=CELL_ROWS,
        unasked=size(part for part in parts if part.cell.cause is Cause.ANOTHER_BENCHMARK_NOTICES),
    )


def costs(score: Score) -> tuple[Bar, ...]:
    """Return the benchmark time of this score beside that of the 2018 protocol; empty without an estimate."""
    estimated = score.cost.paper_protocol_s
    if not estimated:
        return ()
    times = (
        ("this score", score.cost.benchmark_s, "ours"),
        ("protocol of 2018, estimated", estimated, "paper"),
    )
    return tuple(
        Bar(label=label, value=time_s, kind=kind, note=duration(time_s)) for label, time_s, kind in times
    )


def _cells(score: Score) -> list[CellVerdict]:
    """Return the cells that say something, those with the largest share first, at most a table full."""
    listed, alike = score.cells.listed, score.cells.alike
    others = Cells(alike=tuple(part for part in alike if part.verdict is not Verdict.UNREACHED))
    reached = [cell for cell in listed if cell.verdict is not Verdict.UNREACHED]
    reached += islice(others, CELL_ROWS)
    return sorted(reached, key=lambda cell: -(finite(cell.share) or 0.0))[:CELL_ROWS]
