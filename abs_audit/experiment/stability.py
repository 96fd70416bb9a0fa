"""How stable is the suite? Measures the runs, or takes them from the session."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from abs_audit.analysis import spread
from abs_audit.analysis.spread import Stability
from abs_audit.analysis.stopping.rule import StoppingRule
from abs_audit.experiment.calibration import Pace, calibrate
from abs_audit.experiment.preparation import Apparatus, Prepared, Project, prepare
from abs_audit.experiment.runs import RunPlan, SuiteRuns, suite_runs
from abs_audit.model.subject import Discovery

RUNS = 5
MOST_RUNS = 30
"""Where a stopping rule decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StabilityRecord:
    """What a stability command leaves in the session."""

    discovery: Discovery
    runs: SuiteRuns
    result: Stability
    ended: str = ""
    """Why the runs ended, where a stopping rule decided."""
    iteration_s: float = 0.0
    """Wanted duration of an iteration, in seconds."""
    paces: Mapping[str, Pace] = field(default_factory=dict)
    """Benchmark → what such an iteration of it is."""


ADAPTER = TypeAdapter(StabilityRecord)
KIND = "stability"


def recorded(project: Project, apparatus: Apparatus) -> StabilityRecord | None:
    """Return what the session knows of this very subject, or None."""
    return apparatus.session.load(project.digest, KIND, ADAPTER)


def measure(
    project: Project, apparatus: Apparatus, runs: int, rule: StoppingRule | None = None
) -> StabilityRecord:
    """Execute the unprobed suite `runs` times, or until a rule has enough, and keep the result."""
    with prepare(project, apparatus, ()) as prepared:
        record = _measure(prepared, RunPlan(runs=runs, seed=project.settings.seed, rule=rule))
    apparatus.session.store(project.digest, KIND, ADAPTER, record)
    return record


def _measure(prepared: Prepared, plan: RunPlan) -> StabilityRecord:
    settings = prepared.project.settings
    calibration = calibrate(prepared.lab, prepared.benchmarks, settings.iteration_s)
    found, ended = suite_runs(prepared.lab, calibration, prepared.benchmarks, plan)
    result = spread.stability(found.values)
    return StabilityRecord(
        discovery=prepared.discovery,
        runs=found,
        result=result,
        ended=ended,
        iteration_s=settings.iteration_s,
        paces=calibration.paces,
    )


def known_or_measured(
    project: Project, apparatus: Apparatus, rule: StoppingRule | None = None
) -> StabilityRecord:
    """Return the recorded stability, measuring it first where there is none."""
    return recorded(project, apparatus) or measure(project, apparatus, MOST_RUNS if rule else RUNS, rule)
