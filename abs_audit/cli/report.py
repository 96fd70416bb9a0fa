"""`report`: renders a session again, without executing anything of the subject."""

import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from abs_audit.cli import options
from abs_audit.cli.command import command
from abs_audit.cli.context import open_context, print_documents, remark, say
from abs_audit.cli.declaring import Declared, declared
from abs_audit.cli.options import Common, Reading
from abs_audit.errors import ExitCode, UsageError
from abs_audit.quantities import member

if TYPE_CHECKING:
    from abs_audit.analyses.audit.model import AuditReport
    from abs_audit.experiment.preparation import Project


class Format(StrEnum):
    """What to render."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    JUNIT = "junit"
    SARIF = "sarif"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """What a session is rendered as."""

    page: Path | None = options.page_file()
    shape: Format = declared(
        Declared(flags="--format", kind=member(Format), help="For standard output."), Format.TEXT
    )


@command()
def report(asked: ReportOptions, reading: Reading, common: Common) -> int:
    """Render what is recorded of the subject as it stands."""
    from abs_audit.analyses.audit.measure import gather

    if not common.session.exists():
        raise UsageError(f"{common.session}: no such session; measure one with: abs-audit audit")
    with open_context(common, reading) as context:
        reports = [gather(project, context.runtime) for project in context.projects]
        if all(each.stability is None and each.trace is None for each in reports):
            raise UsageError(
                f"{common.session}: nothing is recorded of {context.projects[0].subject.name} as it stands "
                "now; its sources may have changed since; measure it with: abs-audit audit"
            )
        for each in reports:
            remark(common, f"{common.session}: {each.subject.framework if each.subject else ''}")
        _print(reports, context.projects[0], asked, common)
    return ExitCode.DONE


def _print(reports: "list[AuditReport]", project: "Project", asked: ReportOptions, common: Common) -> None:
    from abs_audit.cli.pages import write_pages
    from abs_audit.report import json, text

    pages = write_pages(asked.page, reports) if asked.page is not None else []
    if common.as_json or asked.shape is Format.JSON:
        print_documents([json.audit(each) for each in reports])
    elif asked.shape is not Format.TEXT:
        if len(reports) > 1:
            raise UsageError(f"--format {asked.shape.value} holds one suite: choose it with --suite NAME")
        sys.stdout.write(_for_others(project, reports[0], asked.shape))
    elif pages:
        sys.stdout.writelines(f"{page.resolve()}\n" for page in pages)
    else:
        for each in reports:
            say(text.audit(each), only_first_line=common.quiet)


def _for_others(project: "Project", recorded: "AuditReport", shape: Format) -> str:
    """Return what a code review, a CI service or a code scanner reads of one suite's score."""
    from abs_audit.report.exports.junit import junit
    from abs_audit.report.exports.markdown import markdown
    from abs_audit.report.exports.sarif import sarif

    name = f"{project.subject.name} ({project.subject.framework})"
    if recorded.score is None:
        raise UsageError(f"--format {shape.value} is made from a score; make one with: abs-audit score")
    if shape is Format.MARKDOWN:
        return markdown(recorded.score)
    if shape is Format.JUNIT:
        return junit(recorded.score, name)
    methods = project.language.injector.api_methods(project.sources()).methods
    return sarif(recorded.score, {method.id: method for method in methods}, recorded.version)
