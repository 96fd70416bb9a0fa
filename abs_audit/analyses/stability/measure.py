"""How stable is the suite? Measures the runs, or takes them from the session."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from abs_audit.analyses.stability import model as spread
from abs_audit.analyses.stability.model import Stability
from abs_audit.analyses.stop.rules.rule import StoppingRule
from abs_audit.experiment.calibration import IterationPlan, calibrate
from abs_audit.experiment.preparation import Prepared, Project, Runtime, prepare
from abs_audit.experiment.unslowed_runs import RunPlan, SuiteRuns, suite_runs
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
    iteration_plans: Mapping[str, IterationPlan] = field(default_factory=dict)
    """Benchmark → what such an iteration of it is."""


ADAPTER = TypeAdapter(StabilityRecord)
KIND = "stability"


def recorded(project: Project, runtime: Runtime) -> StabilityRecord | None:
    """Return what the session knows of this very subject, or None."""
    return runtime.session.load(project.digest, KIND, ADAPTER)


def measure(
    project: Project, runtime: Runtime, runs: int, rule: StoppingRule | None = None
) -> StabilityRecord:
    """Execute the unprobed suite `runs` times, or until a rule has enough, and keep the result."""
    with prepare(project, runtime, ()) as prepared:
        record = _measure(prepared, RunPlan(runs=runs, seed=project.settings.seed, rule=rule))
    runtime.session.store(project.digest, KIND, ADAPTER, record)
    return record


def _measure(prepared: Prepared, plan: RunPlan) -> StabilityRecord:
    settings = prepared.project.settings
    calibration = calibrate(prepared.harness, prepared.benchmarks, settings.iteration_s)
    found, ended = suite_runs(prepared.harness, calibration, prepared.benchmarks, plan)
    result = spread.stability(found.values)
    return StabilityRecord(
        discovery=prepared.discovery,
        runs=found,
        result=result,
        ended=ended,
        iteration_s=settings.iteration_s,
        iteration_plans=calibration.iteration_plans,
    )


def known_or_measured(
    project: Project, runtime: Runtime, rule: StoppingRule | None = None
) -> StabilityRecord:
    """Return the recorded stability, measuring it first where there is none."""
    return recorded(project, runtime) or measure(project, runtime, MOST_RUNS if rule else RUNS, rule)
