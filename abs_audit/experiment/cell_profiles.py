"""What is known of the cells before any mutant is measured: iteration plan, reach and shares."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from abs_audit.errors import ControlFailedError
from abs_audit.experiment.calibration import Calibration
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.probe_effect import PlainShare
from abs_audit.experiment.profile import Share, UnknownShare
from abs_audit.experiment.reach import Reach, reach
from abs_audit.experiment.shares import measure_shares


@dataclass(frozen=True, slots=True, kw_only=True)
class CellProfiles:
    """The cells, as far as they are known without a mutant."""

    calibration: Calibration
    reach: Mapping[str, Reach]
    shares: Mapping[tuple[str, str], Share]
    """(method, benchmark) → share; reached cells only."""
    unknown: Mapping[tuple[str, str], UnknownShare]
    doubtful: Mapping[tuple[str, str], PlainShare] = field(default_factory=dict)
    """Cells whose share in the benchmark as it is cannot be told from that in the probed one."""
    works_plain: frozenset[str] = frozenset()
    """Benchmarks that ran without probes: where one fails now, the probes are what broke it."""


def profile_cells(
    harness: Harness, calibration: Calibration, methods: Sequence[str], seed: int
) -> CellProfiles:
    """Measure reach and shares of every cell of the benchmarks that have an iteration plan."""
    found = {one.benchmark: one for one in reach(harness, calibration, methods)}
    reached = [
        (one, calibration.iteration_plans[name])
        for name, one in found.items()
        if one.calls and one.failure is None
    ]
    shares, unknown = measure_shares(harness, reached, seed)
    return CellProfiles(
        calibration=calibration,
        reach=found,
        shares={(one.method, one.benchmark): one for one in shares},
        unknown={(one.method, one.benchmark): one for one in unknown},
    )


def require_control(profiles: CellProfiles) -> None:
    """Raise ControlFailedError where no benchmark of the unslowed suite runs at all."""
    if profiles.calibration.iteration_plans:
        return
    name, trial = next(iter(profiles.calibration.failed.items()), ("", None))
    why = f"{name}: {trial.reason}" if trial else "the suite names no benchmark"
    raise ControlFailedError(f"no benchmark of the unslowed suite runs; the first says: {why}")
