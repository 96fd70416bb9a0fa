"""Which methods does a benchmark call that runs without probes only?

It is counted in a plain copy, by what the language itself tells of calls: what it does not call is unreached.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from abs_audit.experiment.reach import Reach
from abs_audit.model.explanation import Cause, Explanation, TrialEnded
from abs_audit.model.verdict import CellVerdict, Verdict


def broken_by_probes(cells: Iterable[CellVerdict]) -> tuple[str, ...]:
    """Return the benchmarks that run without probes only."""
    return tuple(dict.fromkeys(cell.benchmark for cell in cells if _is_broken(cell)))


def without_calls(cells: Iterable[CellVerdict], reached: Mapping[str, Reach]) -> tuple[CellVerdict, ...]:
    """Return the cells; those of a broken benchmark that does not call their method are unreached."""
    return tuple(_unreached(cell, reached) if _is_broken(cell) else cell for cell in cells)


def _is_broken(cell: CellVerdict) -> bool:
    return cell.cause is Cause.CHANGED_BY_PROBE and isinstance(cell.explanation.details, TrialEnded)


def _unreached(cell: CellVerdict, reached: Mapping[str, Reach]) -> CellVerdict:
    counted = reached.get(cell.benchmark)
    if counted is None or counted.failure is not None or cell.method in {*counted.calls, *counted.elsewhere}:
        return cell
    return replace(
        cell, verdict=Verdict.UNREACHED, explanation=Explanation(cause=counted.unreached(cell.method))
    )
