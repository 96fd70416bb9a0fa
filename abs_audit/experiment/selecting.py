"""Which benchmarks are redundant, and which fit a budget? Answered from the recorded score."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import TypeAdapter

from abs_audit.analysis import redundancy, selection
from abs_audit.analysis.redundancy import Redundancy
from abs_audit.analysis.selection import Candidates, Selection
from abs_audit.experiment.preparation import Apparatus, Project
from abs_audit.experiment.scoring import ScoreRecord
from abs_audit.experiment.stability import StabilityRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionRecord:
    """A subset and what to paste to execute it."""

    result: Selection
    filter: str


REDUNDANCY = TypeAdapter(Redundancy)
SELECTION = TypeAdapter(SelectionRecord)


def redundant(
    project: Project, apparatus: Apparatus, scored: ScoreRecord, stable: StabilityRecord
) -> Redundancy:
    """Return and record which benchmarks watch what others watch too."""
    score = scored.result
    result = redundancy.redundancy(scored.request.methods, score.cells, stable.runs.durations)
    apparatus.session.store(project.digest, "redundancy", REDUNDANCY, result)
    return result


def select(
    project: Project,
    apparatus: Apparatus,
    known: tuple[ScoreRecord, StabilityRecord],
    weights: Mapping[str, float],
    budget_s: float,
) -> SelectionRecord:
    """Return and record the subset that keeps most of the score within the budget."""
    scored, stable = known
    candidates = Candidates(
        methods=scored.request.methods,
        cells=scored.result.cells,
        durations=stable.runs.durations,
        weights=weights,
    )
    result = selection.select(candidates, budget_s)
    record = SelectionRecord(
        result=result, filter=project.framework.suite.filter(result.chosen) if result.chosen else ""
    )
    apparatus.session.store(project.digest, "selection", SELECTION, record)
    return record
