"""The whole search as a function of what is measured: what to measure next, or which commits are to blame.

Nothing is remembered between two calls but weights: all decisions are made anew from the samples. So a later
run may overturn an earlier decision, and an interrupted search that finds its samples again goes on where
it was, whatever order they come in.
"""

from dataclasses import dataclass
from functools import cache, partial

from abs_audit.analyses.rootcause.commits.bisection import Bisection, Judge, Judgement, Walk
from abs_audit.analyses.rootcause.commits.history import History
from abs_audit.analyses.rootcause.commits.rules import Ends, Rule
from abs_audit.analyses.rootcause.commits.samples import Measurements

MOST_REGRESSIONS = 3
"""Regressions after which a period is not searched further, unless its user asks for more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """One commit that made it slower."""

    start: str
    """The commit that it is compared with: a parent where that could be measured."""
    cause: str
    suspects: tuple[str, ...]
    """The cause, and commits before it that could not be measured; any of them may be it."""
    confirmed: bool
    """False: the cause is not slower than `start`; the time grew in steps too small to tell."""
    period: tuple[str, str]
    """Good and bad end between which it was searched."""
    walk: Walk
    """The path to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the investigation has come."""

    wanted: tuple[str, ...]
    """Commits to run next to each other, once each; empty: it is over."""
    regressions: tuple[Regression, ...]
    """Confirmed ones, the largest first; where there are none, the commit that the first search ended at."""
    walks: tuple[Walk, ...]
    """The path of each search in the order made; a search under way comes last."""


SEARCHES = 2
"""Searches for every regression that is asked for, those included that end at no single commit."""


class _MissingRunsError(Exception):
    """Raised where the answer depends on runs that are not there."""

    def __init__(self, *commits: str) -> None:
        super().__init__(*commits)
        self.commits = tuple(dict.fromkeys(commits))


class Investigation:
    """Searches a period, and then both sides of what it came upon, the side that differs more first.

    A search may end at a commit that is no slower than its parent: where several regressions leave the time
    about halfway, or where it grew in many steps. Both sides are searched then as well, a few times.
    """

    def __init__(self, history: History, good: str, bad: str, most: int = MOST_REGRESSIONS) -> None:
        """Prepare the search between two commits; raise ValueError where no commit lies between them.

        `most`: regressions to find; the first is the one that a search of the whole period comes upon.
        """
        self._history = history
        self._most = most
        self._period = (good, bad)
        self._bisection = cache(partial(Bisection, history))
        self.candidates = self._bisection(good, bad).candidates
        """All commits that may be to blame, in topological order."""

    def progress(self, facts: Measurements, rule: Rule) -> Progress:
        """Return what follows from the samples; the same samples always give the same answer."""
        regressions: list[Regression] = []
        walks: list[Walk] = []
        wanted: tuple[str, ...] = ()
        try:
            self._search(facts, rule, regressions, walks)
        except _MissingRunsError as missing:
            wanted = missing.commits
        return Progress(wanted=wanted, regressions=_ranked(facts, regressions), walks=tuple(walks))

    def _search(
        self, facts: Measurements, rule: Rule, regressions: list[Regression], walks: list[Walk]
    ) -> None:
        periods = [self._period]
        while periods and sum(regression.confirmed for regression in regressions) < self._most:
            if len(regressions) >= SEARCHES * self._most:
                return
            # That whose ends differ the most, the first of equal ones.
            widest = max(range(len(periods)), key=lambda at: (_difference(facts, *periods[at]), -at))
            good, bad = periods.pop(widest)
            _require(facts, (good, bad), rule.first_runs)
            if not _slower(facts, rule, good, bad):
                continue
            search = self._bisection(good, bad)
            walk = search.walk(_judge(facts, rule, good, bad))
            walks.append(walk)
            if walk.wanted is not None:
                # Runs of both ends beside it show a drift; a first run of it may do without.
                alone = walk.wanted not in facts.samples and not rule.beside_ends
                raise _MissingRunsError(*([walk.wanted] if alone else [good, walk.wanted, bad]))
            regressions.append(self._concluded(facts, rule, (good, bad), walk))
            if rule.continues:
                periods += self._sides((good, bad), search, regressions[-1])

    def _concluded(self, facts: Measurements, rule: Rule, period: tuple[str, str], walk: Walk) -> Regression:
        """Return the regression, its cause compared with the parent that it came from."""
        start = self._start(facts, walk)
        _require(facts, (start,), 1)
        if rule.beside_ends:
            # What the machine does in a round hits both; in different rounds it would pass for a difference.
            _require_together(facts, start, walk.bad, rule.first_runs)
        confirmed = _slower(facts, rule, start, walk.bad)
        return Regression(
            start=start, cause=walk.bad, suspects=walk.suspects, confirmed=confirmed, period=period, walk=walk
        )

    def _start(self, facts: Measurements, walk: Walk) -> str:
        """Return a parent of the cause: a measured one if there is any, else one that can be measured.

        Where none can be, or all lie outside the graph, the last commit found good stands in.
        """
        parents = self._history[walk.bad]
        open_ = [parent for parent in parents if parent not in facts.skipped]
        return next((parent for parent in open_ if parent in facts.samples), open_[0] if open_ else walk.good)

    def _sides(
        self, period: tuple[str, str], search: Bisection, regression: Regression
    ) -> list[tuple[str, str]]:
        """Return the periods before and after a cause, where commits are left there."""
        good, bad = period
        before = [(good, regression.start)] if regression.start in search.candidates else []
        after = [(regression.cause, bad)] if regression.cause != bad else []
        return before + after


def _difference(facts: Measurements, before: str, after: str) -> float:
    """Return by how much two commits differ, in logarithms; 0 where one is not measured yet."""
    first, second = facts.samples.get(before), facts.samples.get(after)
    return abs(second.level - first.level) if first is not None and second is not None else 0.0


def _ranked(facts: Measurements, regressions: list[Regression]) -> tuple[Regression, ...]:
    """Return the confirmed ones, the largest first; where there are none, the first of all."""
    confirmed = [regression for regression in regressions if regression.confirmed]
    ranked = sorted(confirmed, key=lambda regression: -_difference(facts, regression.start, regression.cause))
    return tuple(ranked or regressions[:1])


def _judge(facts: Measurements, rule: Rule, good: str, bad: str) -> Judge:
    def judge(last_good: str, commit: str) -> Judgement:
        if commit in facts.skipped:
            return Judgement.SKIPPED
        if commit not in facts.samples:
            return Judgement.UNKNOWN
        return rule.judge(facts, Ends(good=good, bad=bad, last_good=last_good), commit)

    return judge


def _slower(facts: Measurements, rule: Rule, before: str, after: str) -> bool:
    judgement = rule.slower(facts, before, after)
    if judgement is Judgement.UNSURE:
        raise _MissingRunsError(before, after)
    return judgement is Judgement.BAD


def _require_together(facts: Measurements, first: str, second: str, rounds: int) -> None:
    """Ask for runs of two commits next to each other where there are too few; what is skipped needs none."""
    own, other = facts.samples.get(first), facts.samples.get(second)
    if own is not None and other is not None and len(own.rounds & other.rounds) < rounds:
        raise _MissingRunsError(first, second)


def _require(facts: Measurements, commits: tuple[str, ...], runs: int) -> None:
    """Ask for runs of commits that have too few; those that cannot be measured are asked for nothing."""
    few = [commit for commit in commits if commit not in facts.samples or facts.samples[commit].runs < runs]
    if few:
        raise _MissingRunsError(*few)
