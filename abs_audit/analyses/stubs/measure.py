"""Proposes a benchmark for each method that none watches, and tries each one before offering it.

A stub works only if it is found by the suite, runs, and detects a slowdown of its own method.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from pydantic import TypeAdapter

from abs_audit.analyses.score.measure import injection
from abs_audit.analyses.score.record import ScoreRecord
from abs_audit.analyses.trace import measure as tracing
from abs_audit.errors import ControlFailedError, UsageError
from abs_audit.experiment.cell_profiles import CellProfiles, ProfilePlan, Profiler
from abs_audit.experiment.interleaved import Injection, pairs_of
from abs_audit.experiment.pairs import Design, settle
from abs_audit.experiment.preparation import Prepared, Project, Runtime, listing, prepare
from abs_audit.experiment.watch import BudgetEndedError
from abs_audit.interfaces import Stub, StubRequest
from abs_audit.model.stub import StubOutcome
from abs_audit.model.subject import BrokenBenchmark
from abs_audit.model.verdict import UNWATCHED, CellVerdict, Verdict

ADAPTER = TypeAdapter(tuple[StubOutcome, ...])
KIND = "stubs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """Proposed benchmarks, and what became of each."""

    stubs: tuple[Stub, ...]
    outcomes: tuple[StubOutcome, ...]

    @property
    def proven(self) -> dict[str, str]:
        """Path → text of those that notice a slowdown of their own method."""
        methods = {outcome.method for outcome in self.outcomes if outcome.detects}
        return {stub.path: stub.text for stub in self.stubs if stub.method in methods}


def measure(project: Project, runtime: Runtime, scored: ScoreRecord) -> Tried:
    """Return a proposed benchmark for each method that none watches, with what became of it.

    Raises BudgetEndedError where a budget of time does not allow all of them; what was measured is recorded.
    """
    request = replace(scored.request, slowdown=scored.result.slowdown)
    spec = replace(injection(project, request, scored.result.slowdown), name="stubs")
    stubs = _propose(project, runtime, scored)
    outcomes = _tried(project, runtime, request.methods, stubs, spec)
    runtime.session.store(project.digest, KIND, ADAPTER, outcomes)
    return Tried(stubs=tuple(stubs), outcomes=outcomes)


def _propose(project: Project, runtime: Runtime, scored: ScoreRecord) -> list[Stub]:
    """Ask for a benchmark for each scored method that none notices."""
    writer = project.framework.stubs
    if writer is None:
        raise UsageError(f"benchmarks for {project.framework.suite.name} cannot be proposed yet")
    sources = project.sources()
    arguments = _arguments(project, runtime)
    existing = listing(project, runtime).benchmarks
    return [
        writer.stub(
            sources,
            StubRequest(
                method=method.method,
                arguments=arguments.get(method.method, ()),
                existing=existing,
            ),
        )
        for method in scored.result.methods
        if method.verdict in UNWATCHED
    ]


def _arguments(project: Project, runtime: Runtime) -> dict[str, tuple[str, ...]]:
    """Return the calls that the tracer saw and that can be replayed, if there is a trace."""
    traced = tracing.recorded(project, runtime)
    by_method: dict[str, tuple[str, ...]] = {}
    for downstream in traced.downstreams if traced else ():
        for method, texts in downstream.counts.arguments.items():
            by_method[method] = (*by_method.get(method, ()), *texts)
    return by_method


def _tried(
    project: Project, runtime: Runtime, methods: Sequence[str], stubs: Sequence[Stub], spec: Injection
) -> tuple[StubOutcome, ...]:
    """Try the proposals together, without those that keep others from being built."""
    refused: dict[str, str] = {}
    while True:
        files = {stub.path: stub.text for stub in stubs if stub.benchmark and stub.path not in refused}
        try:
            with prepare(project, runtime, methods, files) as prepared:
                spoiling = _spoiling(prepared.discovery.broken, stubs, files)
                if not spoiling:
                    tried = [replace(stub, reason=refused.get(stub.path, stub.reason)) for stub in stubs]
                    return _try(prepared, tried, spec)
        except ControlFailedError as error:
            spoiling = {path: str(error) for path in files if _names(str(error), path)}
            if not spoiling:
                raise
        refused |= spoiling


def _spoiling(
    broken: Sequence[BrokenBenchmark], stubs: Sequence[Stub], files: Collection[str]
) -> dict[str, str]:
    """Return path → reason of the proposals that a benchmark other than their own is broken by."""
    own = {(stub.path, stub.benchmark) for stub in stubs}
    return {
        path: faulty.reason
        for faulty in broken
        for path in files
        if _names(faulty.reason, path) and (path, faulty.id) not in own and not faulty.id.startswith(path)
    }


def _names(message: str, path: str) -> bool:
    return PurePosixPath(path).name in message


def _try(prepared: Prepared, stubs: Sequence[Stub], spec: Injection) -> tuple[StubOutcome, ...]:
    """Find, execute and slow down each proposed benchmark."""
    listed = {benchmark.id for benchmark in prepared.discovery.benchmarks}
    names = [stub.benchmark for stub in stubs if stub.benchmark in listed]
    plan = ProfilePlan(
        benchmarks=[name for name in names if name],
        methods=prepared.patch.instrumented,
        target_s=prepared.iteration_s,
        seed=prepared.project.settings.seed,
    )
    profiles = Profiler(prepared.harness, plan).learn_all()
    if profiles.ended:
        # What was not looked at says nothing of a stub; the same command goes on.
        raise BudgetEndedError
    shares = [
        profiles.shares[stub.method, stub.benchmark]
        for stub in stubs
        if stub.benchmark and (stub.method, stub.benchmark) in profiles.shares
    ]
    decided = settle(
        prepared.harness,
        profiles.calibration.iteration_plans,
        pairs_of(profiles, shares, spec),
        Design(name="stubs", seed=spec.seed),
    )
    verdicts = {pair.cell.method: decision.verdict for pair, decision in decided}
    return tuple(_outcome(prepared, stub, profiles, verdicts.get(stub.method)) for stub in stubs)


def _outcome(
    prepared: Prepared, stub: Stub, profiles: CellProfiles, verdict: CellVerdict | None
) -> StubOutcome:
    """Return how far a stub came; only one that notices its own method's slowdown works."""
    compiles = any(benchmark.id == stub.benchmark for benchmark in prepared.discovery.benchmarks)
    runs = stub.benchmark in profiles.reach and stub.benchmark not in profiles.failed
    settled = verdict is not None and verdict.verdict is not Verdict.NO_VERDICT
    return StubOutcome(
        method=stub.method,
        file=stub.path,
        compiles=compiles,
        runs=runs,
        detects=verdict.verdict is Verdict.DETECTED if verdict and settled else None,
        reason="; ".join(filter(None, (_why(prepared, stub, profiles, verdict), stub.reason))),
    )


def _why(prepared: Prepared, stub: Stub, profiles: CellProfiles, verdict: CellVerdict | None) -> str:
    if stub.benchmark is None:
        return ""
    if verdict is not None:
        return verdict.reason
    failed = profiles.failed.get(stub.benchmark or "")
    if failed is not None:
        return f"{failed.status}: {failed.reason}"
    if stub.benchmark in profiles.reach:
        return "it runs, but does not call the method in its timed loop"
    broken = [
        broken.reason
        for broken in prepared.discovery.broken
        if broken.id.startswith(stub.path) or broken.id == stub.benchmark
    ]
    return broken[0] if broken else "the suite does not find it"


def write(target: Path, files: Mapping[str, str]) -> None:
    """Write files below a folder; never over one that is there, and then none."""
    standing = [target / path for path in files if (target / path).exists()]
    if standing:
        raise UsageError(f"{standing[0]} exists already; give another folder with --write DIR")
    for path, text in files.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text, encoding="utf-8")
