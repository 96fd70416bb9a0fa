"""From a question to its answer: search, call trees, changed methods, and what to look at by hand."""

import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from abs_audit.analyses.rootcause.calls.call_tree import mirrored
from abs_audit.analyses.rootcause.calls.changes import changed, rewritten
from abs_audit.analyses.rootcause.calls.suspicion import rank, unranked
from abs_audit.analyses.rootcause.commits.bisection import Judgement, Step
from abs_audit.analyses.rootcause.commits.categories import Categories, assigned
from abs_audit.analyses.rootcause.commits.investigation import Regression
from abs_audit.analyses.rootcause.commits.rules import Ends
from abs_audit.analyses.rootcause.measuring.call_trees import sources_of, trees
from abs_audit.analyses.rootcause.measuring.case import Case
from abs_audit.analyses.rootcause.measuring.commit_runs import tidy
from abs_audit.analyses.rootcause.measuring.search import Searched, search
from abs_audit.analyses.rootcause.model import (
    EQUAL,
    FoundRegression,
    Hint,
    MeasuredCommit,
    RootCause,
    Where,
    warnings,
)
from abs_audit.errors import ControlFailedError, UsageError
from abs_audit.execution.commits import changes
from abs_audit.experiment.session import ResultKind

KIND = ResultKind("rootcause", RootCause)


def measure(case: Case) -> RootCause:
    """Search the period and explain its main regression; what is recorded is not measured again."""
    recorded = case.runtime.session.load(case.question, KIND)
    if recorded is not None:
        return recorded
    searched = search(case)
    where, remarks = _where(case, searched)
    result = _result(case, searched, where, remarks)
    case.runtime.session.store(case.question, KIND, result)
    tidy(case, [*searched.records])
    return result


def _where(case: Case, searched: Searched) -> tuple[Where | None, tuple[str, ...]]:
    """Return what call trees and diff say about the main cause, if there is one."""
    if not searched.progress.regressions or not searched.progress.regressions[0].confirmed:
        return None, ()
    main = searched.progress.regressions[0]
    backwards = case.rule.improvement
    sides = (_parent(case, main), main.cause)
    before, after = sources_of(case, sides[0]), sources_of(case, sides[1])
    # What is laid over every commit is the same in both, whatever they themselves hold there.
    files = [file for file in changes(case.period, *sides) if file.after not in case.overlay]
    touched = changed(files, before, after)
    lost_s = abs(_level_s(searched, main.cause) - _level_s(searched, main.start))
    where = Where(
        compared=sides,
        tree=(),
        recorded=None,
        lost_s=lost_s,
        suspects=unranked(touched.methods),
        elsewhere=touched.elsewhere,
    )
    remarks = tuple(
        f"{main.cause[:12]} changed the benchmark itself, in {path}: what is measured may be another work; "
        f"measure the same in all commits with: --overlay {shlex.quote(path)}"
        for path in rewritten(files, before, after, case.benchmark)
    )
    # What an improvement made faster is slower the other way round.
    order = (sides[1], sides[0]) if backwards else sides
    try:
        nodes, evidence = trees(case, order, [method.method for method in touched.methods], lost_s)
    except (ControlFailedError, UsageError) as problem:
        return where, (*remarks, f"there is no call tree: {str(problem).splitlines()[0]}")
    explained = replace(
        where,
        tree=mirrored(nodes) if backwards else nodes,
        recorded=evidence.after.recorded,
        lost_s=evidence.lost_s,
        suspects=rank(touched.methods, evidence),
    )
    return explained, remarks


def _parent(case: Case, main: Regression) -> str:
    """Return what the cause is compared with: where its parents lie before the period, its own first one."""
    listed = case.period.listed
    parents = listed[main.cause].parents
    return parents[0] if parents and listed.keys().isdisjoint(parents) else main.start


def _result(case: Case, searched: Searched, where: Where | None, remarks: Sequence[str]) -> RootCause:
    # The faster end is what a user would call fast.
    fast = case.period.bad if case.rule.improvement else case.period.good
    categories = assigned(_level_s(searched, fast.id))
    regressions = tuple(
        _regression(searched, regression, categories) for regression in searched.progress.regressions
    )
    main = regressions[0] if regressions else None
    return RootCause(
        benchmark=case.benchmark,
        rule=case.rule.name,
        improvement=case.rule.improvement,
        good=case.period.good.id,
        bad=case.period.bad.id,
        candidates=len(searched.investigation.candidates),
        cause=main.cause if main is not None and main.confirmed else None,
        confidence=confidence(case, searched) if main is not None else None,
        categories=categories,
        measured=tuple(_measured(case, searched, categories)),
        path=_path(searched),
        regressions=regressions,
        where=where,
        hints=tuple(_hints(case, searched, main, where)),
        warnings=(
            *warnings(regressions, len(searched.facts.skipped), _unsearched(case, searched)),
            *remarks,
            *dict.fromkeys(remark for record in searched.records.values() for remark in record.remarks),
        ),
    )


def _unsearched(case: Case, searched: Searched) -> str:
    """Return why the period was not searched; empty where it was."""
    if searched.progress.walks:
        return ""
    ends = case.period.good.id, case.period.bad.id
    backwards = replace(case.rule, improvement=not case.rule.improvement)
    if backwards.slower(searched.facts, *ends) is not Judgement.BAD:
        return EQUAL
    if case.rule.improvement:
        return "the later end is the slower one: see what made it so without --improvement"
    return "the later end is the faster one: see what made it so with --improvement"


def _regression(searched: Searched, regression: Regression, categories: Categories) -> FoundRegression:
    level_s = _level_s(searched, regression.start), _level_s(searched, regression.cause)
    return FoundRegression(
        start=regression.start,
        cause=regression.cause,
        suspects=regression.suspects,
        kind=categories.kind(min(level_s), max(level_s)),
        confirmed=regression.confirmed,
        level_s=level_s,
    )


def _level_s(searched: Searched, commit: str) -> float:
    return math.exp(searched.facts.samples[commit].level)


def _path(searched: Searched) -> tuple[Step, ...]:
    return searched.progress.regressions[0].walk.steps if searched.progress.regressions else ()


def _odds(case: Case, searched: Searched, commit: str) -> float | None:
    if not searched.progress.regressions:
        return None
    good, bad = searched.progress.regressions[0].period
    if commit in (good, bad) or commit not in searched.facts.samples:
        return None
    return case.rule.log_odds(searched.facts, Ends(good=good, bad=bad, last_good=good), commit)


def confidence(case: Case, searched: Searched) -> float | None:
    """Return the probability that every decision was right: the product of 1 ÷ (1 + exp(−|log odds|)).

    None where a decision has no odds. No decision at all: 1, for the bad end alone remained.
    """
    product = 1.0
    for step in _path(searched):
        if step.judgement is not Judgement.SKIPPED:
            odds = _odds(case, searched, step.commit)
            if odds is None:
                return None
            product /= 1 + math.exp(-abs(odds))
    return product


def _measured(case: Case, searched: Searched, categories: Categories) -> Iterator[MeasuredCommit]:
    judgements = {step.commit: step.judgement for step in _path(searched)}
    for position, (name, listed) in enumerate(case.period.listed.items()):
        if name not in searched.records:
            continue
        sample = searched.facts.samples.get(name)
        yield MeasuredCommit(
            commit=name,
            date=listed.date,
            title=listed.title,
            place=position,
            runs=len(searched.records[name].runs),
            disturbed=sample.runs - sample.trusted if sample else 0,
            sample_size=len(sample.values) if sample else 0,
            mean_s=sample.mean if sample else None,
            level_s=math.exp(sample.level) if sample else None,
            category=categories.of(math.exp(sample.level)) if sample else None,
            judgement=judgements.get(name),
            log_odds=_odds(case, searched, name),
            reason=searched.records[name].failure or "",
        )


def _hints(
    case: Case, searched: Searched, main: FoundRegression | None, where: Where | None
) -> Iterator[Hint]:
    if main is None:
        return
    cause = main.cause[:12]
    yield Hint(command=f"git show --stat {cause}", purpose="what the commit says and which files it changed")
    blamed = [suspect for suspect in where.suspects if suspect.suspicion > 0] if where else []
    for suspect in blamed[:3]:
        before = where.compared[0][:12] if where else main.start[:12]
        path = shlex.quote(suspect.changed.path)
        yield Hint(
            command=f"git diff {before} {cause} -- {path}", purpose=f"how {suspect.changed.method} changed"
        )
    folder = shlex.quote(f"../{case.project.subject.name}-{cause}")
    yield Hint(command=f"git worktree add --detach {folder} {cause}", purpose="a folder to try it out in")
    executed = next((record.whole for record in searched.records.values() if record.whole), case.benchmark)
    wanted = case.project.framework.suite.filter([executed])
    yield Hint(command=wanted, purpose="what selects the benchmark there, for the suite's own command line")
