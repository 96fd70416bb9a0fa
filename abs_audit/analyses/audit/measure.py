"""Gathers what a session knows of a subject into the one report that is rendered."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from abs_audit import __version__
from abs_audit.analyses.audit.injected import changed
from abs_audit.analyses.audit.model import AuditReport, Definition
from abs_audit.analyses.score import record as scoring
from abs_audit.analyses.score.combining import completed
from abs_audit.analyses.score.record import ScoreRecord
from abs_audit.analyses.selection import measure as selecting
from abs_audit.analyses.sensitivity import measure as sensing
from abs_audit.analyses.stability import measure as stability
from abs_audit.analyses.stability.model import violins
from abs_audit.analyses.stubs import measure as stubbing
from abs_audit.analyses.trace import measure as tracing
from abs_audit.experiment import recorded_runs
from abs_audit.experiment.environment import fingerprint
from abs_audit.experiment.preparation import probed
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime
from abs_audit.experiment.session import ResultKind
from abs_audit.interfaces import Injector
from abs_audit.model.cost import CommandCost
from abs_audit.model.subject import ApiMethod, Patch, SourceTree

COST = ResultKind("audit cost", CommandCost)


def finish(project: Project, runtime: Runtime, scored: ScoreRecord | None) -> AuditReport:
    """Keep what the audit took up to now, and return everything that is known."""
    runtime.session.store(project.digest, COST, runtime.watch.cost)
    return gather(project, runtime, scored)


def gather(project: Project, runtime: Runtime, scored: ScoreRecord | None = None) -> AuditReport:
    """Return everything that is recorded of this very subject; executes nothing.

    `scored`: instead of the score that is recorded.
    """
    session, context = runtime.session, project.digest
    stable = stability.recorded(project, runtime)
    scored = scored or scoring.recorded(project, runtime)
    if scored and stable:
        scored = completed(scored, stable.result.benchmarks)
    traced = tracing.recorded(project, runtime)
    selected = session.load(context, selecting.SELECTION)
    design = f"{scored.result.protocol}/{scored.result.slowdown:g}" if scored else ""
    return AuditReport(
        version=__version__,
        subject=project.subject,
        discovery=replace(stable.discovery, durations_s=stable.runs.durations) if stable else None,
        trace=traced.result if traced else None,
        stability=stable.result if stable else None,
        violins=violins(stable.runs.values) if stable else (),
        score=scored.result if scored else None,
        runs=recorded_runs.of_cells(session, scored.result.cells, design) if scored else {},
        definitions=_definitions_of(project, runtime, scored) if scored else {},
        sensitivity=session.load(context, sensing.KIND),
        redundancy=session.load(context, selecting.REDUNDANCY),
        selection=selected.result if selected else None,
        selection_filter=selected.filter if selected else "",
        stubs=session.load(context, stubbing.KIND),
        cost=session.load(context, COST),
        seed=project.settings.seed,
        environment=fingerprint(),
    )


def _definitions_of(project: Project, runtime: Runtime, scored: ScoreRecord) -> dict[str, Definition]:
    patch = probed(project, runtime, scored.request.methods)
    return definitions(project.language.injector, project.sources(), patch)


def definitions(injector: Injector, sources: SourceTree, patch: Patch) -> dict[str, Definition]:
    """Return where methods that carry probes stand in the sources, and what the probes change there."""
    listed, instrumented = _beside(injector, sources, patch), frozenset(patch.instrumented)
    methods = [method for method in listed if method.id in instrumented]
    paths = {method.path for method in methods}
    changes = {path: changed(sources[path], patch.files.get(path, sources[path])) for path in paths}
    return {
        method.id: Definition(
            id=method.id,
            path=method.path,
            line=method.line,
            injected=changes[method.path].within(method.line, _end(listed, method)),
        )
        for method in methods
    }


def _beside(injector: Injector, sources: SourceTree, patch: Patch) -> Sequence[ApiMethod]:
    """Return all functions of the files that probed methods stand in: reading the others takes long.

    Of all files, where that does not name every method: its id may hold types that others declare.
    """
    holding = patch.files.keys() & sources.keys()
    kinds = tuple({PurePosixPath(path).suffix for path in holding})
    read = {path: "" if path.endswith(kinds) and path not in holding else sources[path] for path in sources}
    listed = injector.all_functions(read)
    named = {method.id for method in listed}.issuperset(patch.instrumented)
    return listed if named else injector.all_functions(sources)


def _end(listed: Sequence[ApiMethod], method: ApiMethod) -> int:
    """Return where the next definition of the file begins; past its end for the last."""
    following = [other.line for other in listed if other.path == method.path and other.line > method.line]
    return min(following, default=sys.maxsize)
