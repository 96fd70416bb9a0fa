"""`rootcause`: which commit made a benchmark slower, and where?"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from abs_audit.cli import options
from abs_audit.cli.command import command
from abs_audit.cli.context import CommandContext, answer, open_context
from abs_audit.cli.declaring import option, switch
from abs_audit.cli.options import Common, Measuring
from abs_audit.errors import ExitCode, UsageError
from abs_audit.quantities import RUNS, choice

if TYPE_CHECKING:
    from abs_audit.analyses.rootcause.measuring.case import Case
    from abs_audit.experiment.projects import Project

MOST_REGRESSIONS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RootcauseOptions:
    """Between which commits the cause of what is sought, and how."""

    good: str = option(
        "A commit where it was fast.",
        metavar="REV",
        required="which commits? Give one where the benchmark was fast with --good REV",
    )
    bad: str = option(
        "A later commit where it is slow.",
        metavar="REV",
        required="which commits? Give a later one where the benchmark is slow with --bad REV",
    )
    benchmark: str = option(
        "Its id, as `list` prints it.",
        metavar="ID",
        required="which benchmark? Give its id with --benchmark ID; see them with: abs-audit list",
    )
    rule: str = option("paper: ANOVA against the last good commit.", choice("default", "paper"), "default")
    improvement: bool = switch("Search what made it faster: --bad is the fast one.")
    most: int = option("Regressions of the period to find.", RUNS, str(MOST_REGRESSIONS))
    overlay: tuple[str, ...] = option(
        "Lay this file or folder over every commit.", metavar="PATH", repeated=True
    )
    html: Path | None = options.page_file()


@command(records=True)
def rootcause(asked: RootcauseOptions, measuring: Measuring, common: Common) -> int:
    """Bisect the commits between a good and a bad one, and find the method that became slower."""
    from abs_audit.analyses.rootcause import document, page, text
    from abs_audit.analyses.rootcause.measure import measure
    from abs_audit.cli.pages import write_page

    with open_context(common, measuring) as context:
        result = measure(_case(context, asked))
    write_page(asked.html, lambda: page.render(result))
    answer(common, lambda: text.summary(result), lambda: document.RootCauseDocument.read(result))
    return ExitCode.DONE if result.cause is not None else ExitCode.INCOMPLETE


def _case(context: CommandContext, asked: RootcauseOptions) -> "Case":
    from abs_audit.analyses.rootcause.commits.rules import MidpointRule, PaperRule
    from abs_audit.analyses.rootcause.measuring.case import Case, overlay
    from abs_audit.execution.commits import period

    project = _only_suite(context)
    rule = PaperRule if asked.rule == "paper" else MidpointRule
    return Case(
        project=project,
        runtime=context.runtime,
        period=period(project.subject.root, asked.good, asked.bad),
        benchmark=asked.benchmark,
        rule=rule(improvement=asked.improvement),
        most=asked.most,
        overlay=overlay(project, asked.overlay),
    )


def _only_suite(context: CommandContext) -> "Project":
    """Return the only suite; a benchmark id says nothing about the suite it belongs to."""
    if len(context.projects) > 1:
        names = ", ".join(project.framework.suite.name for project in context.projects)
        raise UsageError(f"the checkout holds several suites: say which one with --suite (one of {names})")
    return context.projects[0]
