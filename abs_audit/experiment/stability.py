"""How stable is the suite? Measures the runs, or takes them from the session."""

from dataclasses import dataclass

from pydantic import TypeAdapter

from abs_audit.analysis import spread
from abs_audit.analysis.spread import Stability
from abs_audit.experiment.calibration import calibrate
from abs_audit.experiment.preparation import Apparatus, Prepared, Project, prepare
from abs_audit.experiment.runs import SuiteRuns, suite_runs
from abs_audit.model.subject import Discovery

RUNS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class StabilityRecord:
    """What a stability command leaves in the session."""

    discovery: Discovery
    runs: SuiteRuns
    result: Stability


ADAPTER = TypeAdapter(StabilityRecord)
KIND = "stability"


def recorded(project: Project, apparatus: Apparatus) -> StabilityRecord | None:
    """Return what the session knows of this very subject, or None."""
    return apparatus.session.load(project.digest, KIND, ADAPTER)


def measure(project: Project, apparatus: Apparatus, runs: int) -> StabilityRecord:
    """Execute the unprobed suite `runs` times and keep the result."""
    with prepare(project, apparatus, ()) as prepared:
        record = _measure(prepared, runs)
    apparatus.session.store(project.digest, KIND, ADAPTER, record)
    return record


def _measure(prepared: Prepared, runs: int) -> StabilityRecord:
    settings = prepared.project.settings
    calibration = calibrate(prepared.lab, prepared.benchmarks, settings.iteration_s)
    found = suite_runs(prepared.lab, calibration, prepared.benchmarks, runs, settings.seed)
    return StabilityRecord(discovery=prepared.discovery, runs=found, result=spread.stability(found.values))


def known_or_measured(project: Project, apparatus: Apparatus) -> StabilityRecord:
    """Return the recorded stability, measuring it first where there is none."""
    return recorded(project, apparatus) or measure(project, apparatus, RUNS)
