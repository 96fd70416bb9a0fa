"""`report`: renders a session again, without executing anything of the subject."""

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from abs_audit.advising import advised, giving
from abs_audit.cli import options
from abs_audit.cli.command import command
from abs_audit.cli.context import CommandContext, open_context, print_documents, remark, say
from abs_audit.cli.declaring import option
from abs_audit.cli.options import Common, Reading
from abs_audit.cli.pages import write_file, write_pages
from abs_audit.errors import UsageError
from abs_audit.quantities import PATH, choice
from abs_audit.report.exports.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from abs_audit.analyses.audit.model import AuditReport
    from abs_audit.experiment.projects import Project
    from abs_audit.model.subject import ApiMethod


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """What a session is rendered as."""

    html: Path | None = options.page_file()
    format: str = option("For standard output.", choice("text", "json", *FORMATS), "text")
    against: Path | None = option(
        "Earlier session: say which methods have another verdict there.", PATH, metavar="SESSION"
    )


@command()
def report(asked: ReportOptions, reading: Reading, common: Common) -> None:
    """Render what is recorded of the subject as it stands."""
    from abs_audit.analyses.audit.measure import gather
    from abs_audit.cli.score import scores_before

    if not common.session.exists():
        raise UsageError(f"{common.session}: no such session; measure one with: {advised('audit')}")
    with open_context(common, reading) as context:
        frameworks = [project.subject.framework for project in context.projects]
        earlier = scores_before("--against", asked.against, frameworks)
        reports = [
            replace(gather(project, context.runtime), before=earlier[project.subject.framework])
            for project in context.projects
        ]
        if all(each.score is None and each.stability is None and each.trace is None for each in reports):
            name = context.projects[0].subject.name
            nothing = f"nothing is recorded of {name} as it stands now; its sources may have changed since"
            if any(each.cost for each in reports):
                nothing = f"the time budget ended before anything was settled of {name}"
            raise UsageError(f"{common.session}: {nothing}; measure it with: {advised('audit')}")
        for each in reports:
            remark(common, f"{common.session}: {each.subject.framework if each.subject else ''}")
        given = [*_asked(context)]
        with giving(lambda command: given if command == "score" else ()):
            _print(reports, context, asked, common)


def _asked(context: CommandContext) -> "Iterator[tuple[str, ...]]":
    """Yield what the recorded score was asked with: another one goes on with it only so."""
    from abs_audit.analyses.score.record import recorded

    scored = recorded(context.projects[0], context.runtime)
    if scored is not None:
        slowdown, protocol = scored.request.slowdown, scored.request.protocol
        yield from [] if slowdown is None else [("--slowdown", f"{slowdown!r}")]
        yield from [] if protocol == "switched" else [("--protocol", protocol)]


def _print(
    reports: "list[AuditReport]", context: CommandContext, asked: ReportOptions, common: Common
) -> None:
    from abs_audit.analyses.audit import document, text

    pages = write_pages(asked.html, reports) if asked.html is not None else []
    if common.json or asked.format == "json":
        print_documents([document.AuditDocument.read(each) for each in reports])
    elif asked.format != "text":
        if len(reports) > 1:
            raise UsageError(f"--format {asked.format} holds one suite: choose it with --suite NAME")
        sys.stdout.write(_for_others(context, reports[0], asked.format))
    elif pages:
        sys.stdout.writelines(f"{page.resolve()}\n" for page in pages)
    else:
        for each in reports:
            say(text.summary(each), only_first_line=common.quiet)


def _places(project: "Project", recorded: "AuditReport") -> "Mapping[str, ApiMethod]":
    """Return where the scored methods stand; the whole API is read only for those that stand elsewhere."""
    assert recorded.score is not None
    settled = recorded.definitions.keys() | {method.method for method in recorded.score.skipped}
    if settled.issuperset(method.method for method in recorded.score.methods):
        return recorded.definitions
    return {method.id: method for method in project.language.injector.api_methods(project.sources()).methods}


def _for_others(context: CommandContext, recorded: "AuditReport", shape: str) -> str:
    """Return what a code review, a CI service or a code scanner reads of one suite's score."""
    from abs_audit.analyses.score.findings import findings
    from abs_audit.report.exports.formats import write

    project = context.projects[0]
    name = f"{project.subject.name} ({project.subject.framework})"
    if recorded.score is None:
        raise UsageError(f"--format {shape} is made from a score; make one with: {advised('score')}")
    reported = findings(recorded.score, _places(project, recorded), context.accepting, name, recorded.version)
    step_summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if shape == "github" and step_summary:
        summary = write("markdown", reported)
        write_file(f"GITHUB_STEP_SUMMARY={step_summary}", Path(step_summary), summary, "ab")
    return write(shape, reported)
