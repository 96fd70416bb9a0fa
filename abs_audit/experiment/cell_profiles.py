"""What is known of the cells before any mutant is measured: reach, iteration plan and shares."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from abs_audit.errors import ControlFailedError
from abs_audit.experiment.calibration import Calibration, calibrate
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.probe_effect import PlainShare
from abs_audit.experiment.profile import Share, UnknownShare
from abs_audit.experiment.reach import Reach, reach
from abs_audit.experiment.shares import measure_shares
from abs_audit.experiment.watch import BudgetEndedError, Phase
from abs_audit.model.measurement import Status, Trial

DEAR_PART = 0.02
"""Part of a budget that executing a benchmark once may take: dearer ones wait until others are counted."""
FOR_COUNTING = 0.5
"""Part of a budget that counting calls may take; benchmarks left then have no verdict."""
BeforeShares = Callable[[Mapping[str, Reach], Calibration], None]


def nothing_told(profiles: Mapping[str, Reach], calibration: Calibration) -> None:
    """Say nothing of what is ahead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellProfiles:
    """The cells, as far as they are known without a mutant."""

    reach: Mapping[str, Reach]
    calibration: Calibration
    """Of the benchmarks that call a method in their timed loops."""
    shares: Mapping[tuple[str, str], Share]
    """(method, benchmark) → share; reached cells only."""
    unknown: Mapping[tuple[str, str], UnknownShare]
    doubtful: Mapping[tuple[str, str], PlainShare] = field(default_factory=dict)
    """Cells whose share in the benchmark as it is cannot be told from that in the probed one."""
    works_plain: frozenset[str] = frozenset()
    """Benchmarks that ran without probes: where one fails now, the probes are what broke it."""
    ended: bool = False
    """Whether a budget of time ended before all of it was known."""
    unlisted: Mapping[str, Trial] = field(default_factory=dict)
    """Benchmarks that the framework names but cannot load."""

    @property
    def failed(self) -> dict[str, Trial]:
        """Benchmarks that do not run in the probed build, with the trial that shows it."""
        counting = {name: reached.failure for name, reached in self.reach.items() if reached.failure}
        return {**self.unlisted, **counting, **self.calibration.failed}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfilePlan:
    """What is to be known of which cells."""

    benchmarks: Sequence[str]
    methods: Sequence[str]
    target_s: float
    """Wanted duration of an iteration, in seconds."""
    seed: int
    everything: bool = False
    """True: benchmarks that call no method are calibrated, too."""
    durations_s: Mapping[str, float] = field(default_factory=dict)
    """Benchmark → what executing it once takes, as far as it is known."""
    before_shares: BeforeShares = nothing_told
    """Told what is known once calls are counted: from then on it takes long."""


def profile_cells(harness: Harness, plan: ProfilePlan) -> CellProfiles:
    """Count calls in every benchmark; calibrate those that call a method, and measure their shares."""
    profiles: dict[str, Reach] = {}
    try:
        with harness.watch.phase(Phase.REACH):
            for names in _portions(harness, plan):
                profiles |= {reached.benchmark: reached for reached in reach(harness, names, plan.methods)}
        with harness.watch.phase(Phase.SHARES):
            return _with_shares(harness, plan, profiles)
    except BudgetEndedError:
        nothing = Calibration(iteration_plans={}, failed={})
        return CellProfiles(reach=profiles, calibration=nothing, shares={}, unknown={}, ended=True)


def _portions(harness: Harness, plan: ProfilePlan) -> Iterator[Sequence[str]]:
    """Yield the benchmarks to count: under a budget dear ones last and one by one, while there is time."""
    budget_s = harness.watch.remaining_s
    if budget_s is None:
        yield plan.benchmarks
        return
    dear_s = {name: s for name, s in plan.durations_s.items() if s >= DEAR_PART * budget_s}
    yield [name for name in plan.benchmarks if name not in dear_s]
    for name in sorted(set(plan.benchmarks) & dear_s.keys(), key=lambda name: (dear_s[name], name)):
        if (harness.watch.remaining_s or 0.0) < (1 - FOR_COUNTING) * budget_s:
            return
        yield [name]


def _with_shares(harness: Harness, plan: ProfilePlan, profiles: Mapping[str, Reach]) -> CellProfiles:
    working = [reached for reached in profiles.values() if reached.failure is None]
    calling = [reached.benchmark for reached in working if plan.everything or reached.calls]
    calibration = calibrate(harness, calling, plan.target_s)
    plan.before_shares(profiles, calibration)
    plans = calibration.iteration_plans
    shares, unknown = measure_shares(
        harness,
        [(reached, plans[reached.benchmark]) for reached in working if reached.benchmark in plans],
        plan.seed,
    )
    asked = sum(len(profiles[name].calls) for name in plans)
    return CellProfiles(
        ended=len(shares) + len(unknown) < asked or len(profiles) < len(set(plan.benchmarks)),
        reach=profiles,
        calibration=calibration,
        shares={(share.method, share.benchmark): share for share in shares},
        unknown={(share.method, share.benchmark): share for share in unknown},
    )


def require_control(profiles: CellProfiles) -> None:
    """Raise ControlFailedError where no benchmark of the suite runs at all."""
    if profiles.ended or any(reached.failure is None for reached in profiles.reach.values()):
        return
    broken = {name: trial for name, trial in profiles.failed.items() if trial.status is not Status.SKIPPED}
    name, trial = next(iter((broken or profiles.failed).items()), ("", None))
    why = f"{name}: {trial.reason}" if trial else "the suite names no benchmark"
    raise ControlFailedError(f"no benchmark of the suite runs; the first says: {why}")
