"""From a question to its answer: search, call trees, changed methods, and what to look at by hand."""

import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydantic import TypeAdapter

from abs_audit.analyses.rootcause.calls.call_tree import mirrored
from abs_audit.analyses.rootcause.calls.changes import Changes, changed
from abs_audit.analyses.rootcause.calls.suspicion import Evidence, rank, unranked
from abs_audit.analyses.rootcause.commits.bisection import Judgement
from abs_audit.analyses.rootcause.commits.categories import Categories, assigned
from abs_audit.analyses.rootcause.commits.investigation import Regression
from abs_audit.analyses.rootcause.commits.rules import Ends
from abs_audit.analyses.rootcause.measuring.call_trees import Trees, sources_of, trees
from abs_audit.analyses.rootcause.measuring.case import Case
from abs_audit.analyses.rootcause.measuring.commit_runs import tidy
from abs_audit.analyses.rootcause.measuring.search import Searched, search
from abs_audit.analyses.rootcause.model import (
    FoundRegression,
    Hint,
    MeasuredCommit,
    PathStep,
    RootCause,
    Where,
    confidence,
    warnings,
)
from abs_audit.errors import ControlFailedError, UsageError
from abs_audit.execution.commits import ListedCommit, changes

KIND = "rootcause"
ADAPTER = TypeAdapter(RootCause)


def measure(case: Case) -> RootCause:
    """Search the period and explain its main regression; what is recorded is not measured again."""
    recorded = case.runtime.session.load(case.question, KIND, ADAPTER)
    if recorded is not None:
        return recorded
    found = search(case)
    where, remarks = _where(case, found)
    result = _result(case, found, where, remarks)
    case.runtime.session.store(case.question, KIND, ADAPTER, result)
    tidy(case, [*found.records])
    return result


def _where(case: Case, found: Searched) -> tuple[Where | None, tuple[str, ...]]:
    """Return what call trees and diff say about the main cause, if there is one."""
    if not found.progress.regressions or not found.progress.regressions[0].confirmed:
        return None, ()
    main = found.progress.regressions[0]
    backwards = case.rule.improvement
    sides = (_parent(case, found, main), found.history.commits[main.cause])
    before, after = sources_of(case, sides[0]), sources_of(case, sides[1])
    files = [one for one in changes(case.period, *sides) if one.after not in case.overlay]
    touched = changed(files, before, after)
    lost_s = abs(_level_s(found, main.cause) - _level_s(found, main.start))
    # What an improvement made faster is slower the other way round.
    order = (sides[1], sides[0]) if backwards else sides
    try:
        grown = trees(case, order, [one.method for one in touched.methods], lost_s)
    except (ControlFailedError, UsageError) as problem:
        reason = str(problem).splitlines()[0]
        return _without_tree(sides, touched, lost_s), (f"there is no call tree: {reason}",)
    where = _with_tree(sides, touched, lost_s, grown, backwards)
    return (replace(where, tree=mirrored(where.tree)) if backwards else where), ()


def _parent(case: Case, found: Searched, main: Regression) -> str:
    """Return what the cause is compared with: where its parents lie before the period, its own first one."""
    listed = _listed(case)[found.history.commits[main.cause]]
    start = found.history.commits[main.start]
    outside = not found.history.parents[main.cause]
    return listed.parents[0] if outside and listed.parents else start


def _with_tree(
    sides: tuple[str, str], touched: Changes, lost_s: float, grown: Trees, backwards: bool
) -> Where:
    # What was lost while the methods were timed is what they can explain; the machine may be another by then.
    lost_s = grown.lost_s if grown.lost_s is not None and grown.lost_s > 0 else lost_s
    evidence = Evidence(
        before=grown.before, after=grown.after, times=grown.times, lost_s=lost_s, backwards=backwards
    )
    return Where(
        compared=sides,
        tree=grown.comparison.nodes,
        recorded=grown.after.recorded,
        lost_s=lost_s,
        suspects=rank(touched.methods, evidence),
        elsewhere=touched.elsewhere,
    )


def _without_tree(sides: tuple[str, str], touched: Changes, lost_s: float) -> Where:
    return Where(
        compared=sides,
        tree=(),
        recorded=None,
        lost_s=lost_s,
        suspects=unranked(touched.methods),
        elsewhere=touched.elsewhere,
    )


def _result(case: Case, found: Searched, where: Where | None, remarks: Sequence[str]) -> RootCause:
    first = found.known.samples[found.history.places[case.period.good.id]]
    # The faster end is what a user would call fast.
    last = found.known.samples[found.history.places[case.period.bad.id]]
    categories = assigned(math.exp((last if case.rule.improvement else first).level))
    regressions = tuple(_regression(found, one, categories) for one in found.progress.regressions)
    main = regressions[0] if regressions else None
    return RootCause(
        benchmark=case.benchmark,
        rule=case.rule.name,
        improvement=case.rule.improvement,
        good=case.period.good.id,
        bad=case.period.bad.id,
        candidates=len(found.investigation.candidates),
        cause=main.cause if main is not None and main.confirmed else None,
        confidence=_confidence(case, found) if main is not None else None,
        categories=categories,
        measured=tuple(_measured(case, found, categories)),
        path=tuple(_path(found)),
        regressions=regressions,
        where=where,
        hints=tuple(_hints(case, main, where)),
        warnings=(
            *warnings(regressions, len(found.known.skipped), bool(found.progress.walks)),
            *remarks,
            *dict.fromkeys(remark for record in found.records.values() for remark in record.remarks),
        ),
    )


def _regression(found: Searched, one: Regression, categories: Categories) -> FoundRegression:
    names = found.history.commits
    level_s = _level_s(found, one.start), _level_s(found, one.cause)
    return FoundRegression(
        start=names[one.start],
        cause=names[one.cause],
        suspects=tuple(names[place] for place in one.suspects),
        kind=categories.kind(min(level_s), max(level_s)),
        confirmed=one.confirmed,
        level_s=level_s,
    )


def _level_s(found: Searched, place: int) -> float:
    return math.exp(found.known.samples[place].level)


def _path(found: Searched) -> Iterator[PathStep]:
    for main in found.progress.regressions[:1]:
        for step in main.walk.steps:
            yield PathStep(
                commit=found.history.commits[step.commit],
                judgement=step.judgement,
                candidates=step.candidates,
                weight=step.weight,
            )


def _odds(case: Case, found: Searched, place: int) -> float | None:
    if not found.progress.regressions:
        return None
    good, bad = found.progress.regressions[0].period
    if place in (good, bad) or place not in found.known.samples:
        return None
    return case.rule.log_odds(found.known, Ends(good=good, bad=bad, last_good=good), place)


def _confidence(case: Case, found: Searched) -> float | None:
    steps = [step for main in found.progress.regressions[:1] for step in main.walk.steps]
    return confidence(
        _odds(case, found, step.commit) for step in steps if step.judgement is not Judgement.SKIPPED
    )


def _listed(case: Case) -> dict[str, ListedCommit]:
    return {one.id: one for one in (case.period.good, *case.period.commits)}


def _measured(case: Case, found: Searched, categories: Categories) -> Iterator[MeasuredCommit]:
    judgements = {step.commit: step.judgement for step in _path(found)}
    listed = _listed(case)
    for place, name in enumerate(found.history.commits):
        if name not in found.records:
            continue
        sample = found.known.samples.get(place)
        yield MeasuredCommit(
            commit=name,
            date=listed[name].date,
            title=listed[name].title,
            place=place,
            runs=len(found.records[name].runs),
            disturbed=sample.runs - sample.trusted if sample else 0,
            sample_size=len(sample.values) if sample else 0,
            mean_s=sample.mean if sample else None,
            level_s=math.exp(sample.level) if sample else None,
            category=categories.of(math.exp(sample.level)) if sample else None,
            judgement=judgements.get(name),
            log_odds=_odds(case, found, place),
            reason=found.records[name].failure or "",
        )


def _hints(case: Case, main: FoundRegression | None, where: Where | None) -> Iterator[Hint]:
    if main is None:
        return
    cause = main.cause[:12]
    yield Hint(command=f"git show --stat {cause}", purpose="what the commit says and which files it changed")
    blamed = [one for one in where.suspects if one.suspicion > 0] if where else []
    for one in blamed[:3]:
        before = where.compared[0][:12] if where else main.start[:12]
        path = shlex.quote(one.changed.path)
        yield Hint(
            command=f"git diff {before} {cause} -- {path}", purpose=f"how {one.changed.method} changed"
        )
    folder = shlex.quote(f"../{case.project.subject.name}-{cause}")
    yield Hint(command=f"git worktree add --detach {folder} {cause}", purpose="a folder to try it out in")
    wanted = case.project.framework.suite.filter([case.benchmark])
    yield Hint(command=wanted, purpose="what selects the benchmark there, for the suite's own command line")
