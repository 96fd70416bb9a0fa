"""Which methods does a benchmark call that runs without probes only?

It is counted in a plain copy, by what the language itself tells of calls: what it does not call is unreached.
"""

from collections.abc import Mapping
from dataclasses import replace

from abs_audit.experiment.reach import Reach
from abs_audit.model.cells import Cells
from abs_audit.model.explanation import Cause, Explanation, TrialEnded
from abs_audit.model.verdict import CellVerdict, Verdict


def broken_by_probes(cells: Cells) -> tuple[str, ...]:
    """Return the benchmarks that run without probes only."""
    amounts = cells.of_benchmarks().items()
    return tuple(name for name, amount in amounts if any(_is_broken(part.cell) for part in amount))


def without_calls(cells: Cells, reached: Mapping[str, Reach]) -> Cells:
    """Return the cells; those of a broken benchmark that does not call their method are unreached."""
    broken = cells.within(benchmarks=reached)
    return cells.overridden(_unreached(cell, reached) for cell in broken if _is_broken(cell))


def _is_broken(cell: CellVerdict) -> bool:
    return cell.cause is Cause.CHANGED_BY_PROBE and isinstance(cell.explanation.details, TrialEnded)


def _unreached(cell: CellVerdict, reached: Mapping[str, Reach]) -> CellVerdict:
    counted = reached.get(cell.benchmark)
    if counted is None or counted.failure is not None or cell.method in {*counted.calls, *counted.elsewhere}:
        return cell
    return replace(
        cell, verdict=Verdict.UNREACHED, explanation=Explanation(cause=counted.unreached(cell.method))
    )
