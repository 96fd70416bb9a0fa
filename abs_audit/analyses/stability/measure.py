"""How stable is the suite? Measures the runs, or takes them from the session."""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Self

from abs_audit.analyses.stability import model as spreading
from abs_audit.analyses.stability.model import BenchmarkSpread, Stability
from abs_audit.analyses.stop.rules.rule import StoppingRule
from abs_audit.experiment.calibration import NONE_COUNTED, Calibration, Counted, calibrate
from abs_audit.experiment.choosing import selection
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.order_of_work import spread
from abs_audit.experiment.preparation import Prepared, prepare
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.session import ResultKind
from abs_audit.experiment.unslowed_runs import RUNS, RunPlan, SuiteRuns, suite_runs
from abs_audit.experiment.watch import BudgetEndedError, Phase, Watch
from abs_audit.model.experiment import BlockKind
from abs_audit.model.subject import Discovery

MOST_RUNS = 30
"""Where a stopping rule decides."""
FIRST_PORTION = 2
"""Benchmarks that are executed first where a budget of time has to be enough for as many as possible."""
TRIES = 4
"""Parts of the time, one of which each portion may take until it is known how long they take."""
GROWING = 4
"""Times as many in the next portion, at most..."""
SURE = 0.8
"""...and as many as this part of what is left is enough for."""
MOMENT_S = 1.0
"""Seconds in which no benchmark is executed in several processes."""
MOST_CUT = 20
"""Benchmarks that were cut, one after the other, after which no other is begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StabilityRecord:
    """What a stability command leaves in the session."""

    discovery: Discovery
    runs: SuiteRuns
    result: Stability
    ended: str = ""
    """Why the runs ended, where a stopping rule decided."""
    selection: tuple[tuple[str, ...], ...] = ()
    """Patterns that chose its benchmarks and left others out; empty: the whole suite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationPlans:
    """What iterations are of benchmarks, so that a later command makes the same ones."""

    target_s: float = 0.0
    """Their wanted duration, in seconds."""
    here: Mapping[str, IterationPlan] = field(default_factory=dict)
    """In the subject as it is."""
    probed: Mapping[str, IterationPlan] = field(default_factory=dict)
    """In a copy with probes."""

    def calibrated(
        self, prepared: Prepared, names: Sequence[str], counted: Counted = NONE_COUNTED
    ) -> Calibration:
        """Return the calibration of benchmarks as they are, executing those that have no plan here."""
        missing = [name for name in names if name not in self.here]
        calibration = calibrate(prepared.harness, missing, self.target_s, self.probed, counted)
        here = {name: self.here[name] for name in names if name in self.here}
        return replace(calibration, iteration_plans=here | dict(calibration.iteration_plans))

    def lasting(self, target_s: float) -> Mapping[str, IterationPlan]:
        """Return those of so long iterations in the subject as it is; none if they are of others."""
        return self.here if target_s == self.target_s else {}

    def joined(self, calibration: Calibration) -> Self:
        """Return them with those of a calibration of the subject as it is."""
        return replace(self, here={**self.here, **calibration.iteration_plans})

    def of(self, target_s: float, probed: Mapping[str, IterationPlan]) -> Self:
        """Return those of so long iterations, none if they are of others, with more in a copy with probes."""
        here, before = (self.here, self.probed) if target_s == self.target_s else ({}, {})
        return replace(self, target_s=target_s, here=here, probed={**before, **probed})


@dataclass(frozen=True, slots=True, kw_only=True)
class UnslowedRecord:
    """What is known of some benchmarks as they are, without probes in their subject."""

    spreads: tuple[BenchmarkSpread, ...] = ()
    durations: Mapping[str, float] = field(default_factory=dict)
    """Benchmark → seconds that one run of it takes, set-up included; of those that had a result."""
    wholes: frozenset[str] = frozenset()
    """Benchmarks that have to be executed with all their parts."""
    plans: IterationPlans = field(default_factory=IterationPlans)
    failures: Mapping[str, str] = field(default_factory=dict)
    """Benchmark → why it cannot be measured."""

    @property
    def running(self) -> frozenset[str]:
        """Benchmarks that had a result."""
        return frozenset(spread.benchmark for spread in self.spreads if spread.means)

    @property
    def told(self) -> frozenset[str]:
        """Benchmarks of which something is known."""
        # What an earlier version kept has no durations.
        failed = (spread.benchmark for spread in self.spreads if not spread.means)
        return frozenset(self.durations).union(failed)

    def missing(self, names: Iterable[str]) -> list[str]:
        """Return those benchmarks of which nothing is known."""
        told = self.told
        return [name for name in names if name not in told]


UNSLOWED = ResultKind("unslowed", UnslowedRecord)
KIND = ResultKind("stability", StabilityRecord)


def recorded(project: Project, runtime: Runtime) -> StabilityRecord | None:
    """Return what the session knows of this very subject, or None."""
    return runtime.session.load(project.digest, KIND)


def measure(
    project: Project,
    runtime: Runtime,
    runs: int,
    rule: StoppingRule | None = None,
    counted: Counted = NONE_COUNTED,
) -> StabilityRecord:
    """Execute the unprobed suite `runs` times, or until a rule has enough, and keep the result."""
    before = _known(project, runtime)
    plans = before.plans.of(project.settings.iteration_s, {})
    with prepare(project, runtime, ()) as prepared, runtime.watch.phase(Phase.UNSLOWED):
        calibration = plans.calibrated(prepared, prepared.benchmarks, counted)
        record = _measure(prepared, RunPlan(runs=runs, seed=project.settings.seed, rule=rule), calibration)
    runtime.session.store(project.digest, KIND, record)
    runtime.session.store(project.digest, UNSLOWED, replace(before, plans=plans.joined(calibration)))
    return record


def _measure(prepared: Prepared, plan: RunPlan, calibration: Calibration) -> StabilityRecord:
    runs, ended = suite_runs(prepared.harness, calibration, prepared.benchmarks, plan)
    return StabilityRecord(
        discovery=prepared.discovery,
        runs=runs,
        result=spreading.stability(runs.values, calibration.reasons),
        ended=ended,
        selection=selection(prepared.project.settings),
    )


def _known(project: Project, runtime: Runtime) -> UnslowedRecord:
    """Return what was told of some benchmarks."""
    return runtime.session.load(project.digest, UNSLOWED) or UnslowedRecord()


def known_or_measured(
    project: Project, runtime: Runtime, rule: StoppingRule | None = None, counted: Counted = NONE_COUNTED
) -> StabilityRecord:
    """Return the recorded stability, measuring it first where there is none of what is chosen."""
    earlier = of_the_chosen(project, runtime)
    return earlier or measure(project, runtime, MOST_RUNS if rule else RUNS, rule, counted)


def of_the_chosen(project: Project, runtime: Runtime) -> StabilityRecord | None:
    """Return the recorded stability if it is of the chosen benchmarks or of all, or None."""
    record = recorded(project, runtime)
    return record if record and record.selection in ((), selection(project.settings)) else None


def spread_out(
    project: Project,
    runtime: Runtime,
    first: Sequence[Sequence[str]],
    part: float,
    counted: Counted = NONE_COUNTED,
) -> UnslowedRecord:
    """Return what is known of benchmarks as they are, executing as many as a part of a budget is enough for.

    They come from all parts of the suite, `first` those that are named, group by group, in portions: of one
    that is cut nothing is known, so the first are few, and may take a part of the time until it is known how
    long they take. Those that were cut go on one by one, and are left out where that is cut as well: until
    one has a result, they have all of the time if their iterations are known. Where each execution is a fork
    of its own, which several could not share, all come one by one.
    """
    watch, record = runtime.watch, _all_known(project, runtime)
    with (
        contextlib.suppress(BudgetEndedError),
        prepare(project, runtime, ()) as prepared,
        watch.allotting(part * (watch.remaining_s or 0.0)),
    ):
        groups = map(spread, (*first, prepared.benchmarks))
        waiting = record.missing(dict.fromkeys(chain.from_iterable(groups)))
        alike = prepared.harness.language.forks_alike
        number, each_s, try_s = FIRST_PORTION if alike else 1, 0.0, (watch.remaining_s or 0.0) / TRIES
        cut: list[str] = []
        in_vain = 0
        while (
            (cut or waiting)
            and number
            and in_vain < MOST_CUT
            and (remaining_s := watch.remaining_s or 0.0) > MOMENT_S
        ):
            portion = again = cut[:1]
            cut = cut[1:]
            if not again:
                portion, waiting = waiting[:number], waiting[number:]
            began_s = watch.total_s
            try:
                is_whole = alike and not again if each_s else _are_calibrated(prepared, again)
                with watch.allotting(remaining_s if is_whole else try_s):
                    record = _executed(prepared, record, portion, {}, counted)
            except BudgetEndedError:
                cut = cut if again else portion
                in_vain += len(portion)
            else:
                in_vain = 0
                # Those that fail at once say nothing of how long others take.
                running = sum(name in record.durations for name in portion)
                if running:
                    each_s = (watch.total_s - began_s) / running
                    affordable = int(SURE * (watch.remaining_s or 0.0) / each_s)
                    number = min(affordable, GROWING * running if alike else 1)
    return record


def _are_calibrated(prepared: Prepared, names: Sequence[str]) -> bool:
    """Tell whether there are any, and iterations of each are known."""
    harness = prepared.harness
    looked_at = harness.session.measured(harness.context, BlockKind.CALIBRATION)
    return bool(names) and looked_at.issuperset(names)


def of_benchmarks(
    project: Project, runtime: Runtime, names: Sequence[str], plans: Mapping[str, IterationPlan]
) -> UnslowedRecord:
    """Return what is known of benchmarks as they are, executing those of `names` that are not known yet.

    Their trials are those that `measure` would make of them, so that a later stability of the whole suite
    makes the others only. `plans`: of iterations of the same duration in another build.
    """
    record = _all_known(project, runtime)
    missing = record.missing(names)
    if missing:
        # What is known of others was told by that build.
        if not record.told:
            require_build(runtime.watch)
        with prepare(project, runtime, ()) as prepared:
            record = _executed(prepared, record, missing, plans)
    return record


def require_build(watch: Watch) -> None:
    """Raise BudgetEndedError where building benchmarks as they are would outlast what is left of a budget.

    That takes about as long as building them with probes did.
    """
    watch.require(watch.phases()[Phase.BUILD.value])


def _all_known(project: Project, runtime: Runtime) -> UnslowedRecord:
    """Return what was told of some benchmarks, and what the stability of the suite tells."""
    whole, before = recorded(project, runtime), _known(project, runtime)
    return _joined(before, whole.runs, whole.result) if whole else before


def _executed(
    prepared: Prepared,
    before: UnslowedRecord,
    names: Sequence[str],
    plans: Mapping[str, IterationPlan],
    counted: Counted = NONE_COUNTED,
) -> UnslowedRecord:
    """Return what is known once benchmarks are executed, and keep it."""
    project, harness = prepared.project, prepared.harness
    expected = before.plans.of(project.settings.iteration_s, plans)
    with harness.watch.phase(Phase.UNSLOWED):
        calibration = expected.calibrated(prepared, names, counted)
        runs, _ = suite_runs(harness, calibration, names, RunPlan(runs=RUNS, seed=project.settings.seed))
    record = _joined(before, runs, spreading.stability(runs.values))
    failures = {**before.failures, **calibration.reasons}
    record = replace(record, plans=expected.joined(calibration), failures=failures)
    harness.session.store(project.digest, UNSLOWED, record)
    return record


def _joined(before: UnslowedRecord, runs: SuiteRuns, stable: Stability) -> UnslowedRecord:
    """Return what is known with what some runs say, which are newer."""
    spreads = {spread.benchmark: spread for spread in (*before.spreads, *stable.benchmarks)}
    return replace(
        before,
        spreads=tuple(spreads.values()),
        durations={**before.durations, **runs.durations},
        wholes=before.wholes.union(runs.wholes.values()),
    )
