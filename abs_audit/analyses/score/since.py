"""The score of a change: what it touches is measured, the other answers come from an earlier score."""

from collections.abc import Container
from dataclasses import replace

from abs_audit.analyses.rootcause.calls.changes import Sources
from abs_audit.analyses.score.against import lost
from abs_audit.analyses.score.combining import of_methods, of_this_command, together
from abs_audit.analyses.score.further import in_time
from abs_audit.analyses.score.model import Since
from abs_audit.analyses.score.record import KIND, Request, ScoreRecord, digest, identity
from abs_audit.analyses.score.untouched import untouched
from abs_audit.execution.commits import texts_at
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime
from abs_audit.grouping import grouped
from abs_audit.model.cells import Cells
from abs_audit.model.explanation import Cause
from abs_audit.model.subject import SourceTree
from abs_audit.model.verdict import Verdict


def measure_since(project: Project, runtime: Runtime, request: Request, revision: str) -> ScoreRecord:
    """Settle the methods that a change touches, and take the others' answers from the newest score.

    A method that no earlier score answers is measured as if it were touched. Raises UsageError where the
    revision does not exist.
    """
    texts = texts_at(project.subject.root, revision, project.language.suffixes)
    before = project.language.as_built(texts, project.settings.environment)
    earlier = _earlier(project, runtime, request, digest(before))
    since = replace(_touched(project, request, before, earlier), revision=revision)
    if earlier is None or not since.taken_over:
        record = in_time(project, runtime, request)
    else:
        record = _combined(project, runtime, request, earlier, since)
    if earlier and not request.shard:
        since = replace(since, lost=lost(record.result, earlier.result))
    result = replace(record.result, since=since)
    if earlier and since.taken_over and earlier.identity.texts != digest(before):
        result = result.warning(
            f"the score before is of other sources than {revision}: what else differs between them was not "
            f"asked again; score {revision} itself once"
        )
    record = replace(record, result=result)
    runtime.session.store(project.digest, KIND, record)
    return record


def _earlier(project: Project, runtime: Runtime, request: Request, texts: str) -> ScoreRecord | None:
    """Return the newest score that asked the same question of these sources, or else of any state."""
    subject = project.subject
    records = [
        record
        for record in runtime.session.every(KIND).values()
        if (record.identity.subject, record.identity.framework) == (subject.name, subject.framework)
        and request.slowdown in (None, record.result.slowdown)
        and record.request.protocol == request.protocol
    ]
    return next((record for record in records if record.identity.texts == texts), next(iter(records), None))


def _touched(project: Project, request: Request, before: SourceTree, earlier: ScoreRecord | None) -> Since:
    """Return which methods have to be measured, and for which an earlier score has the answer."""
    injector, now = project.language.injector, project.sources()
    cells = earlier.evidence.cells if earlier else Cells()
    callers = grouped(
        (cell.method, cell.benchmark) for cell in cells if cell.verdict is not Verdict.UNREACHED
    )
    old, new = (Sources(tree=tree, methods=injector.all_functions(tree)) for tree in (before, now))
    answers = _answered(earlier) if earlier else ()
    taken_over = [method for method in untouched(old, new, request.methods, callers) if method in answers]
    old_ids = {*request.methods, *(method.id for method in injector.api_methods(before).methods)}
    return Since(
        revision="",
        measured=tuple(method for method in request.methods if method not in taken_over),
        taken_over=tuple(taken_over),
        unasked=tuple(method.id for method in injector.api_methods(now).methods if method.id not in old_ids),
    )


def _answered(earlier: ScoreRecord) -> frozenset[str]:
    """Return the methods that a score has come to: where its budget had ended, nobody has asked yet."""
    return frozenset(method.method for method in earlier.result.methods if method.cause is not Cause.BUDGET)


def _combined(
    project: Project, runtime: Runtime, request: Request, earlier: ScoreRecord, since: Since
) -> ScoreRecord:
    """Return the earlier answers together with those that have to be measured."""
    parts = [of_methods(earlier, since.taken_over)]
    asked = replace(request, slowdown=earlier.result.slowdown)
    if since.measured:
        new = in_time(project, runtime, replace(asked, methods=since.measured))
        # A method that was measured has a cell with every benchmark that there is.
        there = new.evidence.cells.benchmarks
        if there and not request.shard:
            parts = [_without_removed(parts[0], there)]
        parts.insert(0, new)
    return replace(of_this_command(runtime, together(asked, parts)), identity=identity(project))


def _without_removed(record: ScoreRecord, benchmarks: Container[str]) -> ScoreRecord:
    """Return what a record says of the benchmarks that are still there."""
    evidence = record.evidence
    spreads = {name: spread for name, spread in evidence.spreads.items() if name in benchmarks}
    cells = evidence.cells.within(benchmarks=benchmarks)
    return replace(record, evidence=replace(evidence, spreads=spreads, cells=cells))
