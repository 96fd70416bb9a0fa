"""`rootcause`: which commit made a benchmark slower, and where?"""

import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from abs_audit.analyses.rootcause.commits.investigation import MOST_REGRESSIONS
from abs_audit.analyses.rootcause.commits.rules import MidpointRule, PaperRule, Rule
from abs_audit.analyses.rootcause.document import root_cause as document
from abs_audit.analyses.rootcause.measure import measure
from abs_audit.analyses.rootcause.measuring.case import Case, overlay
from abs_audit.analyses.rootcause.page import root_cause as webpage
from abs_audit.analyses.rootcause.text import root_cause as summary
from abs_audit.cli import options
from abs_audit.cli.context import CommandContext, Common, open_context, print_documents
from abs_audit.errors import ExitCode, UsageError
from abs_audit.execution.commits import Period, period
from abs_audit.experiment.preparation import Project
from abs_audit.report.text.page import show


class RuleName(StrEnum):
    """How a commit is judged."""

    DEFAULT = "default"
    PAPER = "paper"


RULES: dict[RuleName, Callable[..., Rule]] = {RuleName.DEFAULT: MidpointRule, RuleName.PAPER: PaperRule}


Good = Annotated[str, typer.Option("--good", help="A commit where it was fast.", metavar="REV")]
Bad = Annotated[str, typer.Option("--bad", help="A later commit where it is slow.", metavar="REV")]
BenchmarkId = Annotated[str, typer.Option("--benchmark", help="Its id, as `list` prints it.", metavar="ID")]
RuleOption = Annotated[RuleName, typer.Option("--rule", help="paper: ANOVA against the last good commit.")]
Improvement = Annotated[
    bool, typer.Option("--improvement", help="Search what made it faster: --bad is the fast one.")
]
Most = Annotated[int, typer.Option("--most", min=1, help="Regressions of the period to find.", metavar="N")]
Overlaid = Annotated[
    list[str] | None,
    typer.Option("--overlay", help="Lay this file or folder over every commit; repeat it.", metavar="PATH"),
]


def rootcause(
    good: Good,
    bad: Bad,
    benchmark: BenchmarkId,
    subject: options.Subject = Path(),
    rule: RuleOption = RuleName.DEFAULT,
    improvement: Improvement = False,
    most: Most = MOST_REGRESSIONS,
    overlaid: Overlaid = None,
    page: options.Page = None,
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
    """Bisect the commits between a good and a bad one, and find the method that became slower."""
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
        project = _one(context)
        revisions = period(project.subject.root, good, bad)
        judge = RULES[rule](improvement=improvement)
        result = measure(_case(context, revisions, (benchmark, judge, most, overlaid or ())))
    if page is not None:
        page.write_text(webpage(result), encoding="utf-8")
    if as_json:
        print_documents([document(result)])
    else:
        show(summary(result), sys.stdout)
    return ExitCode.DONE if result.cause is not None else ExitCode.INCOMPLETE


def _case(context: CommandContext, revisions: Period, asked: tuple[str, Rule, int, Sequence[str]]) -> Case:
    benchmark, rule, most, overlaid = asked
    project = _one(context)
    return Case(
        project=project,
        runtime=context.runtime,
        period=revisions,
        benchmark=benchmark,
        rule=rule,
        most=most,
        overlay=overlay(project, overlaid),
    )


def _one(context: CommandContext) -> Project:
    """Return the only suite; a benchmark id says nothing about the suite it belongs to."""
    if len(context.projects) > 1:
        names = ", ".join(project.framework.suite.name for project in context.projects)
        raise UsageError(f"the checkout holds several suites: say which one with --suite (one of {names})")
    return context.projects[0]
