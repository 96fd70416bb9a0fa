"""Which API methods matter? Executes the unit tests of downstream projects against the library's copy."""

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from abs_audit.errors import ControlFailedError, UsageError, without_passwords
from abs_audit.execution import origin
from abs_audit.execution.origin import Origin
from abs_audit.execution.workspace import workspace
from abs_audit.experiment.preparation import Prepared, Project, Runtime, execute, execute_all, prepare
from abs_audit.interfaces import DownstreamCounts, Tracer
from abs_audit.model.experiment import Workspace
from abs_audit.model.trace import Ranking, TraceResult
from abs_audit.tracers.ranking import rank


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedDownstream:
    """One downstream project and what its tests called."""

    origin: Origin
    counts: DownstreamCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRecord:
    """What a trace leaves in the session."""

    downstreams: tuple[TracedDownstream, ...]
    result: TraceResult


DOWNSTREAM = TypeAdapter(TracedDownstream)
ADAPTER = TypeAdapter(TraceRecord)
KIND = "trace"


def recorded(project: Project, runtime: Runtime) -> TraceRecord | None:
    """Return the newest trace of this very subject, or None."""
    return runtime.session.load(project.digest, KIND, ADAPTER)


def measure(project: Project, runtime: Runtime, given: Sequence[str], ranking: Ranking) -> TraceRecord:
    """Trace every downstream and rank the methods that they call.

    A downstream that cannot be built or tested is named in the warnings; where none can, it is an error.
    """
    tracer_of(project)
    traced: list[TracedDownstream] = []
    problems: list[str] = []
    with prepare(project, runtime, ()) as prepared:
        problems += filter(None, [prepared.remark])
        methods = [method.id for method in project.language.injector.api_methods(project.sources()).methods]
        for source in given:
            try:
                traced.append(_trace(prepared, runtime, source, methods))
            except ControlFailedError as error:
                problems.append(without_passwords(f"{source}: {error}"))
    if not traced:
        raise ControlFailedError("no downstream project could be traced:\n" + "\n".join(problems))
    ranked = rank(
        {downstream.origin.name: (downstream.origin.commit, downstream.counts) for downstream in traced},
        ranking,
        tuple(problems),
    )
    record = TraceRecord(downstreams=tuple(traced), result=ranked)
    runtime.session.store(project.digest, KIND, ADAPTER, record)
    return record


def tracer_of(project: Project) -> Tracer:
    """Return the tracer of a project's language; raise UsageError where there is none yet."""
    if project.language.tracer is None:
        raise UsageError(
            f"tracing is not available yet for {project.language.name}; "
            "name the methods in a file, one a line: abs-audit score --methods FILE"
        )
    return project.language.tracer


def _trace(prepared: Prepared, runtime: Runtime, given: str, methods: Sequence[str]) -> TracedDownstream:
    """Trace one downstream in a workspace of its own, or take it from the session."""
    project = prepared.project
    with workspace(f"{project.subject.root}\0downstream\0{given}") as opened:
        shutil.rmtree(opened.tree)
        opened.tree.mkdir()
        brought = _bring(prepared, runtime, opened, given)
        kind = "trace/" + hashlib.sha256(f"{brought.name}\0{brought.digest}".encode()).hexdigest()
        recorded_before = runtime.session.load(project.digest, kind, DOWNSTREAM)
        if recorded_before is not None:
            return recorded_before
        runtime.progress(f"tracing {brought.name}", 0, 0)
        counts = _count(prepared, runtime, opened, methods)
    traced = TracedDownstream(origin=brought, counts=counts)
    runtime.session.store(project.digest, kind, DOWNSTREAM, traced)
    return traced


def _bring(prepared: Prepared, runtime: Runtime, opened: Workspace, given: str) -> Origin:
    """Copy a downstream project, wherever it is, into its workspace."""
    release = tracer_of(prepared.project).release(opened, given, prepared.harness.settings)
    outputs = [execute(runtime, command).output for command in release]
    if not outputs:
        return origin.bring(given, opened.tree)
    return replace(origin.bring(outputs[-1].strip(), opened.tree), name=given)


def _count(
    prepared: Prepared, runtime: Runtime, opened: Workspace, methods: Sequence[str]
) -> DownstreamCounts:
    tracer, library = tracer_of(prepared.project), prepared.harness.workspace.tree
    settings = prepared.harness.settings
    execute_all(runtime, tracer.prepare(opened, opened.tree, library, settings))
    command = tracer.command(opened, opened.tree, library, settings)
    runtime.progress(command.purpose, 0, 0)
    return tracer.counts(opened, methods, runtime.executor.execute(command))
