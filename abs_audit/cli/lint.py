"""`lint`: which benchmarks hold known mistakes?"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from abs_audit.cli.command import command
from abs_audit.cli.context import Rendering, each_suite, open_context
from abs_audit.cli.declaring import switch
from abs_audit.cli.options import Common, Reading
from abs_audit.errors import ExitCode

if TYPE_CHECKING:
    from abs_audit.analyses.lint.model import LintResult
    from abs_audit.experiment.preparation import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class LintOptions:
    """What becomes of mistakes."""

    fail: bool = switch("--fail", "Exit 1 where there is a mistake that is not accepted.")


@command()
def lint(asked: LintOptions, reading: Reading, common: Common) -> int:
    """Find known mistakes in the sources of benchmarks; executes nothing."""
    from datetime import date

    from abs_audit.analyses.lint import text
    from abs_audit.analyses.lint.document import LintDocument
    from abs_audit.analyses.lint.model import Accepted, judged

    with open_context(common, reading) as context:
        entries = {
            entry.id: Accepted(id=entry.id, reason=entry.reason, until=entry.until)
            for entry in context.settings.accept
        }

        def measure(project: "Project") -> "LintResult":
            mistakes = project.language.lint(project.sources())
            return judged(mistakes, entries, date.today())

        # Suites of one language share their sources.
        languages = {project.language.name: project for project in context.projects}
        one_each = replace(context, projects=list(languages.values()))
        results = each_suite(
            one_each, common, measure, Rendering(text=text.summary, document=LintDocument.read)
        )
    return ExitCode.GATE_FAILED if asked.fail and any(result.lints for result in results) else ExitCode.DONE
