"""What is known of the cells before any mutant is measured: reach, iteration plan and shares."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from abs_audit.errors import ControlFailedError
from abs_audit.experiment.calibration import Calibration, Counted
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.reach import Reach
from abs_audit.experiment.share import Share
from abs_audit.model.explanation import ProbeEffect
from abs_audit.model.measurement import Status, Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class CellProfiles:
    """The cells, as far as they are known without a mutant."""

    reach: Mapping[str, Reach]
    calibration: Calibration
    """Of the benchmarks that call a method in their timed loops."""
    shares: Mapping[tuple[str, str], Share]
    """(method, benchmark) → share; reached cells only."""
    unknown: Mapping[tuple[str, str], Trial]
    """(method, benchmark) → a trial that kept its share from being measured."""
    doubtful: Mapping[tuple[str, str], ProbeEffect] = field(default_factory=dict)
    """Cells whose share in the benchmark as it is cannot be told from that in the probed one."""
    works_plain: frozenset[str] = frozenset()
    """Benchmarks that ran without probes: where one fails now, the probes are what broke it."""
    ended: bool = False
    """Whether a budget of time ended before all of it was known."""
    unlisted: Mapping[str, Trial] = field(default_factory=dict)
    """As in the plan."""
    may_call: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Benchmark → what it may call of the methods, where that is known before calls are counted."""

    def cannot_call(self, name: str, method: str) -> bool:
        """Tell whether a benchmark is known not to call a method though calls in it are not counted."""
        return name not in self.reach and method not in self.may_call.get(name, {method})

    def apart(self, name: str, methods: Iterable[str]) -> Set[str]:
        """Return the methods of which something else is known in a benchmark than of most others there."""
        failure, reached = self.failure_of(name), self.reach.get(name)
        if failure and failure.status is Status.OK:
            # Its tally is missing, which is told of each method.
            return frozenset(methods)
        return reached.met if reached else frozenset()

    def may_still_call(self, name: str) -> frozenset[str] | None:
        """Return what a benchmark may call that is not counted yet; None: it is, or that is not known."""
        waits = name not in self.reach and self.failure_of(name) is None
        return self.may_call.get(name) if waits else None

    @property
    def is_cut(self) -> bool:
        """Tell whether shares of a benchmark are missing whose iterations are known."""
        judged = self.shares.keys() | self.unknown.keys()
        return any(
            (method, name) not in judged
            for name in self.calibration.iteration_plans.keys() & self.reach.keys()
            for method in self.reach[name].calls
        )

    @property
    def counted(self) -> Counted:
        """What few and many invocations of benchmarks took in which calls were told by them."""
        return {name: reached.counted for name, reached in self.reach.items() if reached.counted}

    @property
    def calling(self) -> list[str]:
        """Benchmarks that run and call a method in their timed loops."""
        failed = self.calibration.failed
        working = [reached for reached in self.reach.values() if not reached.failure]
        return [reached.benchmark for reached in working if reached.calls and reached.benchmark not in failed]

    @property
    def failed(self) -> dict[str, Trial]:
        """Benchmarks that do not run in the probed build, with the trial that shows it."""
        names = [*self.unlisted, *self.reach, *self.calibration.failed]
        return {name: failure for name in names if (failure := self.failure_of(name))}

    @property
    def broken(self) -> frozenset[str]:
        """Those that their suite does not skip, and that are not known to run without probes."""
        failed = {name for name, trial in self.failed.items() if trial.status is not Status.SKIPPED}
        return frozenset(failed) - self.works_plain

    def failure_of(self, name: str) -> Trial | None:
        """Return the trial that shows that a benchmark does not run in the probed build, or None."""
        reached = self.reach.get(name)
        counting = reached.failure if reached else None
        return self.calibration.failed.get(name) or counting or self.unlisted.get(name)


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
    """Benchmark → what executing it once takes in a new process, as far as it is known."""
    unlisted: Mapping[str, Trial] = field(default_factory=dict)
    """Benchmarks that the framework names but cannot load."""
    plain: frozenset[str] = frozenset()
    """Benchmarks whose unslowed runs are made already."""
    iterations: Mapping[str, IterationPlan] = field(default_factory=dict)
    """What iterations of the wanted duration are of benchmarks without probes, as far as that is known."""
    asked: Mapping[str, str] = field(default_factory=dict)
    """Benchmark → the only method that is asked of it; of others all are."""

    def in_question(self, counted: Reach) -> Reach:
        """Return what a benchmark calls without what is not asked of it."""
        only = self.asked.get(counted.benchmark)
        calls = {method: calls for method, calls in counted.calls.items() if only in {None, method}}
        return replace(counted, calls=calls)


def require_control(profiles: CellProfiles) -> None:
    """Raise ControlFailedError where no benchmark of the suite runs at all."""
    if profiles.ended or any(reached.failure is None for reached in profiles.reach.values()):
        return
    broken = {name: trial for name, trial in profiles.failed.items() if trial.status is not Status.SKIPPED}
    name, trial = next(iter((broken or profiles.failed).items()), ("", None))
    why = f"{name}: {trial.reason}" if trial else "the suite names no benchmark"
    raise ControlFailedError(f"no benchmark of the suite runs; the first says: {why}")
