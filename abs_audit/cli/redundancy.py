"""`redundancy`: which benchmarks watch what others watch too?"""

from abs_audit.cli.command import command
from abs_audit.cli.context import each_suite, open_context
from abs_audit.cli.options import Choosing, Common, Measuring


@command(records=True)
def redundancy(measuring: Measuring, choosing: Choosing, common: Common) -> None:
    """Report how many benchmarks notice each method, and which could go without loss."""
    from abs_audit.analyses.redundancy import document, text
    from abs_audit.analyses.selection import measure as selecting
    from abs_audit.cli.method_selection import recorded_score

    with open_context(common, measuring, choosing) as context:
        runtime = context.runtime
        each_suite(
            context,
            lambda project: selecting.redundant(project, runtime, recorded_score(project, runtime)),
            text.summary,
            document.RedundancyDocument.of,
        )
