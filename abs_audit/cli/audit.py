"""`audit`: the whole main job, from downstream projects to a page that answers."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from abs_audit.analyses.audit.measure import gather
from abs_audit.analyses.audit.model import AuditReport
from abs_audit.analyses.score import measure as scoring
from abs_audit.analyses.score.measure import Request
from abs_audit.analyses.selection import measure as selecting
from abs_audit.analyses.sensitivity import measure as sensing
from abs_audit.analyses.stability import measure as stability
from abs_audit.analyses.stubs import measure as stubbing
from abs_audit.analyses.trace import measure as tracing
from abs_audit.cli import options
from abs_audit.cli.context import CommandContext, Common, open_context, print_documents
from abs_audit.cli.method_selection import methods_to_audit, traced_weights
from abs_audit.cli.score import Protocol, exit_code, read_slowdown, worst
from abs_audit.cli.select import read_budget
from abs_audit.errors import ExitCode
from abs_audit.experiment.preparation import Project
from abs_audit.model.trace import Ranking
from abs_audit.report import html, json, text


def audit(
    subject: options.Subject = Path(),
    downstream: options.Downstream = None,
    methods: options.Methods = None,
    slowdown: options.Slowdown = "auto",
    budget: Annotated[str, typer.Option("--budget", help="Of the smoke subset.", metavar="TIME")] = "60s",
    page: Annotated[Path, typer.Option("--html", help="Page to write.", metavar="FILE")] = Path(
        "abs-audit.html"
    ),
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
    """Trace, measure stability and score, find what is redundant, select, propose stubs, and report."""
    budget_s = read_budget(budget)
    common = Common(
        subject=subject,
        session=session,
        config=config,
        quiet=quiet,
        verbose=verbose,
        options=options.keys(seed, suite, interpreter, cpus, timeout)
        | options.place(runner, image, memory, cluster)
        | {
            "slowdown": read_slowdown(slowdown),
            "downstream": tuple(downstream) if downstream else None,
        },
    )
    with open_context(common) as context:
        reports = [_audit(context, project, methods, budget_s) for project in context.projects]
        for number, one in enumerate(reports):
            target = page if number == 0 else page.with_stem(f"{page.stem}-{number + 1}")
            target.write_text(html.render(one), encoding="utf-8")
            if not as_json:
                text.show(text.audit(one), sys.stdout)
                sys.stdout.write(f"\nThe whole answer: {target.resolve()}\n")
        if as_json:
            print_documents([json.audit(one) for one in reports])
    return worst(exit_code(one.score, fail_under) if one.score else ExitCode.INCOMPLETE for one in reports)


def _audit(context: CommandContext, project: Project, methods: Path | None, budget_s: float) -> AuditReport:
    """Make every stage of one suite; what is recorded already is not made again."""
    runtime, settings = context.runtime, context.settings
    if settings.downstream and methods is None:
        tracing.measure(project, runtime, settings.downstream, Ranking(top=settings.top, caller="direct"))
    chosen = methods_to_audit(project, runtime, methods)
    stable = stability.known_or_measured(project, runtime)
    request = Request(
        methods=chosen.ids,
        source=str(methods or "trace"),
        slowdown=settings.slowdown,
        protocol=Protocol.SWITCHED.value,
        settle_all=True,
    )
    scored = scoring.measure(project, runtime, request)
    sensing.measure(project, runtime, scored)
    selecting.redundant(project, runtime, scored, stable)
    weights = chosen.weights or traced_weights(project, runtime)
    selecting.select(project, runtime, (scored, stable), weights, budget_s)
    if project.framework.stubs is not None:
        stubbing.measure(project, runtime, scored, None)
    return gather(project, runtime)
