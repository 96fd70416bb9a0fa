"""Which methods could become slower unnoticed? From a prepared subject to its score.

What is asked comes first: benchmarks that call no method in question are executed once and never again, and
unslowed runs are made last, of the benchmarks whose cells rest on them.
"""

import contextlib
from dataclasses import dataclass, field, replace

from abs_audit.analyses.score import model as scores
from abs_audit.analyses.score import text
from abs_audit.analyses.score.model import Cost, Evidence, ScoreSettings, Unfinished
from abs_audit.analyses.score.record import KIND, Request, ScoreRecord, identity
from abs_audit.analyses.score.slowdown import UNKNOWN, Slowdown, from_the_noise, known_slowdown
from abs_audit.analyses.stability import measure as stability
from abs_audit.analyses.stability.measure import UnslowedRecord
from abs_audit.experiment import interleaved, probe_effect, protocol, self_check, study_2018
from abs_audit.experiment.asking import Axes, Injection
from abs_audit.experiment.cell_profiles import CellProfiles, ProfilePlan, require_control
from abs_audit.experiment.choosing import kept
from abs_audit.experiment.counting import Counting, reach
from abs_audit.experiment.forecast import (
    Forecast,
    after_score_s,
    costs_s,
    fitting_first,
    forecast,
    shares_s,
    unslowed_left_s,
)
from abs_audit.experiment.interleaved import Verdicts
from abs_audit.experiment.order_of_work import best_first
from abs_audit.experiment.plain_reach import broken_by_probes, without_calls
from abs_audit.experiment.preparation import Prepared, listing, prepare
from abs_audit.experiment.profiler import Profiler
from abs_audit.experiment.projects import Project
from abs_audit.experiment.protocol import NEGLIGIBLE
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.telling import told, without_measuring
from abs_audit.experiment.watch import BudgetEndedError, Phase
from abs_audit.grouping import grouped
from abs_audit.model.cells import Cells
from abs_audit.model.experiment import Mode
from abs_audit.model.explanation import Cause
from abs_audit.model.measurement import Status, Trial
from abs_audit.model.verdict import FalseAlarms

PLAIN_BUILD = 0.1
"""What building the sources as they are takes of what building them with probes took: most is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settled:
    """What the probed build says, before it is compared with the build as it is."""

    prepared: Prepared
    profiler: Profiler
    profiles: CellProfiles
    """What it knows, as far as that holds for the build as it is."""
    spec: Injection
    verdicts: Verdicts
    remark: str
    """What a reader must know who takes the answer for one of the whole suite and library."""
    unslowed: UnslowedRecord = field(default_factory=UnslowedRecord)
    """Of the benchmarks as they are, where that matters."""


def measure(project: Project, runtime: Runtime, request: Request) -> ScoreRecord:
    """Settle every cell that the request asks for and keep the score."""
    slowdown = known_slowdown(project, runtime, request)
    learnt = None
    if slowdown is None:
        # What no benchmark calls is answered whatever the slowdown, and how long others take is told by it.
        prepared, profiler = _counted(project, runtime, request)
        learnt = profiler.profiles
        try:
            # What is not counted by now takes long.
            slowdown = from_the_noise(project, runtime, request, learnt)
        except BudgetEndedError:
            return _record(runtime, _unmeasured(project, runtime, request, prepared, profiler), request)
    with prepare(project, runtime, request.methods) as prepared:
        spec = injection(project, request, slowdown.value)
        recorded, _ = runtime.session.spent(prepared.harness.context)
        plain = stability.of_benchmarks(project, runtime, (), {})
        everything = request.protocol == "paper"
        profiler = profiler_of(prepared, everything=everything, learnt=learnt, plain=plain)
        require_control(profiler.profiles)
        ahead = _expected(prepared, runtime, profiler, request)
        if learnt is None or runtime.watch.remaining_s is not None:
            runtime.announce(text.ahead_of(ahead, recorded, settle_all=request.settle_all))
        with runtime.watch.reserving(ahead.needed[Phase.UNSLOWED]):
            verdicts = _verdicts(profiler, _axes(prepared), request, spec)
        settled = _settled(prepared, profiler, spec, verdicts, slowdown)
    settled = _without_probe_effects(project, runtime, settled)
    record = _record(runtime, settled, request)
    runtime.session.store(project.digest, KIND, record)
    return record


def _counted(project: Project, runtime: Runtime, request: Request) -> tuple[Prepared, Profiler]:
    """Return the probed build and its profiler, which has counted calls as far as there is time for it.

    Without a budget of time, say what is ahead: first of all, the unslowed runs of the whole suite.
    """
    with prepare(project, runtime, request.methods) as prepared:
        recorded, _ = runtime.session.spent(prepared.harness.context)
        profiler = profiler_of(prepared)
        if runtime.watch.remaining_s is None:
            ahead = _expected(prepared, runtime, profiler, request, whole_suite=True)
            runtime.announce(text.ahead_of(ahead, recorded, settle_all=request.settle_all))
    return prepared, profiler


def _unmeasured(
    project: Project, runtime: Runtime, request: Request, prepared: Prepared, profiler: Profiler
) -> _Settled:
    """Return what counted calls settle where nothing is measured; count on while there is time."""
    with contextlib.suppress(BudgetEndedError), prepare(project, runtime, request.methods) as again:
        profiler = profiler_of(again, learnt=profiler.profiles)
        while profiler.count_on():
            pass
    spec = injection(project, request, UNKNOWN.value)
    cells = told(profiler.profiles, _axes(prepared), spec, {}, ended=True)
    verdicts = Verdicts(cells=cells, false_alarms=FalseAlarms(cells=0, alarms=0))
    return _settled(prepared, profiler, spec, verdicts, UNKNOWN)


def _settled(
    prepared: Prepared, profiler: Profiler, spec: Injection, verdicts: Verdicts, slowdown: Slowdown
) -> _Settled:
    """Return what is settled in the probed build, with what is to be known of it and of the slowdown."""
    return _Settled(
        prepared=prepared,
        profiler=profiler,
        profiles=profiler.profiles,
        spec=spec,
        verdicts=verdicts,
        remark="; ".join(filter(None, (_remark(prepared), slowdown.remark))),
    )


def _axes(prepared: Prepared) -> Axes:
    """Return the methods that carry a probe, and all benchmarks, those that do not load with them."""
    names = [*prepared.benchmarks, *(broken.id for broken in prepared.discovery.broken)]
    return Axes(methods=prepared.patch.instrumented, benchmarks=names)


def injection(project: Project, request: Request, slowdown: float) -> Injection:
    """Return what to inject for a slowdown."""
    return Injection(
        slowdown=slowdown,
        threshold=slowdown / 2,
        delay_batch_ns=project.language.delay_batch_ns,
        floor_ns=project.language.floor_ns,
        seed=project.settings.seed,
        name=request.protocol,
        settle_all=request.settle_all,
    )


def _expected(
    prepared: Prepared, runtime: Runtime, profiler: Profiler, request: Request, *, whole_suite: bool = False
) -> Forecast:
    """Return what is ahead, now that calls are counted, and let the watch know."""
    ahead = forecast(profiler, prepared.methods, whole_suite=whole_suite)
    after_s = after_score_s(profiler, prepared.methods, whole_suite=whole_suite) if runtime.audits else {}
    runtime.watch.expect(
        {**ahead.asked(request.settle_all), Phase.BUILD: PLAIN_BUILD * prepared.build_s}, after_s
    )
    return ahead


def profiler_of(
    prepared: Prepared,
    *,
    everything: bool = False,
    learnt: CellProfiles | None = None,
    plain: UnslowedRecord | None = None,
) -> Profiler:
    """Return what learns of the cells; benchmarks that the framework could not load count as failed.

    `learnt`: what was learnt of them before. `plain`: what is known of some as they are.
    """
    discovery = prepared.discovery
    plan = ProfilePlan(
        benchmarks=prepared.benchmarks,
        methods=prepared.patch.instrumented,
        target_s=prepared.iteration_s,
        seed=prepared.project.settings.seed,
        everything=everything,
        durations_s=discovery.from_start_s,
        unlisted={broken.id: _unlisted(broken.id, broken.reason) for broken in discovery.broken},
        plain=plain.told if plain else frozenset(),
        iterations=plain.plans.lasting(prepared.iteration_s) if plain else {},
    )
    return Profiler(prepared.harness, plan, learnt)


def _unlisted(name: str, reason: str) -> Trial:
    return Trial(block=f"discovery/{name}", position=0, status=Status.FAILED, reason=reason)


def _verdicts(profiler: Profiler, axes: Axes, request: Request, spec: Injection) -> Verdicts:
    if request.protocol == "switched":
        return interleaved.verdicts(profiler, axes, spec, self_check.prove)
    harness, profiles = profiler.harness, profiler.learn_all()
    try:
        with harness.watch.phase(Phase.CELLS):
            self_check.prove(harness, profiles, spec)
            cells = study_2018.verdicts(harness, profiles, axes, spec)
    except BudgetEndedError:
        cells = told(profiles, axes, spec, {}, ended=True)
    return Verdicts(cells=cells, false_alarms=FalseAlarms(cells=0, alarms=0))


def _without_probe_effects(project: Project, runtime: Runtime, settled: _Settled) -> _Settled:
    """Execute benchmarks as they are, and take the verdict from cells that probes have changed."""
    vanished = _vanished(project, runtime, settled.prepared)
    profiles = replace(settled.profiles, unlisted={**settled.profiles.unlisted, **vanished})
    names = [*profiles.reach, *vanished]
    worth = {share.benchmark for share in profiles.shares.values() if share.highest >= NEGLIGIBLE}
    worth |= {name for name, trial in profiles.failed.items() if trial.status is Status.FAILED}
    plans, ended = profiles.calibration.iteration_plans, False
    wanted = [[name for name in names if name in worth]]
    if runtime.watch.remaining_s is not None:
        # Where time ends, those that verdicts need have been executed.
        deciding = probe_effect.deciding(settled.verdicts.cells, profiles.shares)
        wanted = [*fitting_first(settled.profiler, deciding), *wanted]
    runtime.watch.expect({Phase.UNSLOWED: unslowed_left_s(settled.profiler, worth & plans.keys())})
    try:
        for part in wanted:
            unslowed = stability.of_benchmarks(project, runtime, part, plans)
    except BudgetEndedError:
        unslowed, ended = stability.of_benchmarks(project, runtime, (), plans), True
    cells = probe_effect.reopened(settled.verdicts.cells, profiles.shares, unslowed.spreads, ended=ended)
    if probe_effect.told_apart(profiles.shares, unslowed.spreads)[1]:
        with (
            contextlib.suppress(BudgetEndedError),
            prepare(project, runtime, settled.prepared.methods) as prepared,
        ):
            profiles = probe_effect.believed(prepared, profiles, unslowed.spreads)
    profiles = replace(profiles, works_plain=unslowed.running)
    doubtful = (without_measuring(profiles, *cell, settled.spec) for cell in profiles.doubtful)
    failing = Axes(methods=settled.prepared.patch.instrumented, benchmarks=tuple(profiles.failed))
    working = cells.overridden(doubtful).within(benchmarks=cells.benchmarks - profiles.failed.keys())
    failed = told(profiles, failing, settled.spec, {}, ended=False)
    cells = _with_plain_reach(project, runtime, profiles, Cells.joined([working, failed]))
    return replace(
        settled, profiles=profiles, unslowed=unslowed, verdicts=replace(settled.verdicts, cells=cells)
    )


def _with_plain_reach(project: Project, runtime: Runtime, profiles: CellProfiles, cells: Cells) -> Cells:
    """Return the cells; of benchmarks that probes break only those that call their method lack a verdict."""
    broken = [name for name in broken_by_probes(cells) if name in profiles.works_plain]
    if not broken:
        return cells
    try:
        with prepare(project, runtime, ()) as plain:
            reached = reach(plain.harness, broken, sorted(cells.methods), Counting(mode=Mode.PROFILE))
    except BudgetEndedError:
        return cells
    return without_calls(cells, {counted.benchmark: counted for counted in reached})


def _vanished(project: Project, runtime: Runtime, prepared: Prepared) -> dict[str, Trial]:
    """Return benchmarks that are listed without probes only: their files cannot be loaded with them."""
    if not prepared.discovery.broken:
        return {}
    listed = {benchmark.id for benchmark in prepared.discovery.benchmarks}
    try:
        plain = listing(project, runtime).benchmarks
    except BudgetEndedError:
        # What could not be loaded has no verdict for any method then.
        return {}
    why = prepared.discovery.broken[0].reason
    vanished = kept((benchmark.id for benchmark in plain if benchmark.id not in listed), project.settings)
    return {name: _unlisted(name, why) for name in vanished}


def _unfinished(runtime: Runtime, settled: _Settled) -> Unfinished | None:
    """Return what a budget of time has left over; None: nothing."""
    cells = settled.verdicts.cells
    left = cells.because(Cause.BUDGET)
    if not left:
        return None
    profiler = settled.profiler
    late = {(cell.method, cell.benchmark) for cell in cells.listed if cell.cause is Cause.BUDGET}
    worth = best_first(list(settled.profiles.shares.values()))
    waiting = [share for share in worth if (share.method, share.benchmark) in late]
    further_s = sum(cost_s for name, cost_s in costs_s(profiler).items() if profiler.is_new(name))
    further_s += shares_s(profiler, waiting)
    return Unfinished(
        methods=len(left - cells.noticed),
        further_s=further_s * runtime.watch.pace(Phase.CELLS),
        at_least=settled.profiles.ended,
        uncounted=len(profiler.uncounted),
    )


def _record(runtime: Runtime, settled: _Settled, request: Request) -> ScoreRecord:
    context = settled.prepared.harness.context
    trials, benchmark_s = runtime.session.spent(context)
    phases = runtime.watch.phases()
    cost = Cost(
        total_s=runtime.watch.total_s,
        phases=phases,
        benchmark_s=benchmark_s,
        build_s=phases[Phase.BUILD],
        paper_protocol_s=_paper_s(settled, len(request.methods)),
    )
    evidence = _evidence(runtime, settled, request)
    score_settings = ScoreSettings(
        protocol=request.protocol,
        slowdown=settled.spec.slowdown,
        runs=protocol.RUNS,
        false_alarms=settled.verdicts.false_alarms,
        cost=cost,
    )
    return ScoreRecord(
        request=request,
        context=context,
        trials=trials,
        shares=_shares(settled.profiles),
        identity=identity(settled.prepared.project),
        evidence=evidence,
        result=scores.score(evidence, score_settings),
    )


def _evidence(runtime: Runtime, settled: _Settled, request: Request) -> Evidence:
    profiles = settled.profiles
    part = ""
    if request.shard:
        part = f"only shard {request.shard} of the benchmarks; abs-audit merge puts all shards together"
    return Evidence(
        methods=request.methods,
        cells=settled.verdicts.cells,
        skipped=settled.prepared.patch.skipped,
        spreads={spread.benchmark: spread.max_spread for spread in settled.unslowed.spreads},
        broken=profiles.broken,
        changed=frozenset(name for _, name in profiles.doubtful),
        unfinished=_unfinished(runtime, settled),
        remark=settled.remark,
        part=part,
    )


def _remark(prepared: Prepared) -> str:
    settings = prepared.project.settings
    chosen = settings.benchmarks or settings.exclude_benchmarks
    # Without their number, which is another in each shard of one score.
    left = "only the chosen benchmarks of the suite asked: others may notice more"
    return "; ".join(filter(None, (prepared.remark, left if chosen else "")))


def _shares(profiles: CellProfiles) -> dict[str, dict[str, float]]:
    shares = grouped((method, (name, share.share)) for (method, name), share in profiles.shares.items())
    return {method: dict(of_benchmark) for method, of_benchmark in shares.items()}


def _paper_s(settled: _Settled, methods: int) -> float | None:
    """Return the benchmark-seconds of the 2018 protocol; None if a budget left benchmarks never executed."""
    if settled.profiler.uncounted:
        return None
    return scores.paper_cost_s(methods, study_2018.run_s(settled.profiles.reach.values()))
