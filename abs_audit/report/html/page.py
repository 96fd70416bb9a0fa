"""Composes the page: pictures and tables of a report, put into the templates beside this module."""

import base64
import hashlib
import math
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from abs_audit.analysis.score import Score
from abs_audit.analysis.spread import BenchmarkSpread, Stability
from abs_audit.model.verdict import CellVerdict, Verdict
from abs_audit.report import advice, headlines, wording
from abs_audit.report.audit import AuditReport
from abs_audit.report.html import pictures
from abs_audit.report.html.cell_map import cell_map
from abs_audit.report.names import brief_method, shortened, visible

TABLE_ROWS = 1000
CELL_ROWS = 600
"""Longest tables, so that a page stays within 2 MB; the JSON document has all rows."""
LIST_NAMES = 200
LONGEST_TEXT = 200
LONGEST_FILTER = 200_000


def render(report: AuditReport) -> str:
    """Return the page as text; equal reports give equal pages."""
    style, script = _asset("style.css"), _asset("page.js")
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            report=report,
            style=Markup(style),  # noqa: S704  # both are files of this package
            script=Markup(script),  # noqa: S704
            policy=_policy(style, script),
            headlines=headlines,
            **_pictures(report),
            **_tables(report),
        )
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
    return sorted(reached, key=lambda cell: -(_finite(cell.share) or 0.0))[:CELL_ROWS]


def _spreads(stability: Stability) -> list[BenchmarkSpread]:
    def worst_first(spread: BenchmarkSpread) -> float:
        return float("-inf") if spread.max_spread is None else -spread.max_spread

    return sorted(stability.benchmarks, key=worst_first)[:TABLE_ROWS]


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("abs_audit.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_inert,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "brief": brief_method,
        "finite": _finite,
        "count": wording.count,
        "duration": wording.duration,
        "measured": wording.time_per_invocation,
        "percent": wording.percent,
        "slower": wording.slower,
        "more": _more,
        "whole": lambda text: escape(visible(text)),
    }
    environment.globals |= {"why": advice.why, "next_command": advice.next_command, "Verdict": Verdict}
    return environment


def _inert(value: object) -> object:
    """Return what may be printed: every text of the audited project passes here, then autoescape."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(shortened(value, LONGEST_TEXT))
    return value


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def _more(names: Iterable[str], limit: int) -> tuple[list[str], int]:
    """Return the first names and how many are left out."""
    every = list(names)
    return every[:limit], max(0, len(every) - limit)


def _policy(style: str, script: str) -> str:
    """Return a content security policy under which nothing is fetched and only our own script runs."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _asset(name: str) -> str:
    return files("abs_audit.report.html").joinpath("templates", name).read_text(encoding="utf-8")
