"""Which methods could become slower unnoticed? From a prepared subject to its score."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from abs_audit.analyses.score import model as scores
from abs_audit.analyses.score.model import Cost, Evidence, FalseAlarms, Score, ScoreSettings
from abs_audit.analyses.stability.measure import StabilityRecord, known_or_measured
from abs_audit.analyses.stop.rules.catalogue import stopping_rule
from abs_audit.errors import ControlFailedError
from abs_audit.experiment import detection, interleaved, plain_reach, probe_effect, self_check, study_2018
from abs_audit.experiment.calibration import Calibration, calibrate
from abs_audit.experiment.cell_profiles import CellProfiles, profile_cells, require_control
from abs_audit.experiment.harness import no_evidence
from abs_audit.experiment.interleaved import Injection, Verdicts
from abs_audit.experiment.preparation import Prepared, Project, Runtime, check_methods, prepare
from abs_audit.experiment.reach import reach
from abs_audit.model.experiment import Block, Mode
from abs_audit.model.measurement import Status, Trial
from abs_audit.model.verdict import CellVerdict

LEAST_SLOWDOWN = 0.05
"""Below this, machines differ from themselves: findings on real suites keep δ at least here."""
PAPER_ITERATIONS = 20
PAPER_ITERATION_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a user asks of a score."""

    methods: tuple[str, ...]
    source: str
    """Where the methods come from, for messages."""
    slowdown: float | None
    """None: twice the noise of the suite."""
    protocol: str
    """`switched` or `paper`."""
    settle_all: bool
    stop: str | None = None
    """Stopping rule of the unslowed runs that δ comes from; verdicts have looks of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRecord:
    """What a score leaves in the session."""

    request: Request
    context: str
    trials: int
    """Trials recorded for it."""
    shares: Mapping[str, Mapping[str, float]]
    """Method → benchmark → share."""
    false_alarms_by_median: int
    result: Score


ADAPTER = TypeAdapter(ScoreRecord)
KIND = "score"


def recorded(project: Project, runtime: Runtime) -> ScoreRecord | None:
    """Return the newest score of this very subject, or None."""
    return runtime.session.load(project.digest, KIND, ADAPTER)


def measure(project: Project, runtime: Runtime, request: Request) -> ScoreRecord:
    """Settle every cell that the request asks for and keep the score."""
    rule = stopping_rule(request.stop) if request.stop else None
    stable = known_or_measured(project, runtime, rule)
    started = time.monotonic()
    with prepare(project, runtime, request.methods) as prepared:
        listing = project.language.injector.api_methods(project.sources())
        check_methods(listing, prepared.patch, request.methods, request.source)
        spec = injection(project, stable, request)
        profiles = profiles_of(prepared, stable)
        require_control(profiles)
        self_check.prove(prepared.harness, profiles, spec)
        names = list(dict.fromkeys([*prepared.benchmarks, *profiles.calibration.failed]))
        found = _verdicts(prepared, profiles, names, (request, spec))
        trials, benchmark_s = runtime.session.spent(prepared.harness.context)
        cost = Cost(
            wall_s=time.monotonic() - started,
            benchmark_s=benchmark_s,
            build_s=prepared.build_s,
            paper_protocol_s=_paper_s(profiles, len(request.methods)),
        )
    found = replace(found, cells=_with_plain_reach(project, runtime, stable, found.cells))
    record = ScoreRecord(
        request=request,
        context=prepared.harness.context,
        trials=trials,
        shares=_shares(profiles),
        false_alarms_by_median=found.false_alarms_by_median,
        result=scores.score(
            _evidence(prepared, profiles, found, (request, stable)),
            _score_settings(found, spec, (request, cost)),
        ),
    )
    runtime.session.store(project.digest, KIND, ADAPTER, record)
    return record


def _with_plain_reach(
    project: Project, runtime: Runtime, stable: StabilityRecord, cells: tuple[CellVerdict, ...]
) -> tuple[CellVerdict, ...]:
    """Return the cells; of benchmarks that probes break only those that call their method lack a verdict."""
    broken = [name for name in plain_reach.broken_by_probes(cells) if name in stable.iteration_plans]
    if not broken:
        return cells
    methods = tuple(dict.fromkeys(cell.method for cell in cells))
    plans = {name: stable.iteration_plans[name] for name in broken}
    with prepare(project, runtime, ()) as plain:
        calibration = Calibration(iteration_plans=plans, failed={})
        reached = reach(plain.harness, calibration, methods, Mode.PROFILE)
    return plain_reach.without_calls(cells, {known.benchmark: known for known in reached})


def injection(project: Project, stable: StabilityRecord, request: Request) -> Injection:
    """Return what to inject: the asked slowdown, or δ from the suite's own noise."""
    slowdown = request.slowdown
    if slowdown is None:
        if stable.result.slowdown is None:
            raise ControlFailedError(
                "no benchmark has a result in all runs, so there is no noise to derive the slowdown from; "
                "give one with --slowdown, or look at: abs-audit stability"
            )
        slowdown = max(LEAST_SLOWDOWN, stable.result.slowdown)
    return Injection(
        slowdown=slowdown,
        threshold=slowdown / 2,
        payment_ns=project.language.payment_ns,
        floor_ns=project.language.floor_ns,
        seed=project.settings.seed,
        name=request.protocol,
        settle_all=request.settle_all,
    )


def profiles_of(prepared: Prepared, stable: StabilityRecord | None = None) -> CellProfiles:
    """Survey the cells; benchmarks that the framework itself could not load count as failed.

    Shares that hold for the probed benchmarks only are left out, and said to be doubtful; without a
    stability, which knows the plain ones, none is.
    """
    seed = prepared.project.settings.seed
    profiles = profile_cells(
        prepared.harness, _calibrated(prepared, stable), prepared.patch.instrumented, seed
    )
    spreads = stable.result.benchmarks if stable else ()
    shares, doubtful = probe_effect.told_apart(profiles.shares, spreads)
    if doubtful:
        # A moment of the machine's, perhaps: it takes seconds to make sure.
        doubted = {cell: profiles.shares[cell] for cell in doubtful}
        again = probe_effect.inert_again(
            prepared.harness, profiles.calibration.iteration_plans, doubted, seed
        )
        shares, doubtful = probe_effect.told_apart({**profiles.shares, **again}, spreads)
    works_plain = frozenset(stable.iteration_plans if stable else ())
    return replace(profiles, shares=shares, doubtful=doubtful, works_plain=works_plain)


def _calibrated(prepared: Prepared, stable: StabilityRecord | None) -> Calibration:
    known = stable.iteration_plans if stable and stable.iteration_s == prepared.iteration_s else {}
    calibration = calibrate(prepared.harness, prepared.benchmarks, prepared.iteration_s, known)
    broken = {entry.id: entry.reason for entry in prepared.discovery.broken}
    listed = {benchmark.id for benchmark in prepared.discovery.benchmarks}
    why = next(iter(broken.values()), "it is not listed any more")
    vanished = prepared.wanted(
        name for name in (stable.iteration_plans if stable else ()) if name not in listed
    )
    failed = {name: _never_run(name, why) for name in vanished}
    failed |= {name: _never_run(name, reason) for name, reason in broken.items()}
    return replace(calibration, failed={**failed, **calibration.failed})


def _never_run(name: str, reason: str) -> Trial:
    block = Block(id=f"discovery/{name}", benchmark=name, steps=(), limit_s=0.0)
    return no_evidence(block, 0, Status.FAILED, reason)


def _verdicts(
    prepared: Prepared, profiles: CellProfiles, names: Sequence[str], what: tuple[Request, Injection]
) -> Verdicts:
    request, spec = what
    axes = (prepared.patch.instrumented, names)
    if request.protocol == "switched":
        return interleaved.verdicts(prepared.harness, profiles, axes, spec)
    cells = study_2018.verdicts(prepared.harness, profiles, axes, spec)
    return Verdicts(cells=cells, false_alarm_cells=0, false_alarms=0, false_alarms_by_median=0)


def _evidence(
    prepared: Prepared, profiles: CellProfiles, found: Verdicts, known: tuple[Request, StabilityRecord]
) -> Evidence:
    request, stable = known
    return Evidence(
        methods=request.methods,
        cells=found.cells,
        skipped=prepared.patch.skipped,
        set_up={
            method: tuple(name for name, one in profiles.reach.items() if method in one.setup_only)
            for method in request.methods
        },
        spreads={one.benchmark: one.max_spread for one in stable.result.benchmarks},
        broken=frozenset(
            name
            for name, trial in profiles.calibration.failed.items()
            if trial.status is not Status.SKIPPED and name not in profiles.works_plain
        ),
        changed=frozenset(name for _, name in profiles.doubtful),
    )


def _score_settings(found: Verdicts, spec: Injection, what: tuple[Request, Cost]) -> ScoreSettings:
    request, cost = what
    return ScoreSettings(
        protocol=request.protocol,
        slowdown=spec.slowdown,
        runs=detection.RUNS,
        false_alarms=FalseAlarms(cells=found.false_alarm_cells, alarms=found.false_alarms),
        cost=cost,
    )


def _shares(profiles: CellProfiles) -> dict[str, dict[str, float]]:
    shares: dict[str, dict[str, float]] = {}
    for (method, name), one in profiles.shares.items():
        shares.setdefault(method, {})[name] = one.share
    return shares


def _paper_s(profiles: CellProfiles, methods: int) -> float:
    """Return the benchmark-seconds of the 2018 protocol: 20 iterations of 1 s, or of one invocation."""
    once_s = (one.iteration_s / one.invocations for one in profiles.calibration.iteration_plans.values())
    run_s = sum(PAPER_ITERATIONS * max(PAPER_ITERATION_S, time_s) for time_s in once_s)
    return scores.paper_cost_s(methods, run_s)
