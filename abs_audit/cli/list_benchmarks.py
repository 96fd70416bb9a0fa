"""`list`: which benchmarks are there?"""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from abs_audit.cli.command import command
from abs_audit.cli.context import CommandContext, each_suite, open_context
from abs_audit.cli.options import Building, Choosing, Common

if TYPE_CHECKING:
    from abs_audit.experiment.projects import Project
    from abs_audit.model.subject import Discovery


@command(records=True)
def list_benchmarks(building: Building, choosing: Choosing, common: Common) -> None:
    """List the benchmarks of the suite, and how long one run of them takes where that is recorded."""
    from abs_audit.analyses.list import document, text
    from abs_audit.report.text import show

    with open_context(common, building, choosing) as context:
        listings = each_suite(
            context,
            lambda project: (project.subject, _listing(context, project)),
            lambda listing: text.summary(listing[1]),
            lambda listing: document.ListDocument.read(*listing),
        )
    for _, discovery in listings.values():
        # Scripts read the lines of standard output as ids.
        unmeasurable = text.unmeasurable(discovery)
        if unmeasurable is not None and not common.quiet:
            show(unmeasurable, sys.stderr)


def _listing(context: CommandContext, project: "Project") -> "Discovery":
    """Return the benchmarks, with what one execution takes where that is recorded."""
    from abs_audit.analyses.stability import measure as stability
    from abs_audit.experiment import preparation

    recorded = stability.recorded(project, context.runtime)
    discovery = preparation.listing(project, context.runtime)
    # What a run showed is exact; a listing may have seen one execution.
    known_s = {**discovery.durations_s, **(recorded.runs.durations if recorded else {})}
    names = [benchmark.id for benchmark in discovery.benchmarks if benchmark.id in known_s]
    return replace(discovery, durations_s={name: known_s[name] for name in names})
