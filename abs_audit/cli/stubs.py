"""`stubs`: a benchmark for each method that none watches."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from abs_audit.analyses.stubs import measure as stubbing
from abs_audit.cli import options
from abs_audit.cli.context import Common, open_context, print_documents
from abs_audit.cli.method_selection import recorded_score
from abs_audit.errors import ExitCode
from abs_audit.report import json, text


def stubs(
    subject: options.Subject = Path(),
    write: Annotated[
        Path | None, typer.Option("--write", help="Folder to write the files to.", metavar="DIR")
    ] = None,
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
    """Propose benchmarks for uncovered methods; each is run and must detect its own injection."""
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
        results = []
        for project in context.projects:
            scored = recorded_score(project, context.runtime)
            results.append(stubbing.measure(project, context.runtime, scored, write))
            if not as_json:
                text.show(text.stubs(results[-1]), sys.stdout)
        if as_json:
            print_documents([json.stubs(result) for result in results])
    return ExitCode.DONE
