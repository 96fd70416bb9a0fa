"""Keeps of an audit's documents what the page needs: a few kilobytes a subject."""

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

CELL = ("method", "benchmark", "verdict", "cause", "share", "requested", "realised")
METHOD = ("method", "verdict", "cause", "best_share", "detected_by")
SELECTION = ("budget_s", "duration_s", "score_kept", "score_full", "gap", "optimal")
STUB = ("method", "compiles", "runs", "detects", "reason")


def digest(
    audit: Mapping[str, Any], trace: Mapping[str, Any] | None, taken: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the small result of a subject; what the audit did not come to is null."""
    score, stability, selection = audit["score"], audit["stability"], audit["select"]
    return {
        "version": audit["version"],
        "subject": audit["subject"],
        "environment": audit["environment"],
        "taken": [dict(audit) for audit in taken],
        "downstreams": trace and trace["downstreams"],
        "listed": audit["list"] and {key: audit["list"][key] for key in ("count", "duration_s")},
        "score": score and _score(score),
        "stability": stability
        and {
            "runs": stability["runs"],
            "buckets": stability["buckets"],
            "slowdown": stability["slowdown"],
            "spreads": {
                benchmark["id"]: rounded(benchmark["max_spread"]) for benchmark in stability["benchmarks"]
            },
        },
        "redundancy": audit["redundancy"]
        and {key: audit["redundancy"][key] for key in ("removable", "histogram")},
        "select": selection and _picked(selection, SELECTION) | {"chosen": len(selection["chosen"])},
        "stubs": audit["stubs"]
        and [_picked(stub, STUB) for stub in audit["stubs"]["stubs"] if stub["finished"]],
        "warnings": list(
            dict.fromkeys(
                warning
                for part in (trace, score, stability, audit)
                for warning in (part.get("warnings", ()) if part else ())
            )
        ),
    }


def _score(score: Mapping[str, Any]) -> dict[str, Any]:
    """Return a score without cells that were not measured: most of them, and they say nothing one by one."""
    cells = score["cells"]
    return {
        "slowdown": score["slowdown"],
        "totals": score["score"],
        "methods": [_picked(method, METHOD) for method in score["methods"]],
        "benchmarks": len({cell["benchmark"] for cell in cells}),
        "verdicts": dict(Counter(cell["verdict"] for cell in cells)),
        "cells": [_picked(cell, CELL) for cell in cells if not _negligible(cell)],
        "skipped": score["skipped"],
        "false_alarms": score["false_alarms"],
        "cost": score["cost"],
    }


def _negligible(cell: Mapping[str, Any]) -> bool:
    return "unreached" in cell["verdict"] or "share-too-small" in cell["cause"]


def fidelity(cells: Sequence[Mapping[str, Any]]) -> tuple[float, int] | None:
    """Return the median of realised ÷ requested and the cells behind it; None where none was slowed."""
    ratios = [
        cell["realised"] / cell["requested"] for cell in cells if cell["realised"] and cell["requested"]
    ]
    return (statistics.median(ratios), len(ratios)) if ratios else None


def _picked(row: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    return {key: rounded(row[key]) for key in keys}


def rounded(value: Any) -> Any:
    """Return a number with the digits that a page can use; anything else as it is."""
    return float(f"{value:.4g}") if isinstance(value, float) else value
