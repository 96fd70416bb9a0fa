"""`score`: which methods could become slower unnoticed?"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from abs_audit.cli import options
from abs_audit.cli.command import command
from abs_audit.cli.context import Rendering, each_suite, open_context
from abs_audit.cli.declaring import Declared, declared
from abs_audit.cli.options import Budget, Choosing, Common, Measuring, MethodChoice
from abs_audit.errors import ExitCode
from abs_audit.quantities import member

if TYPE_CHECKING:
    from abs_audit.analyses.score.model import Score


class Protocol(StrEnum):
    """How cells are settled."""

    SWITCHED = "switched"
    PAPER = "paper"


class Goal(StrEnum):
    """How many cells are settled."""

    SCORE = "score"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions(MethodChoice):
    """What is asked of a score."""

    slowdown: float | str | None = options.slowdown()
    protocol: Protocol = declared(
        Declared(flags="--protocol", kind=member(Protocol), help="How cells are settled."), Protocol.SWITCHED
    )
    goal: Goal = declared(
        Declared(flags="--goal", kind=member(Goal), help="score: stop at the first that notices."), Goal.ALL
    )
    stop: str | None = options.stopping_rule()
    fail_under: float | None = options.fail_under()


@command(records=True)
def score(
    asked: ScoreOptions, measuring: Measuring, choosing: Choosing, budget: Budget, common: Common
) -> int:
    """Slow down each method in turn and report which of them some benchmark notices."""
    from abs_audit.analyses.score import measure as scoring
    from abs_audit.analyses.score import text
    from abs_audit.analyses.score.document import ScoreDocument
    from abs_audit.cli.method_selection import methods_of_all

    with open_context(common, measuring, choosing, asked, budget) as context:
        chosen = methods_of_all(context, asked)
        settings = context.settings
        results = each_suite(
            context,
            common,
            lambda project: (
                scoring.measure(
                    project,
                    context.runtime,
                    scoring.Request(
                        methods=chosen[project.subject.framework].ids,
                        source=chosen[project.subject.framework].source,
                        slowdown=settings.slowdown,
                        protocol=asked.protocol.value,
                        settle_all=asked.goal is Goal.ALL,
                        stop=asked.stop,
                    ),
                ).result
            ),
            Rendering(text=text.summary, document=ScoreDocument.read),
        )
    return worst(exit_code(result, asked.fail_under) for result in results)


def worst(codes: Iterable[ExitCode]) -> ExitCode:
    """Return one code for several suites: a failed gate wins over an incomplete score."""
    return min((code for code in codes if code is not ExitCode.DONE), default=ExitCode.DONE)


def exit_code(result: "Score", fail_under: float | None) -> ExitCode:
    """Return what the caller must know: the gate first, then cells without a verdict."""
    from abs_audit.model.explanation import Cause
    from abs_audit.model.verdict import Verdict

    if fail_under is not None and 100 * result.total < fail_under:
        return ExitCode.GATE_FAILED
    open_cells = any(
        cell.verdict is Verdict.NO_VERDICT and cell.cause is not Cause.ANOTHER_BENCHMARK_NOTICES
        for cell in result.cells
    )
    open_methods = any(method.verdict is Verdict.NO_VERDICT for method in result.methods)
    return ExitCode.INCOMPLETE if open_cells or open_methods else ExitCode.DONE
