"""Measures commits, one run at a time, and makes no run twice."""

import contextlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from abs_audit.analyses.rootcause.commits.samples import Run
from abs_audit.analyses.rootcause.measuring.case import VALUES, Case, exports
from abs_audit.errors import ControlFailedError, UnfitEnvironmentError, UsageError
from abs_audit.execution.commits import export
from abs_audit.execution.workspace import Checkout, discard, write
from abs_audit.experiment.calibration import calibrate
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.iteration_plan import LIMIT_FACTOR, LIMIT_FLOOR_S, IterationPlan
from abs_audit.experiment.preparation import Prepared, prepare
from abs_audit.experiment.projects import Project, workspace_key
from abs_audit.experiment.session import ResultKind
from abs_audit.model.experiment import UNPROBED
from abs_audit.model.measurement import Status, Trial
from abs_audit.patterns import close_names
from abs_audit.wording import count


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRecord:
    """What is known of one commit."""

    runs: tuple[Run, ...]
    failure: str | None
    """Why it cannot be measured; None while it can."""
    invocations: int
    """Calls of the benchmark in an iteration; 0 while none was made."""
    wall_s: float
    """The longest that one iteration took, set-up included, in seconds."""
    remarks: tuple[str, ...]
    whole: str = ""
    """What was executed with all its parts, for this one breaks down alone; empty: the benchmark itself."""


KIND = ResultKind("rootcause-commit", CommitRecord)
NOTHING_YET = CommitRecord(runs=(), failure=None, invocations=0, wall_s=0.0, remarks=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """One commit, built and ready to be run."""

    harness: Harness
    iteration_plan: IterationPlan
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What a commit is measured beside."""

    is_end: bool
    """Whether it is an end of the period itself, without which there is no search."""
    slowest_s: float
    """Time of an iteration of the slower end, which bounds how long a candidate may take."""
    invocations: int
    """Calls in an iteration of the commits measured so far; 0: it is the first."""


MOST_UNLIKE = 5.0


class _UnmeasurableError(Exception):
    """A commit that cannot be measured; the text says why, and is kept."""


class Commits:
    """The commits of a search: what is recorded of them, and the copies in which they run."""

    def __init__(self, case: Case, copies: contextlib.ExitStack) -> None:
        """Keep built copies open, for the next run, until `copies` closes."""
        self._case = case
        self._copies = copies
        self._benches: dict[str, Bench] = {}
        self._session = case.runtime.session

    def record(self, commit: str) -> CommitRecord:
        """Return what is recorded of a commit."""
        return self._session.load(self._case.of(commit), KIND) or NOTHING_YET

    def run(self, commit: str, number: int, beside: Beside) -> CommitRecord:
        """Return the record after one more run in round `number`, which is made unless it is there."""
        record = self.record(commit)
        if record.failure is not None or any(run.round == number for run in record.runs):
            return record
        try:
            bench = self._bench(commit, beside)
            trial = self._measured(bench, commit, number)
        except (_UnmeasurableError, UnfitEnvironmentError) as problem:
            failed = replace(record, failure=_brief(problem))
            # What this machine lacks, and what keeps the whole search from beginning, may be put right.
            if beside.is_end or isinstance(problem, UnfitEnvironmentError):
                return failed
            grown = failed
        else:
            grown = replace(
                record,
                runs=(*record.runs, Run(round=number, values=trial.values)),
                whole=trial.executed_whole,
                invocations=bench.iteration_plan.invocations,
                wall_s=max(record.wall_s, bench.iteration_plan.wall_s),
                remarks=bench.remarks,
            )
        self._session.store(self._case.of(commit), KIND, grown)
        return grown

    def _measured(self, bench: Bench, commit: str, number: int) -> Trial:
        name = f"rootcause/{number}/{self._case.benchmark}"
        block = bench.iteration_plan.block(bench.harness, name, [UNPROBED], VALUES)
        # What is luck of a process, say where things lie in its memory, its forks share: it made a commit of
        # packaging twice as slow, run after run.
        block = replace(block, process=f"rootcause {number}")
        purpose = f"measuring {commit[:12]}; {count(len(self._benches), 'commit')} so far"
        (trial,) = bench.harness.perform([block], purpose)[block.id]
        return _good(trial)

    def _bench(self, commit: str, beside: Beside) -> Bench:
        if commit not in self._benches:
            self._case.runtime.progress(f"building {commit[:12]}", 0, 0)
            self._benches[commit] = self._built(commit, beside)
        return self._benches[commit]

    def _built(self, commit: str, beside: Beside) -> Bench:
        project, remarks = exported(self._case, commit)
        if not project.framework.suite.detect(project.subject.root):
            raise _UnmeasurableError(f"it holds no {project.framework.suite.name} suite")
        try:
            prepared = self._copies.enter_context(prepare(project, self._case.runtime, ()))
        except (ControlFailedError, UsageError) as problem:
            raise _UnmeasurableError(_brief(problem)) from problem
        harness = replace(prepared.harness, longest_s=_limit_s(prepared.harness, beside))
        iteration_plan = _alike(_iteration_plan(prepared, harness, self._case.benchmark), beside)
        return Bench(harness=harness, iteration_plan=iteration_plan, remarks=remarks)


def exported(case: Case, commit: str) -> tuple[Project, tuple[str, ...]]:
    """Return a commit as a project in a folder of ours, and what the commit does not hold."""
    target = exports(case) / commit[:16]
    tree = export(case.period, commit, target)
    for path, content in case.overlay.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        write(target / path, content)
    files = tuple(sorted({*tree.files, *map(Path, case.overlay)}))
    checkout = Checkout(root=target, files=files, digest=f"{tree.digest}{case.of(commit)}")
    subject = replace(case.project.subject, root=target, commit=commit)
    return replace(case.project, subject=subject, checkout=checkout), tree.remarks


def tidy(case: Case, commits: Sequence[str]) -> None:
    """Remove the copies of the commits; what was measured of them stays in the session."""
    for commit in commits:
        root = replace(case.project.subject, root=exports(case) / commit[:16])
        discard(workspace_key(replace(case.project, subject=root)))
    shutil.rmtree(exports(case), ignore_errors=True)


def _brief(problem: Exception) -> str:
    """Return the first line of a message and the last that a command said."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    return lines[0] if len(lines) == 1 else f"{lines[0]} … {lines[-1]}"


def _limit_s(harness: Harness, beside: Beside) -> float:
    """Return when a commit counts as hanging: generous beside the slower end, never above the user's."""
    if beside.is_end:
        return harness.longest_s
    return min(harness.longest_s, LIMIT_FLOOR_S + LIMIT_FACTOR * VALUES * beside.slowest_s)


def _alike(iteration_plan: IterationPlan, beside: Beside) -> IterationPlan:
    """Return the iteration plan of the other commits: iterations of another length are disturbed otherwise.

    Its own one where that would make iterations several times longer or shorter than wanted.
    """
    factor = beside.invocations / iteration_plan.invocations
    if not 1 / MOST_UNLIKE <= factor <= MOST_UNLIKE:
        return iteration_plan
    return replace(
        iteration_plan, invocations=beside.invocations, iteration_s=iteration_plan.iteration_s * factor
    )


def _iteration_plan(prepared: Prepared, harness: Harness, benchmark: str) -> IterationPlan:
    names = [listed.id for listed in prepared.discovery.benchmarks]
    broken = {refused.id: refused.reason for refused in prepared.discovery.broken}
    if benchmark not in names:
        close = close_names(benchmark, names)
        hint = f"; did you mean {' or '.join(close)}?" if close else f"; it has {len(names)} others"
        raise _UnmeasurableError(broken.get(benchmark) or f"it has no benchmark {benchmark}{hint}")
    calibration = calibrate(harness, [benchmark], prepared.project.settings.iteration_s)
    if benchmark in calibration.failed:
        _good(calibration.failed[benchmark])
    return calibration.iteration_plans[benchmark]


def _good(trial: Trial) -> Trial:
    if trial.status is not Status.OK:
        raise _UnmeasurableError(f"{trial.status.value}: {trial.reason}")
    return trial
