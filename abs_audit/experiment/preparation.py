"""From a checkout to a harness: copy, probe, fetch, build, discover."""

import contextlib
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from abs_audit import __version__
from abs_audit.advising import advised
from abs_audit.config import Settings
from abs_audit.errors import ControlFailedError, UsageError
from abs_audit.execution import repository
from abs_audit.execution.workspace import Checkout, checkout, refresh, source_tree, workspace
from abs_audit.experiment.choosing import chosen
from abs_audit.experiment.environment import fingerprint
from abs_audit.experiment.harness import Harness, Progress
from abs_audit.experiment.session import ResultKind, Session
from abs_audit.experiment.stamps import Stamps
from abs_audit.experiment.watch import Phase, Watch
from abs_audit.interfaces import Executor
from abs_audit.languages.language import Framework, Language
from abs_audit.languages.records import records
from abs_audit.languages.table import detect
from abs_audit.model.experiment import Command, Execution, Workspace
from abs_audit.model.subject import Discovery, Patch, Skipped, SourceTree, Subject
from abs_audit.quantities import echoed

STAMPS = "stamps.json"
NOTHING: Mapping[str, str] = {}
LISTING = ResultKind(f"listing/{__version__}", Discovery)
NO_PATCH = Patch(files={}, instrumented=(), skipped=(), build_id="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A checkout with one of its suites, read but not copied yet."""

    subject: Subject
    language: Language
    framework: Framework
    checkout: Checkout
    settings: Settings

    @property
    def digest(self) -> str:
        """Stands for sources, framework and settings: the context of results that need no probe."""
        keys = {"interpreter", "requirements", "paths", "environment", "java"}
        # What a container grants changes what is measured in it.
        keys |= {"image", "memory", "cpus"} if self.settings.runner == "container" else set()
        parts = [
            self.checkout.digest,
            self.framework.suite.name,
            self.settings.model_dump_json(include=keys),
            json.dumps(fingerprint(), sort_keys=True),
        ]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def sources(self) -> SourceTree:
        """Read the texts that the language's injector wants to see."""
        texts = source_tree(self.checkout, self.language.suffixes)
        return self.language.as_built(texts, self.settings.environment)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """What executes and records: the same for every project of a command."""

    executor: Executor
    session: Session
    progress: Progress
    watch: Watch = field(default_factory=Watch)
    announce: Callable[[str], None] = field(default=lambda _: None)
    """Tells people one line at once."""
    audits: bool = False
    """Whether the other answers of an audit come after the score."""

    def execute(self, command: Command) -> Execution:
        """Execute a command that measures nothing, in the time that is left, and say what it is for."""
        self.progress(command.purpose, 0, 0)
        execution = self.executor.execute(self.watch.bounded(command))
        self.watch.check(execution)
        return execution


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


def open_projects(root: Path, settings: Settings) -> list[Project]:
    """Return one project for each suite that the checkout holds."""
    absolute = root.resolve()
    suites = detect(absolute, settings.framework)
    # Where the user says what is compiled, nothing else is needed.
    whole = {
        language.name: absolute if settings.java else language.enclosing(absolute) for language, _ in suites
    }
    checkouts = {folder: checkout(folder) for folder in set(whole.values())}
    projects = [
        Project(
            subject=Subject(
                name=absolute.name,
                root=whole[language.name],
                language=language.name,
                framework=framework.suite.name,
                commit=repository.commit(absolute),
            ),
            language=language,
            framework=framework,
            checkout=checkouts[whole[language.name]],
            settings=_within(settings, absolute.relative_to(whole[language.name])),
        )
        for language, framework in suites
    ]
    complaints = [
        *_absent(absolute, settings.paths),
        *(
            f"--suite {project.framework.suite.name}: no such suite in {project.subject.root}, which has no "
            f"{project.language.suffixes[0]} file"
            for project in projects
            if not any(path.suffix == project.language.suffixes[0] for path in project.checkout.files)
        ),
    ]
    if complaints:
        raise UsageError("\n".join(complaints))
    return projects


def _absent(root: Path, paths: Iterable[str]) -> Iterator[str]:
    """Yield what is said of each of the `paths` that is not there: what lies at the others is not all."""
    for path in paths:
        if not (root / path.partition("::")[0]).exists():
            yield f"paths: {echoed(path)!r} is not in {root}; see why with: abs-audit config show --origin"


def _within(settings: Settings, folder: Path) -> Settings:
    """Return the settings of a folder as those of one that holds it: only its benchmarks are meant."""
    if folder == Path():
        return settings
    paths = tuple((folder / path).as_posix() for path in settings.paths or (".",))
    return settings.model_copy(update={"paths": paths})


def workspace_key(project: Project) -> str:
    """Return what tells the workspace of a project from those of others."""
    return f"{project.subject.root}\0{project.framework.suite.name}\0{project.settings.build()!r}"


@contextlib.contextmanager
def prepare(
    project: Project, runtime: Runtime, methods: Sequence[str], additions: Mapping[str, str] = NOTHING
) -> Iterator[Prepared]:
    """Yield the project with every method of `methods` probed; raise ControlFailedError where it fails.

    `additions`: new files of the copy, relative path → text.
    """
    patch = project.language.injector.instrument(project.sources(), methods) if methods else NO_PATCH
    with workspace(workspace_key(project)) as opened:
        runtime.progress("preparing the copy", 0, 0)
        build_s = _build(project, runtime, opened, {**patch.files, **additions})
        patch = executed_part(patch, project.language.unseen(opened.tree, patch.instrumented))
        with runtime.watch.phase(Phase.LIST):
            discovery = _discover(project, runtime, opened, additions)
            # What was proposed has no name yet that anybody could have chosen.
            discovery = discovery if additions else chosen(discovery, project.settings)
        harness = Harness(
            suite=project.framework.suite,
            workspace=opened,
            settings=project.settings.build(),
            executor=runtime.executor,
            session=runtime.session,
            context=_context(project, runtime, patch, additions),
            build_id=patch.build_id,
            progress=runtime.progress,
            language=project.language,
            longest_s=project.settings.timeout_s,
            watch=runtime.watch,
            inert=lambda names: _inert(project, runtime, opened, names),
        )
        yield Prepared(
            project=project,
            harness=harness,
            discovery=discovery,
            methods=tuple(methods),
            patch=patch,
            build_s=build_s,
        )


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


def _inert(project: Project, runtime: Runtime, opened: Workspace, names: Sequence[str]) -> list[str]:
    """Return the benchmarks that come to no probe, as far as that is known without executing them."""
    if project.language.inert is None:
        return []
    execution = runtime.execute(project.language.inert(opened, project.settings.build()))
    told = {record["benchmark"] for record in records(execution.output)}
    return [name for name in names if name.partition(":")[0] in told]


def _build(project: Project, runtime: Runtime, opened: Workspace, changed: Mapping[str, str]) -> float:
    """Build the probed copy and return the seconds; skip what is done already.

    What the plain copy needs is fetched before, and what takes long only if the build fails without it.
    """
    stamps, spent_s = Stamps(opened.root / STAMPS), 0.0
    build = _composed(project, opened, changed)
    is_fetched = not build.fetching or build.fetched == stamps.read("fetched")
    if not is_fetched and not all(command.if_needed for command in build.fetching):
        fetching = _composed(project, opened, {}).fetching
        at_once = [command for command in fetching if not command.if_needed]
        spent_s, is_fetched = execute_all(runtime, at_once), at_once == fetching
        build = _composed(project, opened, changed)
    try:
        spent_s += _compile(runtime, stamps, build)
    except ControlFailedError:
        # What could not be fetched may be the reason: that is tried again, now or next time.
        stamps.write("fetched", "")
        if is_fetched:
            raise
        spent_s += execute_all(runtime, _composed(project, opened, {}).fetching)
        spent_s += _compile(runtime, stamps, _composed(project, opened, changed))
    stamps.write("fetched", build.fetched)
    return spent_s


def _plain(project: Project) -> str:
    """Return what tells a copy without probes apart; another release of ours may ask for other packages."""
    told = f"{project.checkout.digest}{project.settings.build()!r}{__version__}"
    return hashlib.sha256(told.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Build:
    """What makes benchmarks of a copy, and what stands for its outcome."""

    fetching: Sequence[Command]
    building: Sequence[Command]
    fetched: str
    """The sources as they are, and how what they need is fetched."""
    built: str
    """The copy with all that is changed in it, and how it is built."""


def _composed(project: Project, opened: Workspace, changed: Mapping[str, str]) -> _Build:
    """Make the copy what the checkout is, with these files in it, and return how it is built."""
    plain, state = _plain(project), refresh(opened, project.checkout, changed)
    commands = project.framework.suite.prepare(opened, project.settings.build())
    parts = [[command for command in commands if command.network is network] for network in (True, False)]
    # Another state of the program may fetch and build in another way.
    told = [hashlib.sha256(repr([command.argv for command in part]).encode()).hexdigest() for part in parts]
    return _Build(
        fetching=parts[0], building=parts[1], fetched=plain + told[0], built=plain + state + told[1]
    )


def _compile(runtime: Runtime, stamps: Stamps, build: _Build) -> float:
    """Build the copy, unless that was the last thing built; return the seconds."""
    if stamps.read("built") == build.built:
        return 0.0
    # A build that ends early has changed what another state's build left, which is none from now on.
    stamps.write("built", "")
    with runtime.watch.phase(Phase.BUILD):
        build_s = execute_all(runtime, build.building)
    stamps.write("built", build.built)
    return build_s


def execute_all(runtime: Runtime, commands: Sequence[Command]) -> float:
    """Execute in order and return the seconds it took; raise ControlFailedError at the first that fails."""
    return sum(execute(runtime, command).wall_s for command in commands)


def execute(runtime: Runtime, command: Command) -> Execution:
    """Execute one command that has to end well; raise ControlFailedError where it does not."""
    execution = runtime.execute(command)
    if execution.exit_code or execution.timed_out or execution.out_of_memory:
        ending = "ran into its time limit" if execution.timed_out else f"exit code {execution.exit_code}"
        ending = "ran out of memory" if execution.out_of_memory else ending
        raise ControlFailedError(
            f"{command.purpose} failed ({ending}); it said:\n{last_lines(execution.log)}"
            f"{command.advice and chr(10)}{command.advice}"
        )
    return execution


_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_FRAME = re.compile(r"\s+(at [\w.$/@]+\.[\w$<>]+\(|\.\.\. \d+ more)")
_ERROR = re.compile(r"^\[ERROR\]|^\* What went wrong:|^Unrecognized |\berror(\[\w+\])?:|\bError\b")
# pip's headlines, and what went on all the same.
_UNTELLING = re.compile(r"error: (subprocess-exited-with-error|metadata-generation-failed)|^\W*warning:")
TELLING, LAST = 6, 15


def last_lines(log: str) -> str:
    """Return what a log says of a failure, indented, for a message.

    Tools explain themselves after their first error, so its lines come first; without any, the end.
    """
    plain = _COLOUR.sub("", log).expandtabs(4).splitlines()
    lines = [line.rstrip() for line in plain if line.strip() and not _FRAME.match(line)]
    errors = (at for at, line in enumerate(lines) if _ERROR.search(line) and not _UNTELLING.search(line))
    first = next(errors, None)
    chosen = lines[-LAST:] if first is None else lines[first : first + TELLING]
    return "\n".join(f"    {line}" for line in chosen) or "    (nothing)"


def listing(project: Project, runtime: Runtime) -> Discovery:
    """Return the benchmarks of a project as it is; sources that were listed before are not built for it."""
    kept_discovery = kept_listing(project, runtime)
    if kept_discovery is not None:
        return kept_discovery
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
    command = project.framework.suite.discover(opened, project.settings.build())
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
