"""From a checkout to a harness: copy, probe, fetch, build, discover."""

import contextlib
import functools
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from abs_audit import __version__
from abs_audit.advising import advised
from abs_audit.errors import ControlFailedError, UsageError
from abs_audit.execution.workspace import workspace
from abs_audit.experiment.building import build_copy
from abs_audit.experiment.choosing import chosen
from abs_audit.experiment.environment import fingerprint
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.projects import Project, workspace_key
from abs_audit.experiment.runtime import TELLING, Runtime
from abs_audit.experiment.session import ResultKind
from abs_audit.experiment.watch import Phase
from abs_audit.languages.records import records
from abs_audit.model.experiment import Workspace
from abs_audit.model.subject import BrokenBenchmark, Discovery, Patch, Skipped

NOTHING: Mapping[str, str] = {}
LISTING = ResultKind(f"listing/{__version__}", Discovery)
PROPOSAL_S = 20.0
"""No proposed benchmark may take longer: arguments that were made up let some wait for ever."""
LISTED_PART = 0.1
"""Part of what a budget leaves that one benchmark may take while it is listed..."""
LISTED_S = 10.0
"""...but so many seconds at least."""
NO_PATCH = Patch(files={}, instrumented=(), skipped=(), build_id="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A project whose copy is built and whose benchmarks are known."""

    project: Project
    harness: Harness
    discovery: Discovery
    methods: tuple[str, ...]
    """The methods that were to carry a probe."""
    patch: Patch
    build_s: float

    @property
    def benchmarks(self) -> list[str]:
        """Ids of the benchmarks to work on."""
        return [benchmark.id for benchmark in self.discovery.benchmarks]

    @property
    def remark(self) -> str:
        """What to know of the build where no probe sees all that is executed."""
        return self.project.language.remark(self.harness.workspace.tree)

    @property
    def iteration_s(self) -> float:
        """Wanted duration of an iteration where arms are compared, in seconds."""
        return self.project.settings.iteration_s * self.project.language.iteration_part


@contextlib.contextmanager
def prepare(
    project: Project, runtime: Runtime, methods: Sequence[str], additions: Mapping[str, str] = NOTHING
) -> Iterator[Prepared]:
    """Yield the project with every method of `methods` probed; raise ControlFailedError where it fails.

    `additions`: new files of the copy, relative path → text.
    """
    project = project.within(PROPOSAL_S) if additions else project
    patch = probed(project, runtime, methods) if methods else NO_PATCH
    unprobed = project.language.builds_long and not methods and not additions
    with workspace(workspace_key(project), unprobed=unprobed) as opened:
        runtime.progress("preparing the copy", 0, 0)
        build_s = build_copy(project, runtime, opened, {**patch.files, **additions})
        patch = executed_part(patch, project.language.unseen(opened.tree, patch.instrumented))
        with runtime.watch.phase(Phase.LIST):
            context = _context(project, runtime, patch, additions)
            keys = (context,) if additions else (context, project.digest)
            listed = (runtime.listed[key] for key in keys if key in runtime.listed)
            discovery = next(listed, None) or _discover(project, runtime, opened, additions)
            runtime.listed[context] = discovery
            if not additions and all(_stays_broken(broken, patch) for broken in discovery.broken):
                # Probes add none.
                runtime.listed[project.digest] = discovery
            # What was proposed has no name yet that anybody could have chosen.
            discovery = discovery if additions else chosen(discovery, project.settings)
        harness = Harness(
            suite=project.framework.suite,
            workspace=opened,
            settings=project.settings.build(),
            executor=runtime.executor,
            session=runtime.session,
            context=context,
            build_id=patch.build_id,
            progress=runtime.progress,
            language=project.language,
            longest_s=project.settings.timeout_s,
            watch=runtime.watch,
            may_call=_may_call(project, runtime, opened),
            bodies=patch.bodies,
        )
        yield Prepared(
            project=project,
            harness=harness,
            discovery=discovery,
            methods=tuple(methods),
            patch=patch,
            build_s=build_s,
        )


def probed(project: Project, runtime: Runtime, methods: Sequence[str]) -> Patch:
    """Return a project's sources with a probe in each method; seconds for a large library, so made once."""
    key = (project.digest, tuple(methods))
    patch = runtime.patches.get(key)
    if patch is None:
        patch = project.language.injector.instrument(project.sources(), methods)
        # What is scored and what proposals are tried for alternate.
        if len(runtime.patches) > 1:
            del runtime.patches[next(iter(runtime.patches))]
        runtime.patches[key] = patch
    return patch


def _stays_broken(broken: BrokenBenchmark, patch: Patch) -> bool:
    """Tell whether a benchmark is broken in other builds, too, and not by the probes of this one."""
    return broken.executed if not patch.files else broken.overran


def executed_part(patch: Patch, unseen: Mapping[str, str]) -> Patch:
    """Return the patch without the methods that are executed from files without their probes."""
    skipped = (
        Skipped(method=method, reason=f"{file} is executed instead of its sources, without a probe")
        for method, file in unseen.items()
    )
    seen = tuple(method for method in patch.instrumented if method not in unseen)
    return replace(patch, instrumented=seen, skipped=(*patch.skipped, *skipped))


def _context(project: Project, runtime: Runtime, patch: Patch, additions: Mapping[str, str]) -> str:
    """Return the digest of what trials are valid for, once the session knows what stands behind it."""
    host = runtime.executor.place
    state = f"{project.digest}\0{patch.build_id}\0{sorted(additions.items())}{host and chr(0) + host}"
    context = hashlib.sha256(state.encode()).hexdigest()
    runtime.session.describe_context(
        context,
        {
            "subject": project.subject.name,
            "commit": project.subject.commit,
            "build": patch.build_id,
            "environment": fingerprint(),
            "runner": project.settings.model_dump(include={"runner", "image", "memory", "cpus"}),
            "seed": project.settings.seed,
        },
    )
    return context


def _may_call(
    project: Project, runtime: Runtime, opened: Workspace
) -> Callable[[Sequence[str]], dict[str, frozenset[str]]]:
    """Return what tells which probed methods benchmarks may call, where nothing is to be executed for it."""

    @functools.cache
    def told() -> Mapping[str, frozenset[str]]:
        if project.language.may_call is None:
            return {}
        execution = runtime.execute(project.language.may_call(opened, project.settings.build()))
        return {record["benchmark"]: frozenset(record["methods"]) for record in records(execution.output)}

    def of(names: Sequence[str]) -> dict[str, frozenset[str]]:
        functions = {name: name.partition(":")[0] for name in names}
        return {name: told()[function] for name, function in functions.items() if function in told()}

    return of


def listing(project: Project, runtime: Runtime) -> Discovery:
    """Return the benchmarks of a project as it is; sources that were listed before are not built for it."""
    kept_discovery = kept_listing(project, runtime)
    if kept_discovery is not None:
        return kept_discovery
    if project.digest in runtime.listed:
        return chosen(runtime.listed[project.digest], project.settings)
    with prepare(project, runtime, ()) as prepared:
        return prepared.discovery


def kept_listing(project: Project, runtime: Runtime) -> Discovery | None:
    """Return the chosen benchmarks of these sources if they were listed before and none is broken."""
    discovery = runtime.session.load(project.digest, LISTING)
    return None if discovery is None else chosen(discovery, project.settings)


def _discover(
    project: Project, runtime: Runtime, opened: Workspace, additions: Mapping[str, str]
) -> Discovery:
    """Return what the build in a workspace lists; the same sources are asked once."""
    added = hashlib.sha256(repr(sorted(additions.items())).encode()).hexdigest()
    kind = ResultKind(f"{LISTING.name}/{added}", Discovery) if additions else LISTING
    kept_discovery = runtime.session.load(project.digest, kind)
    if kept_discovery is not None:
        return kept_discovery
    settings, remaining_s = project.settings.build(), runtime.watch.remaining_s
    if remaining_s is not None:
        longest_s = min(settings.longest_s, max(LISTED_S, round(LISTED_PART * remaining_s)))
        settings = replace(settings, longest_s=longest_s)
    command = project.framework.suite.discover(opened, settings)
    execution = runtime.execute(command)
    if execution.out_of_memory:
        raise ControlFailedError(f"{command.purpose} ran out of memory; allow more with --memory")
    discovery = project.framework.suite.discovery(execution)
    untold = (*discovery.broken, *discovery.left_out)
    if not discovery.benchmarks and not untold:
        raise UsageError(
            f"{project.subject.root}: the {project.framework.suite.name} suite has no benchmark; "
            "say where they lie with `paths` in abs-audit.toml"
        )
    if not discovery.benchmarks:
        reasons = "\n".join(f"    {entry.id}: {entry.reason}" for entry in untold[:TELLING])
        raise ControlFailedError(
            f"{project.subject.root}: none of the {project.framework.suite.name} benchmarks can be "
            f"measured:\n{reasons}\nadd what is missing with `requirements`, or say where they lie with "
            f"`paths`, in abs-audit.toml; then: {advised('list')}"
        )
    if not discovery.broken:
        # Probes add no benchmark, so the build does not matter; what is broken may be the moment's.
        runtime.session.store(project.digest, kind, discovery)
    return discovery
