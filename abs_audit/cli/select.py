"""`select`: which benchmarks should CI execute under a time budget?"""

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from abs_audit.cli import options
from abs_audit.cli.choice import recorded_score, traced_weights
from abs_audit.cli.desk import Common, desk, print_documents
from abs_audit.errors import ExitCode, UsageError
from abs_audit.experiment import selecting, stability
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
    with desk(common) as open_desk:
        records = []
        for project in open_desk.projects:
            scored = recorded_score(project, open_desk.apparatus)
            stable = stability.known_or_measured(project, open_desk.apparatus)
            weights = traced_weights(project, open_desk.apparatus)
            records.append(
                selecting.select(project, open_desk.apparatus, (scored, stable), weights, budget_s)
            )
            if not as_json:
                text.show(text.selection(records[-1].result, records[-1].filter), sys.stdout)
        if as_json:
            print_documents([json.selection(record.result, record.filter) for record in records])
    return ExitCode.DONE
