"""`select`: which benchmarks should CI execute under a time budget?"""

from dataclasses import dataclass

from abs_audit.cli.command import command
from abs_audit.cli.context import each_suite, open_context
from abs_audit.cli.declaring import option
from abs_audit.cli.options import Choosing, Common, Measuring
from abs_audit.quantities import DURATION


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectOptions:
    """What is asked of a selection."""

    budget: float = option(
        "Such as 60s or 5m.",
        DURATION,
        required="which budget? Give the time that the subset may take with --budget, such as 60s or 5m",
    )


@command(records=True)
def select(asked: SelectOptions, measuring: Measuring, choosing: Choosing, common: Common) -> None:
    """Choose the subset that keeps most of the score within the budget, and print what to paste."""
    from abs_audit.analyses.selection import document, text
    from abs_audit.analyses.selection import measure as selecting
    from abs_audit.cli.method_selection import recorded_score, traced_weights

    with open_context(common, measuring, choosing) as context:
        runtime = context.runtime
        each_suite(
            context,
            lambda project: selecting.select(
                project,
                runtime,
                recorded_score(project, runtime),
                traced_weights(project, runtime),
                asked.budget,
            ),
            lambda record: text.summary(record.result, record.filter),
            lambda record: document.SelectDocument.of(record.result, filter=record.filter),
        )
