"""`list`: which benchmarks are there?"""

import sys
from pathlib import Path

from abs_audit.analyses.stability import measure as stability
from abs_audit.cli import options
from abs_audit.cli.context import Common, open_context, print_documents
from abs_audit.errors import ExitCode
from abs_audit.experiment.preparation import prepare
from abs_audit.report import json, text


def list_benchmarks(
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
    """List the benchmarks of the suite, and how long one run of them takes where that is recorded."""
    common = Common(
        subject=subject,
        session=session,
        config=config,
        quiet=quiet,
        verbose=verbose,
        options=options.keys(seed, suite, interpreter, None, None) | options.place(runner, image, memory),
    )
    with open_context(common) as context:
        documents = []
        for project in context.projects:
            known = stability.recorded(project, context.runtime)
            duration_s = sum(known.runs.durations.values()) if known else None
            with prepare(project, context.runtime, ()) as prepared:
                discovery = prepared.discovery
            documents.append(json.listing(project.subject, discovery, duration_s))
            if not as_json:
                text.show(text.listing(discovery, duration_s), sys.stdout)
        if as_json:
            print_documents(documents)
    return ExitCode.DONE
