"""The sections of the page on the score: its methods, and the map of its cells."""

from markupsafe import Markup

from abs_audit.analyses.score import advice
from abs_audit.analyses.score.cell_map import cell_map
from abs_audit.analyses.score.model import Score
from abs_audit.model.verdict import CellVerdict, Verdict
from abs_audit.report.html import frame
from abs_audit.report.html.bars import Bar, Length, bars
from abs_audit.report.wording import duration, finite

CELL_ROWS = 600
"""Longest table of cells, so that a page stays within 2 MB; the JSON document has all rows."""


def methods_section(score: Score) -> Markup:
    """Return the section of the methods, what needs a decision first."""
    return frame.part(
        "score/section.html.j2",
        score=score,
        methods=advice.by_attention(score.methods),
        next_command=advice.next_command,
        Verdict=Verdict,
    )


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
