"""Scores for reviews: of what a change touches, of shards put together, and whether one is worse."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from abs_audit.analyses.rootcause.calls.changes import Sources
from abs_audit.analyses.score.against import turns
from abs_audit.analyses.score.further import of_this_command
from abs_audit.analyses.score.measure import measure
from abs_audit.analyses.score.model import Score, Since
from abs_audit.analyses.score.record import (
    ADAPTER,
    KIND,
    Request,
    ScoreRecord,
    digest,
    identity,
    of_methods,
    together,
)
from abs_audit.analyses.score.since import untouched
from abs_audit.errors import MismatchError, UsageError
from abs_audit.execution.commits import texts_at
from abs_audit.experiment.preparation import Project, Runtime
from abs_audit.experiment.session import Session
from abs_audit.grouping import grouped
from abs_audit.model.verdict import Verdict


def measure_since(project: Project, runtime: Runtime, request: Request, revision: str) -> ScoreRecord:
    """Settle the methods that a change touches, and take the others' answers from the newest score.

    A method that no earlier score answers is measured as if it were touched. Raises UsageError where the
    revision does not exist.
    """
    before = texts_at(project.subject.root, revision, project.language.suffixes)
    earlier = _earlier(project, runtime, request, digest(before))
    cells = earlier.evidence.cells if earlier else ()
    called = (cell for cell in cells if cell.verdict is not Verdict.UNREACHED)
    callers = grouped((cell.method, cell.benchmark) for cell in called)
    now = project.sources()
    functions = project.language.injector.all_functions
    sides = (Sources(tree=tree, methods=functions(tree)) for tree in (before, now))
    others = untouched(*sides, request.methods, callers)
    answered = {verdict.method for verdict in earlier.result.methods} if earlier else set()
    taken_over = tuple(method for method in others if method in answered)
    wanted = tuple(method for method in request.methods if method not in taken_over)
    public = project.language.injector.api_methods
    known = {*request.methods, *(method.id for method in public(before).methods)}
    unasked = tuple(method.id for method in public(now).methods if method.id not in known)
    since = Since(revision=revision, measured=wanted, taken_over=taken_over, unasked=unasked)
    if earlier is None or not taken_over:
        record = measure(project, runtime, request)
    else:
        older = of_methods(earlier, taken_over)
        asked = replace(request, slowdown=earlier.result.slowdown)
        parts = [older]
        if wanted:
            new = measure(project, runtime, replace(asked, methods=wanted))
            parts = [new, older if request.shard else _without_removed(older, new.evidence.spreads)]
        record = together(replace(asked, methods=request.methods), parts)
        record = of_this_command(runtime, record)
        record = replace(record, identity=identity(project))
    if earlier and not request.shard:
        since = replace(since, lost=tuple(worse(record.result, earlier.result)))
    result = replace(record.result, since=since)
    if earlier and taken_over and earlier.identity.texts != digest(before):
        told = (
            f"the score before is of other sources than {revision}: what else differs between them was not "
            f"asked again; score {revision} itself once"
        )
        result = result.warning(told)
    record = replace(record, result=result)
    runtime.session.store(project.digest, KIND, ADAPTER, record)
    return record


def _without_removed(record: ScoreRecord, benchmarks: Container[str]) -> ScoreRecord:
    """Return what a record says of the benchmarks that are still there."""
    evidence = record.evidence
    spreads = {name: spread for name, spread in evidence.spreads.items() if name in benchmarks}
    cells = tuple(cell for cell in evidence.cells if cell.benchmark in benchmarks)
    return replace(record, evidence=replace(evidence, spreads=spreads, cells=cells))


def _earlier(project: Project, runtime: Runtime, request: Request, texts: str) -> ScoreRecord | None:
    """Return the newest score that asked the same question of these sources, or else of any state."""
    subject = project.subject
    records = [
        record
        for record in runtime.session.every(KIND, ADAPTER).values()
        if (record.identity.subject, record.identity.framework) == (subject.name, subject.framework)
        and request.slowdown in (None, record.result.slowdown)
        and record.request.protocol == request.protocol
    ]
    return next((record for record in records if record.identity.texts == texts), next(iter(records), None))


def merge(
    sessions: Sequence[Session], suites: Sequence[Sequence["Shard"]], target: Session
) -> list[ScoreRecord]:
    """Put what shards have recorded into one session, and return the score of each suite as a whole.

    `suites`: what `check` returned of the sessions.
    """
    for session in sessions:
        target.absorb(session)
    return [_merged_suite(shards, target) for shards in suites]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One score, and where it is recorded."""

    path: Path
    context: str
    record: ScoreRecord


def check(sessions: Sequence[Session]) -> list[list[Shard]]:
    """Return the shards of each suite.

    Raises MismatchError where the sessions are not shards of one score, UsageError where one holds none.
    """
    suites: dict[str, list[Shard]] = {}
    for session in sessions:
        newest_of: dict[str, Shard] = {}
        for context, record in session.every(KIND, ADAPTER).items():
            shard = Shard(path=session.path, context=context, record=record)
            newest_of.setdefault(record.identity.framework, shard)
        if not newest_of:
            raise UsageError(
                f"{session.path}: no score is recorded; measure one with: abs-audit score --shard K/N"
            )
        for framework, shard in newest_of.items():
            suites.setdefault(framework, []).append(shard)
    for shards in suites.values():
        for shard in shards[1:]:
            _require_one_question(shards[0], shard)
    return list(suites.values())


def _merged_suite(shards: Sequence[Shard], target: Session) -> ScoreRecord:
    parts = [shard.record for shard in shards]
    missing = missing_shards([record.request.shard for record in parts])
    whole = together(replace(parts[0].request, shard=parts[0].request.shard if missing else None), parts)
    if missing:
        told = f"shards {', '.join(missing)} are missing: what only their benchmarks notice counts as missed"
        whole = replace(whole, result=whole.result.warning(told))
    for shard in shards:
        target.store(shard.context, KIND, ADAPTER, whole)
    return whole


def _require_one_question(first: Shard, other: Shard) -> None:
    refusal = f"{other.path} and {first.path} do not belong together"
    asked, asked_first = other.record.result, first.record.result
    if other.record.identity != first.record.identity:
        raise MismatchError(f"{refusal}: they are about different sources")
    odd = sorted(set(other.record.request.methods) ^ set(first.record.request.methods))
    if odd:
        raise MismatchError(
            f"{refusal}: only one of them asked about {odd[0]}; "
            "measure all shards with the same --methods FILE"
        )
    if asked.slowdown != asked_first.slowdown:
        raise MismatchError(
            f"{refusal}: slowdowns of {asked_first.slowdown:g} and {asked.slowdown:g}; "
            "measure all shards with the same --slowdown"
        )
    if asked.protocol != asked_first.protocol:
        raise MismatchError(f"{refusal}: they follow different protocols")


def missing_shards(shards: Iterable[str | None]) -> list[str]:
    """Return which parts are not there; none where one of the scores is whole."""
    named = set(shards)
    if None in named:
        return []
    counts = {name.partition("/")[2] for name in named if name is not None}
    if len(counts) > 1:
        raise MismatchError(f"shards of different numbers of parts: {', '.join(sorted(filter(None, named)))}")
    (count,) = counts
    return [part for number in range(1, int(count) + 1) if (part := f"{number}/{count}") not in named]


def worse(now: Score, before: Score) -> list[str]:
    """Return the methods that were detected before and are not watched now; no verdict is not worse."""
    return [turn.method for turn in turns(now, before) if turn.lost]


def newest(session: Session, framework: str) -> Score:
    """Return the newest score of a framework's suite in a session; raise UsageError where there is none."""
    for record in session.every(KIND, ADAPTER).values():
        if record.identity.framework == framework:
            return record.result
    raise UsageError(f"{session.path}: no score of a {framework} suite is recorded there")
