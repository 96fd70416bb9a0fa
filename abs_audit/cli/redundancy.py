"""`redundancy`: which benchmarks watch what others watch too?"""

import sys
from pathlib import Path

from abs_audit.analyses.selection import measure as selecting
from abs_audit.analyses.stability import measure as stability
from abs_audit.cli import options
from abs_audit.cli.context import Common, open_context, print_documents
from abs_audit.cli.method_selection import recorded_score
from abs_audit.errors import ExitCode
from abs_audit.report import json, text


def redundancy(
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
    """Report how many benchmarks notice each method, and which could go without loss."""
    common = Common(
        subject=subject,
        session=session,
        config=config,
        quiet=quiet,
        verbose=verbose,
        options=options.keys(seed, suite, interpreter, None, None) | options.place(runner, image, memory),
    )
    with open_context(common) as context:
        results = []
        for project in context.projects:
            scored = recorded_score(project, context.runtime)
            stable = stability.known_or_measured(project, context.runtime)
            results.append(selecting.redundant(project, context.runtime, scored, stable))
            if not as_json:
                text.show(text.redundancy(results[-1]), sys.stdout)
        if as_json:
            print_documents([json.redundancy(result) for result in results])
    return ExitCode.DONE
