"""`sensitivity`: how slow must each method become before any benchmark notices?"""

from abs_audit.cli.command import command
from abs_audit.cli.context import each_suite, open_context
from abs_audit.cli.options import Budget, Choosing, Common, Measuring, RecordedMethods
from abs_audit.errors import ExitCode


@command(records=True)
def sensitivity(
    asked: RecordedMethods, measuring: Measuring, choosing: Choosing, budget: Budget, common: Common
) -> int:
    """Find the smallest slowdown of each scored method that the suite notices, and confirm it."""
    from abs_audit.analyses.sensitivity import document, text
    from abs_audit.analyses.sensitivity import measure as sensing
    from abs_audit.cli.method_selection import chosen_score

    with open_context(common, measuring, choosing, asked, budget) as context:
        results = each_suite(
            context,
            lambda project: sensing.measure(project, context.runtime, chosen_score(project, context.runtime)),
            text.summary,
            document.SensitivityDocument.of,
        )
    left = context.runtime.watch.ended or any(
        not method.known for result in results.values() for method in result.methods
    )
    return ExitCode.INCOMPLETE if left else ExitCode.DONE
