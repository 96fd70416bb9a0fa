"""`redundancy`: which benchmarks watch what others watch too?"""

from typing import TYPE_CHECKING

from abs_audit.cli.command import command
from abs_audit.cli.context import each_suite, open_context
from abs_audit.cli.options import Choosing, Common, Measuring

if TYPE_CHECKING:
    from abs_audit.analyses.redundancy.model import Redundancy
    from abs_audit.experiment.preparation import Project


@command(records=True)
def redundancy(measuring: Measuring, choosing: Choosing, common: Common) -> None:
    """Report how many benchmarks notice each method, and which could go without loss."""
    from abs_audit.analyses.redundancy import text
    from abs_audit.analyses.redundancy.document import RedundancyDocument
    from abs_audit.analyses.selection import measure as selecting
    from abs_audit.cli.method_selection import recorded_score

    with open_context(common, measuring, choosing) as context:

        def measure(project: "Project") -> "Redundancy":
            scored = recorded_score(project, context.runtime)
            runs = selecting.unslowed(project, context.runtime, scored)
            return selecting.redundant(project, context.runtime, scored, runs)

        each_suite(context, measure, text.summary, RedundancyDocument.of)
