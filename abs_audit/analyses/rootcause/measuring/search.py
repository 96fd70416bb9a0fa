"""The loop: ask what to measure next, measure it in rounds, until nothing is asked for."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from abs_audit.analyses.rootcause.commits.history import History, restricted
from abs_audit.analyses.rootcause.commits.investigation import Investigation, Progress
from abs_audit.analyses.rootcause.commits.samples import Measurements, measured
from abs_audit.analyses.rootcause.measuring.case import Case
from abs_audit.analyses.rootcause.measuring.commit_runs import Beside, CommitRecord, Commits
from abs_audit.errors import ControlFailedError
from abs_audit.execution.commits import Period
from abs_audit.experiment.schedule import shuffled
from abs_audit.experiment.session import ResultKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Runs that are made next to each other."""

    number: int
    commits: tuple[str, ...]
    """In the order in which they are run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundBook:
    """The last round; a search that was cut off in it finishes it first."""

    last: Round
    question: str
    touched: tuple[str, ...]
    """All commits of which anything may be recorded."""


BOOK = ResultKind("rootcause-rounds", RoundBook)
NO_ROUND = RoundBook(last=Round(number=0, commits=()), question="", touched=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """A search that is over."""

    investigation: Investigation
    progress: Progress
    facts: Measurements
    records: dict[str, CommitRecord]
    """Of every commit that was touched."""


def ordered(period: Period) -> History:
    """Return the period's commits, the good one first."""
    parents = {name: listed.parents for name, listed in period.listed.items()}
    return restricted(parents, parents)


def search(case: Case) -> Searched:
    """Measure until nothing is wanted; raise ControlFailedError where an end cannot be measured."""
    order = ordered(case.period)
    investigation = Investigation(order, case.period.good.id, case.period.bad.id, case.most)
    with contextlib.ExitStack() as copies:
        commits = Commits(case, copies)
        book = case.runtime.session.load(case.base, BOOK) or NO_ROUND
        records = _recorded(commits, [commit for commit in book.touched if commit in order])
        if book.question == case.question:
            _perform(case, commits, book.last, records)
        while True:
            facts = _facts(records)
            progress = investigation.progress(facts, case.rule)
            if not progress.wanted:
                break
            book = _opened(case, book, progress.wanted)
            _perform(case, commits, book.last, records)
    return Searched(investigation=investigation, progress=progress, facts=facts, records=records)


def _recorded(commits: Commits, touched: Sequence[str]) -> dict[str, CommitRecord]:
    """Return what earlier searches left of the commits of this period."""
    every = {commit: commits.record(commit) for commit in touched}
    return {commit: record for commit, record in every.items() if record.runs or record.failure is not None}


def _facts(records: dict[str, CommitRecord]) -> Measurements:
    runs = {
        commit: record.runs for commit, record in records.items() if record.runs and record.failure is None
    }
    skipped = {commit: record.failure for commit, record in records.items() if record.failure is not None}
    return replace(measured(runs), skipped=skipped)


def _opened(case: Case, before: RoundBook, wanted: Sequence[str]) -> RoundBook:
    """Write down a round before it begins, in random order."""
    number = before.last.number + 1
    order = tuple(shuffled(wanted, case.project.settings.seed, "rootcause", number))
    book = RoundBook(
        last=Round(number=number, commits=order),
        question=case.question,
        touched=tuple(dict.fromkeys((*before.touched, *wanted))),
    )
    case.runtime.session.store(case.base, BOOK, book)
    return book


def _perform(case: Case, commits: Commits, wanted: Round, records: dict[str, CommitRecord]) -> None:
    ends = {case.period.good.id: "--good", case.period.bad.id: "--bad"}
    for commit in wanted.commits:
        beside = Beside(
            is_end=commit in ends,
            slowest_s=max((records[end].wall_s for end in ends if end in records), default=0.0),
            invocations=next((record.invocations for record in records.values() if record.invocations), 0),
        )
        records[commit] = commits.run(commit, wanted.number, beside)
        failure = records[commit].failure
        if commit in ends and failure is not None:
            raise ControlFailedError(
                f"{ends[commit]} {commit[:12]} cannot be measured: {failure}; name another commit, or lay "
                "the benchmark over all of them with: --overlay FILE"
            )
