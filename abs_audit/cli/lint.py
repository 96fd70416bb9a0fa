"""`lint`: which benchmarks hold known mistakes?"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from abs_audit.cli.command import command
from abs_audit.cli.context import CommandContext, each_suite, open_context
from abs_audit.cli.declaring import option, switch
from abs_audit.cli.options import Building, Common
from abs_audit.errors import ExitCode

if TYPE_CHECKING:
    from abs_audit.analyses.lint.model import LintResult, Rotten
    from abs_audit.experiment.projects import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class LintOptions:
    """What is looked for, and what becomes of it."""

    rot: str | None = option(
        "Execute the benchmarks at HEAD, and find the commits since REV that broke some.", metavar="REV"
    )
    fail: bool = switch("Exit 1 where there is a mistake that is not accepted, or rot.")


@command()
def lint(asked: LintOptions, building: Building, common: Common) -> int:
    """Find known mistakes in the sources of benchmarks; executes nothing but with --rot."""
    from abs_audit.analyses.lint import document, model, text

    with open_context(common, building) as context:

        def measure(project: "Project") -> "LintResult":
            mistakes = project.language.mistakes(project.sources())
            rotten = None if asked.rot is None else _rot(context, project, asked.rot)
            return model.judged(mistakes, rotten, context.accepting)

        # Suites of one language share their sources.
        languages = {project.language.name: project for project in context.projects}
        one_each = replace(context, projects=list(languages.values()))
        results = each_suite(one_each, measure, text.summary, document.LintDocument.of)
    wrong = any(
        result.lints or any(rotten.since for rotten in result.rot or ()) for result in results.values()
    )
    return ExitCode.GATE_FAILED if asked.fail and wrong else ExitCode.DONE


def _rot(context: CommandContext, project: "Project", revision: str) -> "tuple[Rotten, ...]":
    """Return what rotted in the suites of a project's language."""
    from abs_audit.analyses.lint.measure import rot

    suites = [suite for suite in context.projects if suite.language.name == project.language.name]
    return tuple(rotten for suite in suites for rotten in rot(suite, context.runtime, revision))
