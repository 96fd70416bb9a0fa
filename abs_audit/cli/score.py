"""`score`: which methods could become slower unnoticed?"""

import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from abs_audit.analyses.score import measure as scoring
from abs_audit.analyses.score.measure import Request
from abs_audit.analyses.score.model import Score
from abs_audit.cli import options
from abs_audit.cli.context import Common, open_context, print_documents
from abs_audit.cli.method_selection import methods_to_audit
from abs_audit.errors import ExitCode, UsageError
from abs_audit.model.explanation import Cause
from abs_audit.model.verdict import Verdict
from abs_audit.report import json, text


class Protocol(StrEnum):
    """How cells are settled."""

    SWITCHED = "switched"
    PAPER = "paper"


class Goal(StrEnum):
    """How many cells are settled."""

    SCORE = "score"
    ALL = "all"


ProtocolOption = Annotated[Protocol, typer.Option("--protocol", help="How cells are settled.")]
GoalOption = Annotated[Goal, typer.Option("--goal", help="score: stop at the first that notices.")]


def read_slowdown(given: str) -> float | None:
    """Return the slowdown of `--slowdown`; None for `auto`."""
    if given == "auto":
        return None
    try:
        slowdown = float(given)
    except ValueError as error:
        raise UsageError(f"--slowdown {given}: expected `auto` or a number such as 0.5 for 50 %") from error
    if not 0 < slowdown < float("inf"):
        raise UsageError(f"--slowdown {given}: expected a number above 0, such as 0.5 for 50 %")
    return slowdown


def score(
    subject: options.Subject = Path(),
    methods: options.Methods = None,
    slowdown: options.Slowdown = "auto",
    protocol: ProtocolOption = Protocol.SWITCHED,
    goal: GoalOption = Goal.ALL,
    stop: options.Stop = None,
    fail_under: options.FailUnder = None,
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
    """Slow down each method in turn and report which of them some benchmark notices."""
    given = options.keys(seed, suite, interpreter, cpus, timeout)
    given |= options.place(runner, image, memory, cluster) | {"slowdown": read_slowdown(slowdown)}
    common = Common(
        subject=subject, session=session, config=config, quiet=quiet, verbose=verbose, options=given
    )
    with open_context(common) as context:
        results = []
        for project in context.projects:
            chosen = methods_to_audit(project, context.runtime, methods)
            request = Request(
                methods=chosen.ids,
                source=str(methods or "trace"),
                slowdown=context.settings.slowdown,
                protocol=protocol.value,
                settle_all=goal is Goal.ALL,
                stop=stop.value if stop else None,
            )
            results.append(scoring.measure(project, context.runtime, request).result)
            if not as_json:
                text.show(text.score(results[-1]), sys.stdout)
        if as_json:
            print_documents([json.score(result) for result in results])
    return worst(exit_code(result, fail_under) for result in results)


def worst(codes: Iterable[ExitCode]) -> ExitCode:
    """Return one code for several suites: a failed gate wins over an incomplete score."""
    return min((code for code in codes if code is not ExitCode.DONE), default=ExitCode.DONE)


def exit_code(result: Score, fail_under: float | None) -> ExitCode:
    """Return what the caller must know: the gate first, then cells without a verdict."""
    if fail_under is not None and 100 * result.total < fail_under:
        return ExitCode.GATE_FAILED
    open_cells = any(
        cell.verdict is Verdict.NO_VERDICT and cell.cause is not Cause.ANOTHER_BENCHMARK_NOTICES
        for cell in result.cells
    )
    open_methods = any(method.verdict is Verdict.NO_VERDICT for method in result.methods)
    return ExitCode.INCOMPLETE if open_cells or open_methods else ExitCode.DONE
