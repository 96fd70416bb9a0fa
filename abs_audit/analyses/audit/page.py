"""Composes the page: pictures and tables of a report, put into the templates beside this module."""

from abs_audit.analyses.audit.model import AuditReport
from abs_audit.analyses.score import advice
from abs_audit.analyses.score.cell_map import cell_map
from abs_audit.analyses.score.model import Score
from abs_audit.analyses.stability.model import BenchmarkSpread, Stability
from abs_audit.model.verdict import CellVerdict, Verdict
from abs_audit.report import headlines
from abs_audit.report.html import frame, pictures
from abs_audit.report.json import finite

TABLE_ROWS = 1000
CELL_ROWS = 600
"""Longest tables, so that a page stays within 2 MB; the JSON document has all rows."""
LIST_NAMES = 200
LONGEST_FILTER = 200_000


def render(report: AuditReport) -> str:
    """Return the page as text; equal reports give equal pages."""
    return frame.render(
        "page.html.j2",
        report=report,
        headlines=headlines,
        next_command=advice.next_command,
        Verdict=Verdict,
        **_pictures(report),
        **_tables(report),
    )


def _pictures(report: AuditReport) -> dict[str, object]:
    score, sensitivity = report.score, report.sensitivity
    return {
        "cell_map": score and cell_map(score),
        "cost_bars": pictures.costs(score) if score else (),
        "violins": pictures.violins(report),
        "density": pictures.spread_density(report),
        "bucket_bars": pictures.buckets(report.stability.buckets) if report.stability else (),
        "needed": sensitivity and pictures.needed_slowdowns(sensitivity, score.slowdown if score else None),
        "watched": pictures.histogram(report.redundancy.histogram) if report.redundancy else (),
    }


def _tables(report: AuditReport) -> dict[str, object]:
    return {
        "methods": advice.by_attention(report.score.methods) if report.score else [],
        "plan": advice.plan(report.score.methods, report.score.slowdown) if report.score else [],
        "cells": _cells(report.score) if report.score else [],
        "spreads": _spreads(report.stability) if report.stability else [],
        "filter": report.selection_filter if len(report.selection_filter) <= LONGEST_FILTER else "",
        "most_calls": max((ranked.calls for ranked in report.trace.methods), default=0)
        if report.trace
        else 0,
        "names_limit": LIST_NAMES,
        "cells_limit": CELL_ROWS,
    }


def _cells(score: Score) -> list[CellVerdict]:
    """Return the cells that say something, those with the largest share first, at most a table full."""
    reached = [cell for cell in score.cells if cell.verdict is not Verdict.UNREACHED]
    return sorted(reached, key=lambda cell: -(finite(cell.share) or 0.0))[:CELL_ROWS]


def _spreads(stability: Stability) -> list[BenchmarkSpread]:
    def worst_first(spread: BenchmarkSpread) -> float:
        return float("-inf") if spread.max_spread is None else -spread.max_spread

    return sorted(stability.benchmarks, key=worst_first)[:TABLE_ROWS]
