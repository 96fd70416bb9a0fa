"""Which benchmarks no longer work, and since which commit: bisection on builds of the commits themselves."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from abs_audit.analyses.lint.model import Rotten, Since
from abs_audit.analyses.rootcause.commits.bisection import Bisection, Judgement
from abs_audit.analyses.rootcause.commits.history import History
from abs_audit.analyses.rootcause.measuring.search import ordered
from abs_audit.errors import ControlFailedError, UsageError
from abs_audit.execution import repository
from abs_audit.execution.commits import Period, authored, common_commit, export, period
from abs_audit.experiment.calibration import calibrate
from abs_audit.experiment.preparation import prepare
from abs_audit.experiment.projects import Project
from abs_audit.experiment.runtime import Runtime

GONE = "the suite no longer lists it"
BRIEFLY_S = 1e-3
"""Wanted duration of an iteration: whether it works shows in one invocation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What became of benchmarks at one commit."""

    working: frozenset[str]
    problems: Mapping[str, str]
    """Benchmark → why it does not work."""
    failure: str = ""
    """Why nothing at all could be tried; empty otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A suite whose commits are tried, each once, in the workspace that the checkout has anyway."""

    project: Project
    runtime: Runtime
    period: Period
    folder: Path
    """Where the files of commits are written."""
    tries: dict[str, Tried] = field(default_factory=dict)

    def tried(self, commit: str, names: frozenset[str] | None, leaving_out: frozenset[str]) -> Tried:
        """Return what became of the named benchmarks (None: of all that are listed) but those left out."""
        if commit not in self.tries:
            self.runtime.progress(f"trying {commit[:12]}", 0, 0)
            self.tries[commit] = self._tried(commit, names, leaving_out)
        return self.tries[commit]

    def _tried(self, commit: str, names: frozenset[str] | None, leaving_out: frozenset[str]) -> Tried:
        project = replace(
            self.project,
            subject=replace(self.project.subject, commit=commit),
            checkout=export(self.period, commit, self.folder / commit[:16]),
        )
        try:
            with prepare(project, self.runtime, ()) as prepared:
                listed = frozenset(prepared.benchmarks) if names is None else names & {*prepared.benchmarks}
                calibration = calibrate(prepared.harness, sorted(listed - leaving_out), BRIEFLY_S)
        except (ControlFailedError, UsageError) as problem:
            return Tried(working=frozenset(), problems={}, failure=_last_said(problem))
        broken = {benchmark.id: benchmark.reason for benchmark in prepared.discovery.broken}
        failed = {name: f"{trial.status}: {trial.reason}" for name, trial in calibration.failed.items()}
        return Tried(working=frozenset(calibration.iteration_plans), problems=broken | failed)


def rot(project: Project, runtime: Runtime, revision: str) -> tuple[Rotten, ...]:
    """Return the benchmarks that do not work at HEAD, each with the commit since which it does not.

    Raises ControlFailedError where no benchmark can be tried where the search begins.
    """
    root = project.subject.root
    start = common_commit(root, "--rot", revision)
    if start == repository.commit(root):
        raise UsageError(f"--rot {revision}: no commit lies between it and HEAD; name an earlier one")
    with tempfile.TemporaryDirectory(prefix="abs-audit-rot-") as folder:
        suite = Suite(
            project=project, runtime=runtime, period=period(root, start, "HEAD"), folder=Path(folder)
        )
        now = suite.tried(suite.period.bad.id, None, frozenset())
        # What works today need not be tried where it began.
        before = suite.tried(start, None, now.working)
        if before.failure:
            raise ControlFailedError(
                f"--rot {revision}: no benchmark can be tried at {start[:12]}: {before.failure}; "
                "name a commit at which the suite works"
            )
        reasons = {name: now.failure or _why_gone(name, now) for name in before.working}
        lost = {file for name in reasons for file in now.problems if _holds(file, name)}
        reasons |= {name: reason for name, reason in now.problems.items() if name not in lost}
        order = ordered(suite.period)
        return tuple(_rotten(suite, order, name, reasons) for name in sorted(reasons))


def _last_said(problem: Exception) -> str:
    """Return the last line of what a tool said, which messages indent, or else the first of the message."""
    lines = str(problem).splitlines()
    return next((line.strip() for line in reversed(lines) if line.startswith("    ")), lines[0])


def _why_gone(name: str, now: Tried) -> str:
    """Return why a benchmark that worked does not: its own problem, or that of the file that held it."""
    if name in now.problems:
        return now.problems[name]
    return next((reason for file, reason in now.problems.items() if _holds(file, name)), GONE)


def _holds(file: str, name: str) -> bool:
    """Return whether a benchmark lies in a file or class that cannot be read as a whole."""
    return name.startswith(file) and name[len(file) :].startswith((":", "/", ".", "[", "("))


def _rotten(suite: Suite, order: History, name: str, reasons: Mapping[str, str]) -> Rotten:
    """Bisect for one benchmark; at each commit all that are rotten are tried together."""
    good, bad = suite.period.good.id, suite.period.bad.id
    if name in suite.tries[good].problems:
        return Rotten(benchmark=name, reason=reasons[name], since=None, suspects=())
    nothing_works = bool(suite.tries[bad].failure)
    worked = name in suite.tries[good].working

    def judge(_last_good: str, candidate: str) -> Judgement:
        tried = suite.tried(candidate, frozenset(reasons), frozenset())
        if tried.failure and not nothing_works:
            return Judgement.SKIPPED
        # What came to the suite broken was no problem while it was not there.
        works = name in tried.working if worked else name not in tried.problems
        return Judgement.GOOD if works else Judgement.BAD

    walk = Bisection(order, good, bad).walk(judge)
    since = suite.period.listed[walk.bad]
    return Rotten(
        benchmark=name,
        reason=reasons[name],
        since=Since(commit=since.id, date=authored(suite.period.root, since.id), subject=since.title),
        suspects=tuple(commit for commit in walk.suspects if commit != walk.bad),
    )
