"""The sections of the page on the score: its methods, and the map of its cells."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from abs_audit.analyses.audit.model import Definition
from abs_audit.analyses.score import advice
from abs_audit.analyses.score.against import turns
from abs_audit.analyses.score.cell_map import cell_map
from abs_audit.analyses.score.model import Score
from abs_audit.analyses.score.text import against
from abs_audit.model.verdict import CellVerdict, MethodVerdict, Verdict
from abs_audit.report.html import frame
from abs_audit.report.html.bars import Bar, Length, bars
from abs_audit.report.html.dot_rows import Dot, DotRows, Line, dot_rows, plot_axis
from abs_audit.report.html.geometry import Tick, percent_ticks
from abs_audit.wording import change, duration, finite, percent

BENCHMARK_ROWS = 300
EVIDENCE_METHODS = 100
EVIDENCE_CELLS = 5
CELL_ROWS = 600
"""Longest table of cells, so that a page stays within 2 MB; the JSON document has all rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the verdict on one method rests on: its cells with the largest shares."""

    cells: tuple[CellVerdict, ...]
    picture: DotRows | None
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Watcher:
    """What one benchmark watches."""

    benchmark: str
    noticed: tuple[str, ...]
    called: int
    """Methods that it calls in its timed part."""


def methods_section(score: Score, definitions: Mapping[str, Definition]) -> Markup:
    """Return the section of the methods, what needs a decision first, each with its evidence."""
    methods = advice.by_attention(score.methods)
    return frame.part(
        "score/section.html.j2",
        score=score,
        methods=methods,
        definitions=definitions,
        evidence=evidence(score, methods[:EVIDENCE_METHODS]),
        anchor=anchor,
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
    reached: dict[str, list[CellVerdict]] = {cell.benchmark: [] for cell in score.cells}
    for cell in score.cells:
        if cell.verdict is not Verdict.UNREACHED:
            reached[cell.benchmark].append(cell)
    rows = [
        Watcher(
            benchmark=benchmark,
            noticed=tuple(cell.method for cell in cells if cell.verdict is Verdict.DETECTED),
            called=len(cells),
        )
        for benchmark, cells in reached.items()
    ]
    return sorted(rows, key=lambda row: (-len(row.noticed), -row.called, row.benchmark))


def evidence(score: Score, methods: Sequence[MethodVerdict]) -> dict[str, Evidence]:
    """Return for each method its cells with the largest shares, with a picture of what they showed."""
    reached: dict[str, list[CellVerdict]] = {}
    for cell in score.cells:
        if cell.verdict is not Verdict.UNREACHED:
            reached.setdefault(cell.method, []).append(cell)
    return {
        method.method: _evidence(cells) for method in methods if (cells := reached.get(method.method, []))
    }


def _evidence(cells: Sequence[CellVerdict]) -> Evidence:
    ranked = sorted(cells, key=lambda cell: -(finite(cell.share) or 0.0))
    shown = tuple(ranked[:EVIDENCE_CELLS])
    return Evidence(cells=shown, picture=_differences(shown), left_out=len(ranked) - len(shown))


def _differences(cells: Sequence[CellVerdict]) -> DotRows | None:
    """Return a row a cell: how much slower it should become, and became, beside what is needed."""
    measured = [cell for cell in cells if finite(cell.difference_mean) is not None]
    if not measured:
        return None
    values = [value for cell in measured for value in (*_marks(cell).values(), 0.0)]
    needed = max((cell.requested or 0.0) / 2 for cell in measured)
    axis = plot_axis(min(values), 1.1 * max([*values, needed, 0.01]))
    lines = [
        Line(
            name=cell.benchmark,
            dots=tuple(Dot(value=value, kind=kind) for kind, value in _marks(cell).items()),
            span=(0.0, cell.difference_mean or 0.0),
            kind="",
            note=change(cell.difference_mean),
        )
        for cell in measured
    ]
    return dot_rows(lines, axis, percent_ticks(axis, 5), Tick(at=axis.at(needed), label=percent(needed)))


def _marks(cell: CellVerdict) -> dict[str, float]:
    """Return what a row shows: the slowdown times the share (bar), the mean (dot), the median (ring)."""
    expected = None if cell.share is None or cell.requested is None else cell.share * cell.requested
    marks = {"trial": expected, "total": cell.difference_mean, "instance": cell.difference_median}
    return {kind: value for kind, mark in marks.items() if (value := finite(mark)) is not None}


def anchor(method: str) -> str:
    """Return the permalink of a method within a page."""
    return f"m-{hashlib.sha256(method.encode(errors='surrogatepass')).hexdigest()[:10]}"


def map_section(score: Score) -> Markup | None:
    """Return the section of the map, or None where no cell was recorded."""
    if not score.cells:
        return None
    return frame.part(
        "score/map.html.j2", cell_map=cell_map(score), cells=_cells(score), cells_limit=CELL_ROWS
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
    return bars(
        [Length(label=label, value=time_s, kind=kind, note=duration(time_s)) for label, time_s, kind in times]
    )


def _cells(score: Score) -> list[CellVerdict]:
    """Return the cells that say something, those with the largest share first, at most a table full."""
    reached = [cell for cell in score.cells if cell.verdict is not Verdict.UNREACHED]
    return sorted(reached, key=lambda cell: -(finite(cell.share) or 0.0))[:CELL_ROWS]
