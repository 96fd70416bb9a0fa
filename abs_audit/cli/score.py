"""`score`: which methods could become slower unnoticed?"""

import contextlib
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from abs_audit.cli import options
from abs_audit.cli.command import command
from abs_audit.cli.context import each_suite, open_context
from abs_audit.cli.declaring import option, setting
from abs_audit.cli.options import Budget, Choosing, Common, Measuring, MethodChoice
from abs_audit.errors import ExitCode, UsageError
from abs_audit.quantities import PATH, SHARD, choice

if TYPE_CHECKING:
    from abs_audit.analyses.score.model import Score
    from abs_audit.experiment.projects import Project
    from abs_audit.model.accepted import AcceptList


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions(MethodChoice):
    """What is asked of a score."""

    slowdown: float | str | None = options.slowdown()
    protocol: str = option("How cells are settled.", choice("switched", "paper"), "switched", asks=True)
    goal: str = option("score: stop at the first that notices.", choice("score", "all"), "all", asks=True)
    stop: str | None = options.stopping_rule()
    fail_under: float | None = options.fail_under()
    fail_if_worse_than: Path | None = option(
        "Exit 1 where a method that was detected in that session is not now.", PATH, metavar="SESSION"
    )
    since: str | None = option(
        "Measure only what changed since that commit; the rest comes from the newest score.",
        metavar="REF",
        asks=True,
    )
    shard: str | None = setting(
        "Only this part of the benchmarks, such as 1/3; abs-audit merge joins them.", SHARD
    )


@command(records=True)
def score(
    asked: ScoreOptions, measuring: Measuring, choosing: Choosing, budget: Budget, common: Common
) -> int:
    """Slow down each method in turn and report which of them some benchmark notices."""
    from abs_audit.analyses.score import document, further, record, since, text
    from abs_audit.cli.method_selection import methods_of

    with open_context(common, measuring, choosing, asked, budget) as context:
        chosen = {it.subject.framework: methods_of(it, context.runtime, asked) for it in context.projects}
        settings = context.settings
        if settings.shard and settings.slowdown is None:
            raise UsageError(
                "--shard: name a slowdown, for each part would derive another one from its own noise: "
                "--slowdown 0.5"
            )

        def measured(project: "Project") -> "Score":
            request = record.Request(
                methods=chosen[project.subject.framework].ids,
                source=chosen[project.subject.framework].source,
                slowdown=settings.slowdown,
                protocol=asked.protocol,
                settle_all=asked.goal == "all",
                stop=asked.stop,
                shard=settings.shard,
            )
            if asked.since is None:
                return further.measure_missing(project, context.runtime, request).result
            return since.measure_since(project, context.runtime, request, asked.since).result

        frameworks = [project.subject.framework for project in context.projects]
        earlier = scores_before("--fail-if-worse-than", asked.fail_if_worse_than, frameworks)
        results = each_suite(context, measured, text.summary, document.ScoreDocument.read)
    gates = [worse_than(result, earlier[suite], context.accepting) for suite, result in results.items()]
    return worst([*(exit_code(result, asked.fail_under) for result in results.values()), *gates])


def scores_before(option: str, path: Path | None, frameworks: Sequence[str]) -> "dict[str, Score | None]":
    """Return framework → score in an earlier session; raise UsageError where it holds none of one."""
    from abs_audit.analyses.score.record import newest
    from abs_audit.experiment.session import Session

    if path is None:
        return dict.fromkeys(frameworks)
    if not path.is_file():
        raise UsageError(f"{option} {path}: no such session; give one that holds a score")
    with contextlib.closing(Session(path)) as session:
        records = newest(session)
    for framework in frameworks:
        if framework not in records:
            raise UsageError(f"{path}: no score of a {framework} suite is recorded there")
    return {framework: records[framework].result for framework in frameworks}


def worse_than(result: "Score", before: "Score | None", accepting: "AcceptList") -> ExitCode:
    """Return whether the gate holds; say which methods were detected before and are not now."""
    from abs_audit.analyses.score import against

    lost = against.lost(result, before) if before is not None else ()
    accepted = {entry.id: f"; accepted: {entry.reason}" for entry in accepting.of(lost)}
    for method in lost:
        sys.stderr.write(
            f"abs-audit: {method} was detected before and is not now{accepted.get(method, '')}\n"
        )
    return ExitCode.GATE_FAILED if len(accepted) < len(lost) else ExitCode.DONE


def worst(codes: Iterable[ExitCode]) -> ExitCode:
    """Return one code for several suites: a failed gate wins over an incomplete score."""
    return min((code for code in codes if code is not ExitCode.DONE), default=ExitCode.DONE)


def exit_code(result: "Score", fail_under: float | None) -> ExitCode:
    """Return what the caller must know: the gate first, then cells without a verdict."""
    from abs_audit.analyses.score.model import open_cells

    if fail_under is not None and 100 * result.total < fail_under:
        return ExitCode.GATE_FAILED
    return ExitCode.INCOMPLETE if open_cells(result) or result.undecided else ExitCode.DONE
