"""Machine-readable documents: one function a command, shaped as docs/formats.md and the shipped schemas say.

A percentage ("total", "score_kept", …) is 0..100, as `--fail-under` takes it; every other ratio is 0..1.
A number that is not finite is written as null where the schema allows null, and refused elsewhere.
"""

import json
import math
from collections.abc import Iterable, Sequence

from abs_audit.analyses.audit.model import AuditReport, Density
from abs_audit.analyses.redundancy.model import Redundancy
from abs_audit.analyses.score.model import Score
from abs_audit.analyses.selection.model import Selection
from abs_audit.analyses.sensitivity.model import Sensitivity
from abs_audit.analyses.stability.model import BenchmarkSpread, Stability
from abs_audit.model.stub import StubOutcome
from abs_audit.model.subject import Discovery, Subject
from abs_audit.model.trace import TraceResult
from abs_audit.model.verdict import CellVerdict, Verdict

Document = dict[str, object]

BUCKETS = ("0-0.05", "0.05-0.1", "0.1-0.25", "0.25-0.5", ">0.5")


def dumps(document: Document) -> str:
    """Return the document as text that any JSON parser and any terminal survives.

    Everything beyond ASCII is escaped, so that names with control or direction characters stay inert.

    Raises:
        ValueError: a number that must be finite is not; that is a bug of an analysis.
    """
    return json.dumps(document, indent=2, allow_nan=False, ensure_ascii=True)


def listing(subject: Subject, discovery: Discovery, duration_s: float | None) -> Document:
    """Return the document of `list`: the benchmarks and how long one execution of them takes."""
    return _document("list") | {
        "subject": _subject(subject),
        "benchmarks": [
            {"id": benchmark.id, "parameters": dict(benchmark.parameters)}
            for benchmark in discovery.benchmarks
        ],
        "count": len(discovery.benchmarks),
        "duration_s": finite(duration_s),
        "broken": [{"id": broken.id, "reason": broken.reason} for broken in discovery.broken],
    }


def trace(result: TraceResult) -> Document:
    """Return the document of `trace`, which is also a methods file."""
    return _document("trace") | {
        "caller": result.caller,
        "methods": [
            {
                "method": ranked.method,
                "calls": ranked.calls,
                "projects": ranked.projects,
                "by_project": dict(ranked.by_project),
            }
            for ranked in result.methods
        ],
        "downstreams": [
            {
                "name": downstream.name,
                "commit": downstream.commit,
                "tests_passed": downstream.tests_passed,
                "tests_failed": downstream.tests_failed,
                "calls": downstream.calls,
            }
            for downstream in result.downstreams
        ],
        "warnings": list(result.warnings),
    }


def stability(result: Stability, violins: Sequence[Density] = ()) -> Document:
    """Return the document of `stability`; `violins` adds the curves to draw."""
    return _document("stability") | {
        "runs": result.runs,
        "benchmarks": [_spread(spread) for spread in result.benchmarks],
        "buckets": dict(zip(BUCKETS, result.buckets, strict=True)),
        "slowdown": finite(result.slowdown),
        "violins": [
            {
                "id": violin.name,
                "positions": finite_all(violin.positions),
                "heights": finite_all(violin.heights),
            }
            for violin in violins
        ],
        "warnings": list(result.warnings),
    }


def score(result: Score) -> Document:
    """Return the document of `score`; methods without a verdict stay in every denominator."""
    return _document("score") | {
        "protocol": result.protocol,
        "slowdown": result.slowdown,
        "runs": result.runs,
        "score": _totals(result),
        "methods": [
            {
                "method": method.method,
                "verdict": method.verdict.value,
                "cause": method.cause.value,
                "reason": method.reason,
                "detected_by": list(method.detected_by),
                "best_share": finite(method.best_share),
            }
            for method in result.methods
        ],
        "cells": [_cell(cell) for cell in result.cells],
        "skipped": [{"method": skipped.method, "reason": skipped.reason} for skipped in result.skipped],
        "false_alarms": {"cells": result.false_alarms.cells, "alarms": result.false_alarms.alarms},
        "cost": {
            "wall_s": result.cost.wall_s,
            "benchmark_s": result.cost.benchmark_s,
            "build_s": result.cost.build_s,
            "paper_protocol_s": finite(result.cost.paper_protocol_s),
        },
        "warnings": list(result.warnings),
    }


def sensitivity(result: Sensitivity) -> Document:
    """Return the document of `sensitivity`; null: no benchmark can notice any slowdown."""
    return _document("sensitivity") | {
        "threshold": result.threshold,
        "methods": [
            {
                "method": method.method,
                "smallest_noticed": finite(method.smallest_noticed),
                "benchmark": method.benchmark,
                "confirmed": method.confirmed,
                "reason": method.reason,
            }
            for method in result.methods
        ],
        "warnings": list(result.warnings),
    }


def redundancy(result: Redundancy) -> Document:
    """Return the document of `redundancy`."""
    return _document("redundancy") | {
        "methods": [
            {"method": method.method, "benchmarks": list(method.benchmarks)} for method in result.methods
        ],
        "removable": list(result.removable),
        "histogram": list(result.histogram),
        "warnings": list(result.warnings),
    }


def selection(result: Selection, framework_filter: str) -> Document:
    """Return the document of `select`; `framework_filter` is what the suite's command line accepts."""
    return _document("select") | {
        "budget_s": result.budget_s,
        "chosen": list(result.chosen),
        "duration_s": result.duration_s,
        "score_kept": percent(result.score_kept),
        "score_full": percent(result.score_full),
        "score_greedy": percent(result.greedy_score),
        "lost": list(result.lost),
        "gap": result.gap,
        "optimal": result.optimal,
        "filter": framework_filter,
        "warnings": list(result.warnings),
    }


def stubs(outcomes: Sequence[StubOutcome]) -> Document:
    """Return the document of `stubs`."""
    return _document("stubs") | {
        "stubs": [
            {
                "method": outcome.method,
                "file": outcome.file,
                "compiles": outcome.compiles,
                "runs": outcome.runs,
                "detects": outcome.detects,
                "reason": outcome.reason,
            }
            for outcome in outcomes
        ]
    }


def audit(report: AuditReport) -> Document:
    """Return the document of `audit`: the documents of the single commands; null where not recorded."""
    return _document("audit") | {
        "version": report.version,
        "subject": report.subject and _subject(report.subject),
        "list": _listed(report),
        "trace": report.trace and trace(report.trace),
        "stability": report.stability and stability(report.stability, report.violins),
        "score": report.score and score(report.score),
        "sensitivity": report.sensitivity and sensitivity(report.sensitivity),
        "redundancy": report.redundancy and redundancy(report.redundancy),
        "select": report.selection and selection(report.selection, report.selection_filter),
        "stubs": None if report.stubs is None else stubs(report.stubs),
        "seed": report.seed,
        "environment": dict(report.environment),
        "costs": [{"stage": cost.stage, "wall_s": cost.wall_s} for cost in report.costs],
        "next": list(report.next_commands),
        "warnings": list(report.warnings),
    }


def percent(rate: float) -> float:
    """Return a rate of 0..1 as 0..100, without the dust of binary fractions."""
    return round(100 * rate, 6)


def finite(number: float | None) -> float | None:
    """Return the number; None for what JSON cannot write."""
    return number if number is not None and math.isfinite(number) else None


def finite_all(numbers: Iterable[float]) -> list[float | None]:
    """Return the numbers; None for each that JSON cannot write."""
    return [finite(number) for number in numbers]


def _document(command: str) -> Document:
    return {"schema": f"abs-audit/{command}/1"}


def _subject(subject: Subject) -> Document:
    return {
        "name": subject.name,
        "language": subject.language,
        "framework": subject.framework,
        "commit": subject.commit,
    }


def _listed(report: AuditReport) -> Document | None:
    if report.subject is None or report.discovery is None:
        return None
    return listing(report.subject, report.discovery, report.duration_s)


def _spread(spread: BenchmarkSpread) -> Document:
    return {
        "id": spread.benchmark,
        "max_spread": finite(spread.max_spread),
        "means": finite_all(spread.means),
        "rsd": finite(spread.rsd),
    }


def _totals(result: Score) -> Document:
    verdicts = [method.verdict for method in result.methods]
    return {
        "total": percent(result.total),
        "relative": percent(result.relative),
        "absolute": percent(result.absolute),
        "interval": [percent(bound) for bound in result.interval],
        "methods": len(verdicts),
        "detected": verdicts.count(Verdict.DETECTED),
        # Who reads three numbers must be able to add them up; the fourth says how many of the missed
        # are never called by any benchmark.
        "missed": verdicts.count(Verdict.MISSED) + verdicts.count(Verdict.UNREACHED),
        "unreached": verdicts.count(Verdict.UNREACHED),
        "no_verdict": verdicts.count(Verdict.NO_VERDICT),
    }


def _cell(cell: CellVerdict) -> Document:
    return {
        "method": cell.method,
        "benchmark": cell.benchmark,
        "verdict": cell.verdict.value,
        "cause": cell.cause.value,
        "reason": cell.reason,
        "share": finite(cell.share),
        "requested": finite(cell.requested),
        "realised": finite(cell.realised),
        "difference_mean": finite(cell.difference_mean),
        "difference_median": finite(cell.difference_median),
        "p_values": finite_all(cell.p_values),
        "repetitions": list(cell.repetitions),
    }
