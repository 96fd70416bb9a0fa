"""`stability`: how steady is each benchmark, and which slowdown stands out from the noise?"""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from abs_audit import quantities
from abs_audit.cli import options
from abs_audit.cli.command import command
from abs_audit.cli.context import each_suite, open_context
from abs_audit.cli.declaring import option
from abs_audit.cli.options import Choosing, Common, Measuring
from abs_audit.errors import ExitCode

if TYPE_CHECKING:
    from abs_audit.analyses.stability.measure import StabilityRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class StabilityOptions:
    """What is asked of a stability."""

    runs: int | None = option("Separate runs of the suite: 5, or at most 30 with --stop.", quantities.RUNS)
    stop: str | None = options.stopping_rule()


@command(records=True)
def stability(asked: StabilityOptions, measuring: Measuring, choosing: Choosing, common: Common) -> int:
    """Run the suite several times and report maxSpread, its buckets, and δ."""
    from abs_audit.analyses.stability import measure as measurements
    from abs_audit.analyses.stability import text
    from abs_audit.analyses.stability.document import StabilityDocument
    from abs_audit.analyses.stability.model import violins
    from abs_audit.analyses.stop.rules.catalogue import stopping_rule
    from abs_audit.experiment.unslowed_runs import RUNS

    rule = stopping_rule(asked.stop) if asked.stop else None
    most = asked.runs or (measurements.MOST_RUNS if rule else RUNS)
    with open_context(common, measuring, choosing) as context:
        records = each_suite(
            context,
            lambda project: measurements.measure(project, context.runtime, most, rule),
            lambda record: text.summary(record.result),
            lambda record: StabilityDocument.read(record.result, violins(record.runs.values), record.ended),
        )
    for record in records.values():
        if record.ended and not common.json:
            sys.stdout.write(f"{record.ended}\n")
    return ExitCode.DONE if all(map(_complete, records.values())) else ExitCode.INCOMPLETE


def _complete(record: "StabilityRecord") -> bool:
    """Tell whether every benchmark has a value."""
    valued = {spread.benchmark for spread in record.result.benchmarks if spread.means}
    listed = {benchmark.id for benchmark in record.discovery.benchmarks}
    return valued >= listed and not record.discovery.broken
