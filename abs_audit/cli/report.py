"""`report`: renders a session again, without executing anything of the subject."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from abs_audit.analyses.audit.measure import gather
from abs_audit.analyses.audit.model import AuditReport
from abs_audit.cli import options
from abs_audit.cli.context import Common, open_context, print_documents
from abs_audit.errors import ExitCode, UsageError
from abs_audit.experiment.preparation import Project
from abs_audit.report import html, json, text
from abs_audit.report.exports.junit import junit
from abs_audit.report.exports.markdown import markdown
from abs_audit.report.exports.sarif import sarif


class Format(StrEnum):
    """What to render."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    JUNIT = "junit"
    SARIF = "sarif"


def report(
    subject: options.Subject = Path(),
    page: Annotated[Path | None, typer.Option("--html", help="Page to write.", metavar="FILE")] = None,
    shape: Annotated[Format, typer.Option("--format", help="For standard output.")] = Format.TEXT,
    session: options.SessionFile = options.SESSION,
    config: options.ConfigFile = None,
    as_json: options.Json = False,
    suite: options.Suite = None,
    runner: options.Runner = None,
    image: options.Image = None,
    memory: options.Memory = None,
    seed: options.Seed = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> int:
    """Render what is recorded of the subject as it stands."""
    if not session.exists():
        raise UsageError(f"{session}: no such session; measure one with: abs-audit audit")
    common = Common(
        subject=subject,
        session=session,
        config=config,
        quiet=quiet,
        verbose=verbose,
        options={"suite": suite} | options.place(runner, image, memory),
    )
    with open_context(common) as context:
        reports = [gather(project, context.runtime) for project in context.projects]
        if all(one.stability is None and one.trace is None for one in reports):
            raise UsageError(
                f"{session}: nothing is recorded of {context.projects[0].subject.name} as it stands now; "
                "its sources may have changed since; measure it with: abs-audit audit"
            )
        for one in reports:
            if page is not None:
                page.write_text(html.render(one), encoding="utf-8")
            elif not as_json and shape is Format.TEXT:
                text.show(text.audit(one), sys.stdout)
        if as_json or shape is Format.JSON:
            print_documents([json.audit(one) for one in reports])
        elif shape is not Format.TEXT:
            if len(reports) > 1:
                raise UsageError(f"--format {shape.value} holds one suite: choose it with --suite NAME")
            sys.stdout.write(_for_others(context.projects[0], reports[0], shape))
        if page is not None and not as_json:
            sys.stdout.write(f"{page.resolve()}\n")
    return ExitCode.DONE


def _for_others(project: Project, known: AuditReport, shape: Format) -> str:
    """Return what a code review, a CI service or a code scanner reads of one suite's score."""
    name = f"{project.subject.name} ({project.subject.framework})"
    if known.score is None:
        raise UsageError(f"--format {shape.value} is made from a score; make one with: abs-audit score")
    if shape is Format.MARKDOWN:
        return markdown(known.score)
    if shape is Format.JUNIT:
        return junit(known.score, name)
    methods = project.language.injector.api_methods(project.sources()).methods
    return sarif(known.score, {one.id: one for one in methods}, known.version)
