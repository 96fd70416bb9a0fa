"""`audit`: the whole main job, from downstream projects to a page that answers."""

import contextlib
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from abs_audit.cli import options
from abs_audit.cli.command import command
from abs_audit.cli.context import CommandContext, billed, open_context, print_documents, say
from abs_audit.cli.declaring import Writes, option
from abs_audit.cli.options import Budget, Choosing, Common, Measuring, MethodChoice
from abs_audit.errors import ExitCode
from abs_audit.quantities import DURATION, PATH

if TYPE_CHECKING:
    from abs_audit.analyses.audit.model import AuditReport
    from abs_audit.analyses.score.record import Request, ScoreRecord
    from abs_audit.experiment.projects import Project
    from abs_audit.experiment.runtime import Runtime


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOptions(MethodChoice):
    """What is asked of an audit."""

    downstream: tuple[str, ...] | None = options.downstream()
    slowdown: float | str | None = options.slowdown()
    budget: float = option("Of the smoke subset.", DURATION, "60s", asks=True)
    html: Path = option("Page to write.", PATH, "abs-audit.html", writes=Writes.FILE)
    fail_under: float | None = options.fail_under()


@command(records=True)
def audit(
    asked: AuditOptions, measuring: Measuring, choosing: Choosing, budget: Budget, common: Common
) -> int:
    """Trace, score, find what is redundant, select, propose stubs, measure how much varies, and report."""
    from abs_audit.analyses.audit import text
    from abs_audit.analyses.audit.document import AuditDocument
    from abs_audit.cli.pages import write_pages
    from abs_audit.cli.score import exit_code, worst
    from abs_audit.experiment.watch import Phase

    with open_context(common, measuring, choosing, asked, budget) as context:
        watch = context.runtime.watch
        reports = [report for _, report in context.of_each(lambda project: _audit(context, project, asked))]
        with watch.phase(Phase.RENDER):
            pages = write_pages(asked.html, reports)
            documents = [AuditDocument.read(report) for report in reports] if common.json else []
        if common.json:
            print_documents([billed(document, watch.cost) for document in documents])
        else:
            for report, page in zip(reports, pages, strict=True):
                say(text.summary(report))
                sys.stdout.write(f"\nThe whole answer: {page.resolve()}\n")
    codes = [
        exit_code(report.score, asked.fail_under) if report.score else ExitCode.INCOMPLETE
        for report in reports
    ]
    return worst([*codes, ExitCode.INCOMPLETE] if watch.ended else codes)


def _audit(context: CommandContext, project: "Project", asked: AuditOptions) -> "AuditReport":
    """Make every stage of one suite; what is recorded already is not made again.

    Where a budget of time ends, what was answered by then is told; the same command goes on.
    """
    from abs_audit.analyses.audit.measure import finish
    from abs_audit.analyses.score import further
    from abs_audit.analyses.score.record import Request
    from abs_audit.analyses.selection import measure as selecting
    from abs_audit.analyses.sensitivity import measure as sensing
    from abs_audit.analyses.stability import measure as stability
    from abs_audit.analyses.trace import measure as tracing
    from abs_audit.cli.method_selection import methods_of, traced_weights
    from abs_audit.experiment.watch import BudgetEndedError
    from abs_audit.model.trace import Ranking

    runtime, settings = replace(context.runtime, audits=True), context.settings
    watch, scored = runtime.watch, None
    with contextlib.suppress(BudgetEndedError):
        if settings.downstream and asked.methods is None:
            tracing.measure(project, runtime, settings.downstream, Ranking(top=settings.top, caller="direct"))
        chosen = methods_of(project, runtime, asked)
        request = Request(
            methods=chosen.ids,
            source=chosen.source,
            slowdown=settings.slowdown,
            protocol="switched",
            settle_all=True,
        )
        weights = chosen.weights or traced_weights(project, runtime)
        scored, proposed = _score(project, runtime, request)
        if scored.unsettled:
            # Of what is known by now a subset is chosen in no time.
            selecting.select(project, runtime, scored, weights, asked.budget)
            raise BudgetEndedError
        selecting.choose(project, runtime, scored, weights, asked.budget)
        if proposed != scored.result.unwatched:
            _propose(project, runtime, scored)
        watch.begin("sensitivity")
        sensing.measure(project, runtime, scored)
        watch.begin("stability")
        if not scored.is_complete:
            # Executing all of a large suite several times, and its cells that change no verdict: either may
            # take longest.
            with watch.reserving(watch.remaining_s or 0.0), contextlib.suppress(BudgetEndedError):
                stability.known_or_measured(project, runtime)
            watch.again()
            scored = further.measure_missing(project, runtime, request, scored)
            if not scored.is_complete:
                raise BudgetEndedError
            selecting.choose(project, runtime, scored, weights, asked.budget)
        stability.known_or_measured(project, runtime)
    return finish(project, runtime, scored)


def _score(
    project: "Project", runtime: "Runtime", request: "Request"
) -> tuple["ScoreRecord", tuple[str, ...] | None]:
    """Return the score, and the methods that benchmarks were proposed for by then, None if none.

    Where every method has its verdict after two thirds of the budget, the other answers are worth more than
    further cells; where fewer methods wait for a verdict than for a benchmark, the proposals are.
    """
    from abs_audit.analyses.score import further

    watch = runtime.watch
    with watch.reserving(watch.remaining_s or 0.0):
        scored = further.measure_missing(project, runtime, request)
    proposed = None
    if 0 < scored.unsettled < len(scored.result.unwatched):
        proposed = _propose(project, runtime, scored)
    if scored.unsettled and watch.remaining_s:
        watch.again()
        scored = further.measure_missing(project, runtime, request, scored)
    return scored, proposed


def _propose(project: "Project", runtime: "Runtime", scored: "ScoreRecord") -> tuple[str, ...]:
    """Propose a benchmark for each method that none watches, and return those; a person may end it."""
    from abs_audit.analyses.stubs import measure as stubbing

    runtime.watch.begin("stubs")
    if stubbing.measure(project, runtime, scored).interrupted:
        raise KeyboardInterrupt
    return scored.result.unwatched
