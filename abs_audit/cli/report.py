"""`report`: renders a session again, without executing anything of the subject."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from abs_audit.cli import options
from abs_audit.cli.desk import Common, desk, print_documents
from abs_audit.cli.summary import gather
from abs_audit.errors import ExitCode, UsageError
from abs_audit.report import html, json, text


class Format(StrEnum):
    """What to render."""

    TEXT = "text"
    JSON = "json"


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
    with desk(common) as open_desk:
        reports = [gather(project, open_desk.apparatus) for project in open_desk.projects]
        if all(one.stability is None and one.trace is None for one in reports):
            raise UsageError(
                f"{session}: nothing is recorded of {open_desk.projects[0].subject.name} as it stands now; "
                "its sources may have changed since; measure it with: abs-audit audit"
            )
        for one in reports:
            if page is not None:
                page.write_text(html.render(one), encoding="utf-8")
            elif not as_json and shape is Format.TEXT:
                text.show(text.audit(one), sys.stdout)
        if as_json or shape is Format.JSON:
            print_documents([json.audit(one) for one in reports])
        if page is not None and not as_json:
            sys.stdout.write(f"{page.resolve()}\n")
    return ExitCode.DONE
