"""Proposes a benchmark for each method that none watches, and tries each one before offering it.

A stub works only if it is found by the suite, runs, and detects a slowdown of its own method.
"""

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path, PurePosixPath

from abs_audit.analyses.score.measure import injection
from abs_audit.analyses.score.record import ScoreRecord
from abs_audit.analyses.trace import measure as tracing
from abs_audit.errors import ControlFailedError, UsageError
from abs_audit.experiment.asking import Injection, pairs_of
from abs_audit.experiment.cell_profiles import ProfilePlan
from abs_audit.experiment.forecast import costs_s, forecast, shares_s
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.order_of_work import best_first, done_in_turn, portions, thriftily
from abs_audit.experiment.pair_evidence import Pair
from abs_audit.experiment.pairs import Design, settle
from abs_audit.experiment.preparation import Prepared, listing, prepare
from abs_audit.experiment.profiler import Profiler
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime, complaints
from abs_audit.experiment.session import ResultKind
from abs_audit.experiment.telling import without_measuring
from abs_audit.experiment.watch import BudgetEndedError, Phase
from abs_audit.interfaces import Stub, StubRequest
from abs_audit.model.explanation import Cause
from abs_audit.model.stub import StubOutcome
from abs_audit.model.subject import Benchmark, BrokenBenchmark, SourceTree
from abs_audit.model.verdict import CellVerdict, Verdict

KIND = ResultKind("stubs", tuple[StubOutcome, ...])
UNTRIED = "not tried to the end; the same command goes on"
MOST_WAYS = 3
"""Texts that are proposed for a method at most, one after the other."""
_UNTRIED = {Cause.BUDGET, Cause.NOT_RUN, Cause.ANOTHER_BENCHMARK_NOTICES}
"""What is said of a cell that it was not the turn of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """Proposed benchmarks, and what became of each."""

    stubs: tuple[Stub, ...]
    outcomes: tuple[StubOutcome, ...]
    interrupted: bool = False
    """Whether a person ended it before all of them were tried."""

    @property
    def proven(self) -> dict[str, str]:
        """Path → text of those that notice a slowdown of their own method."""
        methods = {outcome.method for outcome in self.outcomes if outcome.detects}
        return {stub.path: stub.text for stub in self.stubs if stub.method in methods}


@dataclass(slots=True, kw_only=True)
class _Trial:
    """Proposals, and how far they have come: whatever ends it, that can be told."""

    stubs: Sequence[Stub]
    spec: Injection
    prepared: Prepared | None = None
    """The copy that holds them; None: it is not built yet."""
    profiler: Profiler | None = None
    verdicts: dict[str, CellVerdict] = field(default_factory=dict)
    """Method → what its proposal says to a slowdown."""
    refused: dict[str, str] = field(default_factory=dict)
    """Path → why it is left out: with it others are not built."""


def measure(project: Project, runtime: Runtime, scored: ScoreRecord) -> Tried:
    """Return a proposed benchmark for each method that none watches, with what became of it.

    Those that do not run, or have no verdict, are written in other ways, and tried again. Where a budget of
    time ends, or a person does, what is known of each by then is kept and told.
    """
    spec = replace(injection(project, scored.request, scored.result.slowdown), name="stubs")
    unwatched = list(scored.result.unwatched)
    proposals = _Proposals(project, runtime)
    came: dict[str, tuple[Stub, StubOutcome]] = {}
    interrupted = False
    try:
        while new := proposals.write(unwatched):
            unwatched = []
            trial = _Trial(stubs=new, spec=spec)
            try:
                _make(project, runtime, scored.request.methods, trial)
            finally:
                for stub in trial.stubs:
                    outcome = _outcome(trial, stub)
                    if stub.method not in came or _worth(outcome) > _worth(came[stub.method][1]):
                        came[stub.method] = stub, outcome
                    if _may_be_better(trial, stub, outcome):
                        unwatched.append(stub.method)
    except BudgetEndedError:
        pass
    except KeyboardInterrupt:
        interrupted = True
    outcomes = tuple(outcome for _, outcome in came.values())
    runtime.session.store(project.digest, KIND, outcomes)
    return Tried(stubs=tuple(stub for stub, _ in came.values()), outcomes=outcomes, interrupted=interrupted)


def _may_be_better(trial: _Trial, stub: Stub, outcome: StubOutcome) -> bool:
    """Tell whether another proposal may run where this one does not, or have a verdict.

    Calls that are too short for their share to be known are as short there.
    """
    cell = trial.verdicts.get(stub.method)
    is_short = cell is not None and cell.cause is Cause.UNCERTAIN_SHARE
    return stub.benchmark is not None and outcome.finished and outcome.detects is None and not is_short


def _worth(outcome: StubOutcome) -> tuple[bool, bool, bool]:
    """Return what is larger the further a proposal came."""
    return outcome.detects is True, outcome.runs, outcome.detects is not None


class _Proposals:
    """Asks the suite's writer for benchmarks, and in other ways for those that fail."""

    def __init__(self, project: Project, runtime: Runtime) -> None:
        self._project, self._runtime = project, runtime
        self._written: dict[str, frozenset[str]] = {}
        """Method → texts that were proposed."""

    @cached_property
    def _sources(self) -> SourceTree:
        return self._project.sources()

    @cached_property
    def _arguments(self) -> Mapping[str, tuple[str, ...]]:
        return _arguments(self._project, self._runtime)

    @cached_property
    def _existing(self) -> tuple[Benchmark, ...]:
        # Without them proposals are in another style, but none of these is tried, for there is no time.
        with contextlib.suppress(BudgetEndedError):
            return listing(self._project, self._runtime).benchmarks
        return ()

    def write(self, methods: Iterable[str]) -> list[Stub]:
        """Return a benchmark for each method, without those that were proposed before, or often enough."""
        stubs, asked = [], list(methods)
        for number, method in enumerate(asked):
            self._runtime.progress("writing proposals", number, len(asked))
            failed = self._written.get(method, frozenset())
            if len(failed) == MOST_WAYS:
                continue
            request = StubRequest(
                method=method,
                arguments=self._arguments.get(method, ()),
                existing=self._existing,
                failed=failed,
            )
            stub = self._project.framework.stubs.stub(self._sources, request)
            if stub.text not in failed:
                stubs.append(stub)
            self._written[method] = failed | {stub.text}
        return stubs


def _arguments(project: Project, runtime: Runtime) -> dict[str, tuple[str, ...]]:
    """Return the calls that the tracer saw and that can be replayed, if there is a trace."""
    traced = tracing.recorded(project, runtime)
    by_method: dict[str, tuple[str, ...]] = {}
    for downstream in traced.downstreams if traced else ():
        for method, texts in downstream.counts.arguments.items():
            by_method[method] = (*by_method.get(method, ()), *texts)
    return by_method


def _make(project: Project, runtime: Runtime, methods: Sequence[str], trial: _Trial) -> None:
    """Try the proposals together, without those that keep others from being built."""
    while trial.prepared is None and any(stub.benchmark for stub in trial.stubs):
        wanted = (stub for stub in trial.stubs if stub.benchmark and stub.path not in trial.refused)
        files = {stub.path: stub.text for stub in wanted}
        try:
            with prepare(project, runtime, methods, files) as prepared:
                spoiling = _spoiling(prepared.discovery.broken, trial.stubs, files)
                if not spoiling:
                    trial.prepared = prepared
                    _try(prepared, trial)
        except ControlFailedError as error:
            told = complaints(error.log or str(error), {PurePosixPath(path).name for path in files})
            spoiling = {path: told[name] for path in files if (name := PurePosixPath(path).name) in told}
            if not spoiling:
                raise
        trial.refused |= spoiling


def _spoiling(
    broken: Sequence[BrokenBenchmark], stubs: Sequence[Stub], files: Collection[str]
) -> dict[str, str]:
    """Return path → reason of the proposals that a benchmark other than their own is broken by."""
    own = {(stub.path, stub.benchmark) for stub in stubs}
    names = {path: PurePosixPath(path).name for path in files}
    return {
        path: faulty.reason
        for faulty in broken
        for told in [complaints(faulty.reason, {*names.values()})]
        for path, name in names.items()
        if name in told and (path, faulty.id) not in own and not faulty.id.startswith(path)
    }


def _try(prepared: Prepared, trial: _Trial) -> None:
    """Find, execute and slow down each proposed benchmark; of its own method alone the share is measured."""
    listed = {benchmark.id for benchmark in prepared.discovery.benchmarks}
    own = {stub.benchmark: stub.method for stub in trial.stubs if stub.benchmark and stub.benchmark in listed}
    plan = ProfilePlan(
        benchmarks=list(own),
        methods=[method for method in prepared.patch.instrumented if method in own.values()],
        target_s=prepared.iteration_s,
        seed=prepared.project.settings.seed,
        asked=own,
    )
    trial.profiler = profiler = Profiler(prepared.harness, plan)
    watch, ahead = prepared.harness.watch, forecast(profiler, plan.methods).phases
    watch.expect({phase: ahead[phase] for phase in (Phase.SHARES, Phase.CELLS)})
    late: list[Callable[[], None]] = []
    for names in _counted(profiler):
        profiler.learn(names)
        profiles = profiler.profiles
        shares = best_first([share for share in profiles.shares.values() if share.benchmark in names])
        plans, pairs = profiles.calibration.iteration_plans, pairs_of(profiles, shares, trial.spec)
        told_s = shares_s(profiler, shares)
        watch.expect({Phase.CELLS: told_s})
        design = Design(name="stubs", seed=trial.spec.seed, told_s=told_s)
        decide = partial(_decide, trial, prepared.harness, plans, pairs, design)
        if not done_in_turn(watch, told_s, decide):
            late.append(decide)
    for waiting in late:
        waiting()


def _counted(profiler: Profiler) -> Iterator[list[str]]:
    """Yield the proposed benchmarks that call their method, as soon as that is known, in portions.

    What takes least comes first: where a budget ends, most have been tried.
    """
    counting = True
    while counting:
        new, cost_s = filter(profiler.is_new, profiler.plans), costs_s(profiler)
        cheapest_first = thriftily([[name] for name in new], cost_s)
        yield from portions(cheapest_first, cost_s, profiler.harness.watch)
        counting = profiler.count_on()


def _decide(
    trial: _Trial, harness: Harness, plans: Mapping[str, IterationPlan], pairs: Sequence[Pair], design: Design
) -> None:
    """Slow proposals down; where a budget ends, what is decided comes before the error."""
    with harness.watch.phase(Phase.CELLS):
        for pair, decision in settle(harness, plans, pairs, design):
            trial.verdicts[pair.cell.method] = decision.verdict


def _outcome(trial: _Trial, stub: Stub) -> StubOutcome:
    """Return how far a stub came; only one that notices its own method's slowdown works."""
    outcome = StubOutcome(
        method=stub.method, file=stub.path, compiles=False, runs=False, detects=None, reason="", finished=True
    )
    if stub.benchmark:
        outcome = _come(trial, stub.benchmark, replace(outcome, reason=UNTRIED, finished=False))
    return replace(outcome, reason="; ".join(filter(None, (outcome.reason, stub.reason))))


def _come(trial: _Trial, benchmark: str, outcome: StubOutcome) -> StubOutcome:
    """Return what became of a benchmark that a stub has, `outcome` where nothing is known yet."""
    if outcome.file in trial.refused:
        return replace(outcome, reason=trial.refused[outcome.file], finished=True)
    if trial.prepared is None:
        return outcome
    if all(listed.id != benchmark for listed in trial.prepared.discovery.benchmarks):
        return replace(_missing(trial.prepared, benchmark, outcome), finished=True)
    outcome = replace(outcome, compiles=True)
    if trial.profiler is None or benchmark not in trial.profiler.profiles.reach:
        return outcome
    profiles, method = trial.profiler.profiles, outcome.method
    cell = trial.verdicts.get(method) or without_measuring(profiles, method, benchmark, trial.spec)
    outcome = replace(outcome, runs=benchmark not in profiles.failed)
    if cell.cause in _UNTRIED:
        return outcome
    uncalled = outcome.runs and cell.verdict is Verdict.UNREACHED
    return replace(
        outcome,
        detects=None if cell.verdict is Verdict.NO_VERDICT else cell.verdict is Verdict.DETECTED,
        reason="it runs, but does not call the method in its timed loop" if uncalled else cell.reason,
        finished=True,
    )


def _missing(prepared: Prepared, benchmark: str, outcome: StubOutcome) -> StubOutcome:
    """Return why the suite does not name a proposed benchmark among those that can be measured."""
    for broken in prepared.discovery.broken:
        if broken.id.startswith(outcome.file) or broken.id == benchmark:
            return replace(outcome, compiles=broken.executed, reason=broken.reason)
    return replace(outcome, reason="the suite does not find it")


def write(target: Path, files: Mapping[str, str]) -> None:
    """Write files below a folder; never over one that is there, and then none."""
    standing = [target / path for path in files if (target / path).exists()]
    if standing:
        raise UsageError(f"{standing[0]} exists already; give another folder with --write DIR")
    for path, text in files.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text, encoding="utf-8")
