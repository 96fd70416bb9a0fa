"""`trace`: which API methods do downstream projects call?"""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from abs_audit.analyses.trace import measure as tracing
from abs_audit.cli import options
from abs_audit.cli.context import Common, open_context, print_documents
from abs_audit.errors import ExitCode, UsageError
from abs_audit.model.trace import Ranking
from abs_audit.report import json, text

METHODS = Path("methods.json")


class Caller(StrEnum):
    """Whose calls count."""

    DIRECT = "direct"
    ANY = "any"


def trace(
    subject: options.Subject = Path(),
    downstream: options.Downstream = None,
    top: Annotated[int | None, typer.Option("--top", min=1, help="Methods to keep.", metavar="N")] = None,
    caller: Annotated[
        Caller, typer.Option("--caller", help="any: the counting of the paper.")
    ] = Caller.DIRECT,
    output: Annotated[
        Path, typer.Option("--output", help="Methods file to write.", metavar="FILE")
    ] = METHODS,
    session: options.SessionFile = options.SESSION,
    config: options.ConfigFile = None,
    as_json: options.Json = False,
    suite: options.Suite = None,
    interpreter: options.Interpreter = None,
    runner: options.Runner = None,
    image: options.Image = None,
    memory: options.Memory = None,
    cluster: options.Cluster = None,
    timeout: options.Timeout = None,
    quiet: options.Quiet = False,
    seed: options.Seed = None,
    verbose: options.Verbose = False,
) -> int:
    """Run the unit tests of downstream projects and rank the API methods that they call."""
    common = Common(
        subject=subject,
        session=session,
        config=config,
        quiet=quiet,
        verbose=verbose,
        options=options.keys(seed, suite, interpreter, None, timeout)
        | options.place(runner, image, memory, cluster)
        | {"top": top, "downstream": tuple(downstream) if downstream else None},
    )
    with open_context(common) as context:
        given = context.settings.downstream
        if not given:
            raise UsageError("which downstream projects? Give them with --downstream DIR_OR_GIT_URL")
        # Which suite measures the library is all the same to its users' tests.
        project = context.projects[0]
        ranking = Ranking(top=context.settings.top, caller=caller.value)
        result = tracing.measure(project, context.runtime, given, ranking).result
        document = json.trace(result)
        output.write_text(json.dumps(document) + "\n", encoding="utf-8")
        if as_json:
            print_documents([document])
        else:
            text.show(text.trace(result), sys.stdout)
            sys.stdout.write(f"\nWritten to {output}; next: abs-audit score --methods {output}\n")
    return ExitCode.DONE
