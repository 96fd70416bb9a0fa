"""Results of searches for tests of reports: small, without an answer, hostile, large."""

import hashlib
from dataclasses import replace

from abs_audit.analyses.rootcause.calls.call_tree import Change, Node
from abs_audit.analyses.rootcause.calls.changes import ChangedMethod, MethodChange
from abs_audit.analyses.rootcause.calls.suspicion import Suspect
from abs_audit.analyses.rootcause.commits.bisection import Judgement, Step
from abs_audit.analyses.rootcause.commits.categories import assigned
from abs_audit.analyses.rootcause.model import (
    EQUAL,
    FoundRegression,
    Hint,
    MeasuredCommit,
    RootCause,
    Where,
    warnings,
)
from tests.support.sessions import HOSTILE

LIMITS = assigned(1e-3)


def sha(number: int) -> str:
    return hashlib.sha1(str(number).encode(), usedforsecurity=False).hexdigest()


def commit(
    place: int, level_s: float | None, judgement: Judgement | None = None, reason: str = ""
) -> MeasuredCommit:
    return MeasuredCommit(
        commit=sha(place),
        date="2020-09-13T12:26:40+00:00",
        title=f"change {place}",
        place=place,
        runs=3 if level_s else 0,
        disturbed=1 if level_s else 0,
        sample_size=100 if level_s else 0,
        mean_s=level_s and 1.01 * level_s,
        level_s=level_s,
        category=LIMITS.of(level_s) if level_s else None,
        judgement=judgement,
        log_odds=None
        if judgement in {None, Judgement.SKIPPED}
        else 7.0
        if judgement is Judgement.BAD
        else -9.0,
        reason=reason,
    )


def node(method: str, caller: str | None, level: int, change: Change, cause: bool = False) -> Node:
    slower = change is Change.SLOWER
    return Node(
        method=method,
        caller=caller,
        level=level,
        calls=(1.0, 1.0),
        time_s=(1e-3, 1.4e-3 if slower else 1e-3),
        p=1e-9 if slower else 0.4,
        change=change,
        restructured=False,
        entered=slower and not cause,
        cause=cause,
    )


def small() -> RootCause:
    """Commit 5 of 9 is to blame; commit 4 did not build and may be it as well."""
    measured = (
        commit(0, 1e-3),
        commit(3, 1.01e-3, Judgement.GOOD),
        commit(4, None, Judgement.SKIPPED, "building failed (exit code 1): no such header"),
        commit(5, 1.41e-3, Judgement.BAD),
        commit(9, 1.4e-3),
    )
    regression = FoundRegression(
        start=sha(3),
        cause=sha(5),
        suspects=(sha(4), sha(5)),
        kind=LIMITS.kind(1.01e-3, 1.41e-3),
        confirmed=True,
        level_s=(1.01e-3, 1.41e-3),
    )
    changed = ChangedMethod(method="lib.inner", change=MethodChange.MODIFIED, path="lib/core.py", line=7)
    harmless = replace(changed, method="lib.idle", change=MethodChange.ADDED)
    where = Where(
        compared=(sha(3), sha(5)),
        tree=(
            node("lib.outer", None, 1, Change.SLOWER),
            node("lib.inner", "lib.outer", 2, Change.SLOWER, cause=True),
            node("lib.other", "lib.outer", 2, Change.NOT_SLOWER),
        ),
        recorded=True,
        lost_s=4e-4,
        suspects=(
            Suspect(changed=changed, suspicion=0.95, increase_s=3.8e-4, reason="changed and slower"),
            Suspect(changed=harmless, suspicion=0.0, increase_s=None, reason="the benchmark never calls it"),
        ),
        elsewhere=("setup.cfg",),
    )
    path = (
        Step(commit=sha(4), judgement=Judgement.SKIPPED, candidates=9, weight=4),
        Step(commit=sha(3), judgement=Judgement.GOOD, candidates=9, weight=3),
        Step(commit=sha(5), judgement=Judgement.BAD, candidates=6, weight=2),
    )
    return RootCause(
        benchmark="bench/test_it.py::test_outer",
        rule="default",
        improvement=False,
        good=sha(0),
        bad=sha(9),
        candidates=9,
        cause=sha(5),
        confidence=0.9988,
        categories=LIMITS,
        measured=measured,
        path=path,
        regressions=(regression,),
        where=where,
        hints=(Hint(command=f"git show --stat {sha(5)[:12]}", purpose="what the commit says"),),
        warnings=warnings((regression,), 1),
    )


def none() -> RootCause:
    """The bad end is not slower."""
    return replace(
        small(),
        cause=None,
        confidence=None,
        measured=(commit(0, 1e-3), commit(9, 1.001e-3)),
        path=(),
        regressions=(),
        where=None,
        hints=(),
        warnings=warnings((), 0, EQUAL),
    )


def gradual() -> RootCause:
    """No step is large enough to be the cause."""
    regression = replace(small().regressions[0], confirmed=False)
    return replace(
        none(),
        measured=small().measured,
        path=small().path,
        regressions=(regression,),
        warnings=warnings((regression,), 0),
    )


def hostile() -> RootCause:
    """Every text of the project is out to get the reader."""
    result = small()
    assert result.where is not None
    methods = [f"{name}.{number}" for number, name in enumerate(HOSTILE)]
    tree = tuple(node(method, None, 1, Change.SLOWER, cause=True) for method in methods)
    suspects = tuple(
        replace(
            result.where.suspects[0],
            changed=replace(result.where.suspects[0].changed, method=method, path=method),
        )
        for method in methods
    )
    return replace(
        result,
        benchmark=HOSTILE[0],
        measured=tuple(
            replace(commit, title=HOSTILE[number], reason=HOSTILE[number + 3] if commit.reason else "")
            for number, commit in enumerate(result.measured)
        ),
        where=replace(result.where, tree=tree, suspects=suspects, elsewhere=HOSTILE, recorded=False),
        hints=(Hint(command=f"git diff -- '{HOSTILE[1]}'", purpose=HOSTILE[0]),),
        warnings=HOSTILE,
    )


def large() -> RootCause:
    """A restless period with a deep tree."""
    result = small()
    assert result.where is not None
    deep = tuple(
        node(
            f"lib.module.Class.method_{number}",
            f"lib.module.Class.method_{number - 1}" if number else None,
            number + 1,
            Change.SLOWER,
        )
        for number in range(2000)
    )
    measured = tuple(commit(place, 1e-3 + 1e-6 * (place % 7), Judgement.GOOD) for place in range(3000))
    return replace(result, measured=measured, candidates=100_000, where=replace(result.where, tree=deep))
