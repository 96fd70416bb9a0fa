"""`list`: which benchmarks are there?"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from abs_audit.cli.command import command
from abs_audit.cli.context import CommandContext, Rendering, each_suite, open_context
from abs_audit.cli.options import Building, Choosing, Common
from abs_audit.errors import ExitCode

if TYPE_CHECKING:
    from abs_audit.experiment.preparation import Project
    from abs_audit.model.subject import Discovery, Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The benchmarks of a suite."""

    subject: "Subject"
    discovery: "Discovery"
    duration_s: float | None
    """Of one run; None where that is not recorded."""


@command(records=True)
def list_benchmarks(building: Building, choosing: Choosing, common: Common) -> int:
    """List the benchmarks of the suite, and how long one run of them takes where that is recorded."""
    from abs_audit.report import json, text

    with open_context(common, building, choosing) as context:
        each_suite(
            context,
            common,
            lambda project: _listing(context, project),
            Rendering(
                text=lambda listing: text.listing(listing.discovery, listing.duration_s),
                document=lambda listing: json.listing(listing.subject, listing.discovery, listing.duration_s),
            ),
        )
    return ExitCode.DONE


def _listing(context: CommandContext, project: "Project") -> Listing:
    from abs_audit.analyses.stability import measure as stability
    from abs_audit.experiment.preparation import prepare

    recorded = stability.recorded(project, context.runtime)
    duration_s = sum(recorded.runs.durations.values()) if recorded else None
    with prepare(project, context.runtime, ()) as prepared:
        return Listing(subject=project.subject, discovery=prepared.discovery, duration_s=duration_s)
