"""The document of `rootcause`, shaped as docs/formats.md and the shipped schema say."""

from abs_audit.analyses.rootcause.calls.call_tree import Node
from abs_audit.analyses.rootcause.calls.suspicion import Suspect
from abs_audit.analyses.rootcause.model import FoundRegression, MeasuredCommit, RootCause
from abs_audit.report.json import Document


def root_cause(result: RootCause) -> Document:
    """Return the document of `rootcause`; `cause` is null where no single commit is to blame."""
    where = result.where
    return {
        "schema": "abs-audit/rootcause/1",
        "benchmark": result.benchmark,
        "rule": result.rule,
        "improvement": result.improvement,
        "good": result.good,
        "bad": result.bad,
        "candidates": result.candidates,
        "cause": result.cause,
        "confidence": result.confidence,
        "categories": {"medium_s": result.categories.medium_s, "slow_s": result.categories.slow_s},
        "measured": [_measured(one) for one in result.measured],
        "path": [
            {
                "commit": one.commit,
                "judgement": one.judgement.value,
                "candidates": one.candidates,
                "weight": one.weight,
            }
            for one in result.path
        ],
        "regressions": [_regression(one) for one in result.regressions],
        "compared": list(where.compared) if where else None,
        "lost_s": where.lost_s if where else None,
        "callers_recorded": where.recorded if where else None,
        "tree": [_node(one) for one in where.tree] if where else [],
        "changed_methods": [_suspect(one) for one in where.suspects] if where else [],
        "changed_elsewhere": list(where.elsewhere) if where else [],
        "commands": [{"command": one.command, "purpose": one.purpose} for one in result.hints],
        "warnings": list(result.warnings),
    }


def _measured(one: MeasuredCommit) -> Document:
    return {
        "commit": one.commit,
        "date": one.date,
        "title": one.title,
        "place": one.place,
        "runs": one.runs,
        "disturbed": one.disturbed,
        "sample_size": one.sample_size,
        "mean": one.mean_s,
        "level": one.level_s,
        "category": one.category.value if one.category else None,
        "judgement": one.judgement.value if one.judgement else None,
        "log_odds": one.log_odds,
        "reason": one.reason,
    }


def _regression(one: FoundRegression) -> Document:
    return {
        "from": one.start,
        "to": one.cause,
        "kind": one.kind.value,
        "suspects": list(one.suspects),
        "confirmed": one.confirmed,
        "levels": list(one.level_s),
    }


def _node(one: Node) -> Document:
    return {
        "method": one.method,
        "caller": one.caller,
        "level": one.level,
        "calls": list(one.calls),
        "times": list(one.time_s),
        "p": one.p,
        "change": one.change.value,
        "restructured": one.restructured,
        "entered": one.entered,
        "cause": one.cause,
    }


def _suspect(one: Suspect) -> Document:
    return {
        "method": one.changed.method,
        "change": one.changed.change.value,
        "file": one.changed.path,
        "line": one.changed.line,
        "suspicion": one.suspicion,
        "increase_s": one.increase_s,
        "reason": one.reason,
    }
