"""`stability`: how steady is each benchmark, and which slowdown stands out from the noise?"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from abs_audit.analyses.stability import measure as measurements
from abs_audit.analyses.stability.curves import violins
from abs_audit.analyses.stop.rules.catalogue import stopping_rule
from abs_audit.cli import options
from abs_audit.cli.context import Common, open_context, print_documents
from abs_audit.errors import ExitCode
from abs_audit.report import json, text


def stability(
    subject: options.Subject = Path(),
    runs: Annotated[
        int | None,
        typer.Option("--runs", min=1, help="Separate runs of the suite: 5, or at most 30 with --stop."),
    ] = None,
    stop: options.Stop = None,
    session: options.SessionFile = options.SESSION,
    config: options.ConfigFile = None,
    as_json: options.Json = False,
    seed: options.Seed = None,
    suite: options.Suite = None,
    interpreter: options.Interpreter = None,
    runner: options.Runner = None,
    image: options.Image = None,
    memory: options.Memory = None,
    cluster: options.Cluster = None,
    cpus: options.Cpus = None,
    timeout: options.Timeout = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> int:
    """Run the suite several times and report maxSpread, its buckets, and δ."""
    common = Common(
        subject=subject,
        session=session,
        config=config,
        quiet=quiet,
        verbose=verbose,
        options=options.keys(seed, suite, interpreter, cpus, timeout)
        | options.place(runner, image, memory, cluster),
    )
    with open_context(common) as context:
        documents = []
        for project in context.projects:
            rule = stopping_rule(stop.value) if stop else None
            most = runs or (measurements.MOST_RUNS if rule else measurements.RUNS)
            record = measurements.measure(project, context.runtime, most, rule)
            documents.append(json.stability(record.result, violins(record.runs)) | {"ended": record.ended})
            if not as_json:
                text.show(text.stability(record.result), sys.stdout)
                sys.stdout.write(f"{record.ended}\n" if record.ended else "")
        if as_json:
            print_documents(documents)
    return ExitCode.DONE
