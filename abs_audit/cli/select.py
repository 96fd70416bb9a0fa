"""`select`: which benchmarks should CI execute under a time budget?"""

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from abs_audit.analyses.selection import measure as selecting
from abs_audit.analyses.stability import measure as stability
from abs_audit.cli import options
from abs_audit.cli.context import Common, open_context, print_documents
from abs_audit.cli.method_selection import recorded_score, traced_weights
from abs_audit.errors import ExitCode, UsageError
from abs_audit.report import json, text

UNITS_S = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def read_budget(given: str) -> float:
    """Return the seconds of a budget such as 60s, 5m or 90."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|)\s*", given)
    if found is None:
        raise UsageError(f"--budget {given}: expected a time such as 60s, 5m or 1h")
    return float(found[1]) * UNITS_S[found[2]]


def select(
    budget: Annotated[str, typer.Option("--budget", help="Such as 60s or 5m.", metavar="TIME")],
    subject: options.Subject = Path(),
    session: options.SessionFile = options.SESSION,
    config: options.ConfigFile = None,
    as_json: options.Json = False,
    suite: options.Suite = None,
    interpreter: options.Interpreter = None,
    runner: options.Runner = None,
    image: options.Image = None,
    memory: options.Memory = None,
    quiet: options.Quiet = False,
    seed: options.Seed = None,
    verbose: options.Verbose = False,
) -> int:
    """Choose the subset that keeps most of the score within the budget, and print what to paste."""
    budget_s = read_budget(budget)
    common = Common(
        subject=subject,
        session=session,
        config=config,
        quiet=quiet,
        verbose=verbose,
        options=options.keys(seed, suite, interpreter, None, None) | options.place(runner, image, memory),
    )
    with open_context(common) as context:
        records = []
        for project in context.projects:
            scored = recorded_score(project, context.runtime)
            stable = stability.known_or_measured(project, context.runtime)
            weights = traced_weights(project, context.runtime)
            records.append(selecting.select(project, context.runtime, (scored, stable), weights, budget_s))
            if not as_json:
                text.show(text.selection(records[-1].result, records[-1].filter), sys.stdout)
        if as_json:
            print_documents([json.selection(record.result, record.filter) for record in records])
    return ExitCode.DONE
