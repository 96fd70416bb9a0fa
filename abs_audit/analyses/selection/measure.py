"""Which benchmarks are redundant, and which fit a budget? Answered from the recorded score."""

from collections.abc import Mapping
from dataclasses import dataclass

from abs_audit.analyses.redundancy import model as redundancy
from abs_audit.analyses.redundancy.model import Redundancy
from abs_audit.analyses.score.record import ScoreRecord
from abs_audit.analyses.selection import model as selection
from abs_audit.analyses.selection.model import Candidates, Selection
from abs_audit.analyses.stability import measure as stability
from abs_audit.analyses.stability.measure import UnslowedRecord
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.session import ResultKind
from abs_audit.model.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionRecord:
    """A subset and what to paste to execute it."""

    result: Selection
    filter: str


REDUNDANCY = ResultKind("redundancy", Redundancy)
SELECTION = ResultKind("selection", SelectionRecord)


def _unslowed(project: Project, runtime: Runtime, scored: ScoreRecord) -> UnslowedRecord:
    """Return what the benchmarks take that notice something: no others are chosen or compared.

    The score has executed them unslowed already; of one that has to be executed as a whole, its other parts
    are executed, too, since it takes as long as all of them.
    """
    cells = scored.result.cells
    names = dict.fromkeys(cell.benchmark for cell in cells.listed if cell.verdict is Verdict.DETECTED)
    wholes = stability.of_benchmarks(project, runtime, tuple(names), {}).wholes
    heads = tuple(f"{whole}/" for whole in wholes)
    parts = dict.fromkeys(name for name in sorted(cells.benchmarks) if name.startswith(heads))
    return stability.of_benchmarks(project, runtime, tuple(names | parts), {})


def redundant(project: Project, runtime: Runtime, scored: ScoreRecord) -> Redundancy:
    """Return and record which benchmarks watch what others watch too."""
    durations = _unslowed(project, runtime, scored).durations
    result = redundancy.redundancy(scored.request.methods, scored.result.cells, durations)
    runtime.session.store(project.digest, REDUNDANCY, result)
    return result


def choose(
    project: Project, runtime: Runtime, scored: ScoreRecord, weights: Mapping[str, float], budget_s: float
) -> None:
    """Record the subset, and what is redundant where every cell is settled, as that needs them all."""
    if scored.is_complete:
        redundant(project, runtime, scored)
    select(project, runtime, scored, weights, budget_s)


def select(
    project: Project, runtime: Runtime, scored: ScoreRecord, weights: Mapping[str, float], budget_s: float
) -> SelectionRecord:
    """Return and record the subset that keeps most of the score within the budget.

    `weights`: method → importance; a method without counts as the least of them.
    """
    unslowed = _unslowed(project, runtime, scored)
    candidates = Candidates(
        methods=scored.request.methods,
        cells=scored.result.cells,
        durations=unslowed.durations,
        weights=weights,
        wholes=unslowed.wholes,
        undecided=frozenset(scored.result.undecided),
        unsteady={
            spread.benchmark: spread.max_spread
            for spread in unslowed.spreads
            if spread.max_spread is not None and spread.max_spread > scored.result.slowdown / 2
        },
    )
    result = selection.select(candidates, budget_s)
    record = SelectionRecord(
        result=result, filter=project.framework.suite.filter(result.chosen) if result.chosen else ""
    )
    runtime.session.store(project.digest, SELECTION, record)
    return record
