"""What is asked beyond what was answered before: only that is built, counted and measured."""

from dataclasses import replace

from abs_audit.analyses.score import model as scores
from abs_audit.analyses.score.combining import completed, kept_beside, of_methods, of_this_command, together
from abs_audit.analyses.score.measure import measure
from abs_audit.analyses.score.model import Cost, Evidence, ScoreSettings, Unfinished
from abs_audit.analyses.score.record import KIND, Request, ScoreRecord, identity, recorded
from abs_audit.analyses.score.slowdown import UNKNOWN, known_slowdown
from abs_audit.analyses.stability import measure as stability
from abs_audit.experiment.preparation import kept_listing
from abs_audit.experiment.projects import Project
from abs_audit.experiment.protocol import RUNS
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.watch import BudgetEndedError, Phase
from abs_audit.model.cells import Cells
from abs_audit.model.explanation import Cause
from abs_audit.model.verdict import FalseAlarms
from abs_audit.wording import count

LEFT_OPEN = (Cause.BUDGET, Cause.NOT_RUN)
"""Why a cell lacks a verdict that the same command can still give."""


def measure_missing(
    project: Project, runtime: Runtime, request: Request, before: ScoreRecord | None = None
) -> ScoreRecord:
    """Settle what no score of these very sources has settled, and keep the score of all that is asked.

    Answers are taken over where slowdown, protocol, seed and benchmarks are the same. `before`: what this
    command has answered of the same request.
    """
    earlier = before or _comparable(project, runtime, request)
    missing = still_missing(earlier, request) if earlier else request.methods
    taken_over = tuple(method for method in request.methods if method not in missing)
    if earlier is None or not taken_over:
        return in_time(project, runtime, request, earlier)
    runtime.announce(f"{len(taken_over)} of {count(request.methods, 'method')} are answered already")
    parts = [of_methods(earlier, taken_over)]
    if missing:
        parts.insert(0, in_time(project, runtime, replace(request, methods=missing), earlier))
    spreads = stability.of_benchmarks(project, runtime, (), {}).spreads
    record = of_this_command(runtime, completed(together(request, parts), spreads))
    runtime.session.store(project.digest, KIND, record)
    return record


def in_time(
    project: Project, runtime: Runtime, request: Request, earlier: ScoreRecord | None = None
) -> ScoreRecord:
    """Measure, and keep that; where a budget of time ends before anything is settled, return what was known.

    `earlier`: of these sources; None: no method has a verdict then.
    """
    try:
        measured = measure(project, runtime, request)
    except BudgetEndedError:
        before = of_methods(earlier, request.methods) if earlier else _nothing(project, runtime, request)
    else:
        record = kept_beside(measured, earlier) if earlier else measured
        # What counted calls alone have told is kept where nothing else is.
        if record is not measured or recorded(project, runtime) is None:
            runtime.session.store(project.digest, KIND, record)
        return record
    evidence = replace(before.evidence, unfinished=_left_over(request, before.evidence, earlier))
    record = replace(
        before,
        request=request,
        identity=identity(project),
        evidence=evidence,
        result=scores.score(evidence, before.result),
        built=(),
    )
    return of_this_command(runtime, record)


def _left_over(request: Request, evidence: Evidence, earlier: ScoreRecord | None) -> Unfinished:
    """Return what a budget left over that ended before anything was settled beyond what is known."""
    new = set(request.methods) - evidence.cells.methods
    if earlier and earlier.evidence.unfinished and not new:
        return earlier.evidence.unfinished
    left = evidence.cells.because(*LEFT_OPEN) - evidence.cells.noticed
    return Unfinished(methods=len(left | new), further_s=0.0, at_least=True)


def _nothing(project: Project, runtime: Runtime, request: Request) -> ScoreRecord:
    """Return the score of a question of which nothing is known."""
    slowdown = known_slowdown(project, runtime, request) or UNKNOWN
    evidence = Evidence(
        methods=request.methods, cells=Cells(), skipped=(), spreads={}, remark=slowdown.remark
    )
    score_settings = ScoreSettings(
        protocol=request.protocol,
        slowdown=slowdown.value,
        runs=RUNS,
        false_alarms=FalseAlarms(cells=0, alarms=0),
        cost=Cost(benchmark_s=0.0, build_s=runtime.watch.phases()[Phase.BUILD.value], paper_protocol_s=None),
    )
    return ScoreRecord(
        request=request,
        context="",
        trials=0,
        shares={},
        identity=identity(project),
        evidence=evidence,
        result=scores.score(evidence, score_settings),
    )


def _comparable(project: Project, runtime: Runtime, request: Request) -> ScoreRecord | None:
    """Return the newest score of these sources if it asked the same question of the same benchmarks."""
    earlier, listed = recorded(project, runtime), kept_listing(project, runtime)
    if earlier is None or listed is None or runtime.executor.place:
        return None
    question = replace(request, methods=earlier.request.methods, source=earlier.request.source)
    if not request.settle_all:
        question = replace(question, settle_all=earlier.request.settle_all)
    same_benchmarks = earlier.evidence.cells.benchmarks == {benchmark.id for benchmark in listed.benchmarks}
    same_seed = runtime.session.context(earlier.context).get("seed") == project.settings.seed
    return earlier if question == earlier.request and same_benchmarks and same_seed else None


def still_missing(earlier: ScoreRecord, request: Request) -> tuple[str, ...]:
    """Return the methods that have to be measured; all of the newest build where it goes on with that."""
    cells = earlier.evidence.cells
    answered = cells.methods - cells.because(*LEFT_OPEN)
    if set(request.methods) < set(earlier.newest):
        # Without the probes of the others, a benchmark may be what it is.
        answered -= cells.because(Cause.CHANGED_BY_PROBE) - cells.noticed
    answered |= {skipped.method for skipped in earlier.evidence.skipped}
    missing = tuple(method for method in request.methods if method not in answered)
    goes_on = missing and set(missing) <= set(earlier.newest) <= set(request.methods)
    return earlier.newest if goes_on else missing
