"""`redundancy`: which benchmarks watch what others watch too?"""

import sys
from pathlib import Path

from abs_audit.cli import options
from abs_audit.cli.choice import recorded_score
from abs_audit.cli.desk import Common, desk, print_documents
from abs_audit.errors import ExitCode
from abs_audit.experiment import selecting, stability
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
    with desk(common) as open_desk:
        results = []
        for project in open_desk.projects:
            scored = recorded_score(project, open_desk.apparatus)
            stable = stability.known_or_measured(project, open_desk.apparatus)
            results.append(selecting.redundant(project, open_desk.apparatus, scored, stable))
            if not as_json:
                text.show(text.redundancy(results[-1]), sys.stdout)
        if as_json:
            print_documents([json.redundancy(result) for result in results])
    return ExitCode.DONE
