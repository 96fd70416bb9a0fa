"""Which API methods matter? Executes the unit tests of downstream projects against the library's copy."""

import hashlib
import os
import shutil
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, replace

from abs_audit.errors import ControlFailedError, without_passwords
from abs_audit.execution import origin
from abs_audit.execution.origin import Origin
from abs_audit.execution.workspace import workspace
from abs_audit.experiment.preparation import Prepared, prepare
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime, execute, execute_all
from abs_audit.experiment.session import ResultKind
from abs_audit.interfaces import DownstreamCounts
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


KIND = ResultKind("trace", TraceRecord)


def recorded(project: Project, runtime: Runtime) -> TraceRecord | None:
    """Return the newest trace of this very subject, or None."""
    return runtime.session.load(project.digest, KIND)


def measure(project: Project, runtime: Runtime, given: Sequence[str], ranking: Ranking) -> TraceRecord:
    """Trace every downstream and rank the methods that they call.

    A downstream that cannot be built or tested is named in the warnings; where none can, it is an error.
    """
    traced: list[TracedDownstream] = []
    problems: list[str] = []
    with ExitStack() as opened, prepare(project, runtime, ()) as prepared:
        problems += filter(None, [prepared.remark])
        methods = [method.id for method in project.language.injector.api_methods(project.sources()).methods]
        tracing = _Tracing(prepared=prepared, runtime=runtime, methods=methods, opened=opened)
        for source, future in tracing.begun(given).items():
            try:
                traced.append(future.result())
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
    runtime.session.store(project.digest, KIND, record)
    return record


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tracing:
    """Traces downstreams of one library."""

    prepared: Prepared
    runtime: Runtime
    methods: Sequence[str]
    opened: ExitStack
    """The workspaces, which whoever waits for the traces leaves: no interruption comes to their threads."""

    def begun(self, given: Sequence[str]) -> dict[str, "Future[TracedDownstream]"]:
        """Return each downstream's trace to come: several at once where they do not disturb each other."""
        futures: dict[str, Future[TracedDownstream]] = {source: Future() for source in given}
        waiting = iter(futures.items())
        for _ in range(min(len(futures), self._width())):
            # An interruption waits for none of them: what they have started ends with this process.
            threading.Thread(target=self._work_off, args=[waiting], daemon=True).start()
        return futures

    def _width(self) -> int:
        """Return how many downstreams are traced at once: of containers and hosts one waits for one."""
        project = self.prepared.project
        elsewhere = project.settings.runner != "local" or project.settings.cluster
        return 1 if elsewhere or not project.language.tracer.side_by_side else os.cpu_count() or 1

    def _work_off(self, waiting: Iterator[tuple[str, "Future[TracedDownstream]"]]) -> None:
        for source, future in waiting:
            try:
                future.set_result(self._traced(source))
            except BaseException as error:
                future.set_exception(error)

    def _traced(self, given: str) -> TracedDownstream:
        """Trace one downstream in a workspace of its own, or take it from the session."""
        project = self.prepared.project
        opened = self.opened.enter_context(workspace(f"{project.subject.root}\0downstream\0{given}"))
        shutil.rmtree(opened.tree)
        opened.tree.mkdir()
        brought = self._bring(opened, given)
        name = "trace/" + hashlib.sha256(f"{brought.name}\0{brought.digest}".encode()).hexdigest()
        kind = ResultKind(name, TracedDownstream)
        recorded_before = self.runtime.session.load(project.digest, kind)
        if recorded_before is not None:
            return recorded_before
        self.runtime.progress(f"tracing {brought.name}", 0, 0)
        traced = TracedDownstream(origin=brought, counts=self._count(opened))
        self.runtime.session.store(project.digest, kind, traced)
        return traced

    def _bring(self, opened: Workspace, given: str) -> Origin:
        """Copy a downstream project, wherever it is, into its workspace."""
        tracer = self.prepared.project.language.tracer
        release = tracer.release(opened, given, self.prepared.harness.settings)
        outputs = [execute(self.runtime, command).output for command in release]
        if not outputs:
            return origin.bring(given, opened.tree)
        return replace(origin.bring(outputs[-1].strip(), opened.tree), name=given)

    def _count(self, opened: Workspace) -> DownstreamCounts:
        tracer, library = self.prepared.project.language.tracer, self.prepared.harness.workspace.tree
        settings = self.prepared.harness.settings
        execute_all(self.runtime, tracer.prepare(opened, library, settings))
        command = tracer.command(opened, library, settings)
        self.runtime.progress(command.purpose, 0, 0)
        return tracer.counts(opened, self.methods, self.runtime.executor.execute(command))
