"""Which commit to measure next, and which one remains: bisection on the commit graph."""

from collections.abc import Callable, Container
from dataclasses import dataclass
from enum import StrEnum

from abs_audit.analyses.rootcause.commits.history import (
    Commit,
    History,
    ancestors_and_self,
    restricted,
    weights,
)
from abs_audit.model.bounds import Count


class Judgement(StrEnum):
    """What is known of a commit between a good and a bad one."""

    GOOD = "good"
    BAD = "bad"
    UNSURE = "unsure"
    """Measured, but more runs are needed."""
    UNKNOWN = "unknown"
    """Not measured yet."""
    SKIPPED = "skipped"
    """Cannot be measured."""


Judge = Callable[[str, str], Judgement]
"""The commit last found good and a candidate → what is known of the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One commit that the search came by."""

    commit: Commit
    judgement: Judgement
    candidates: Count
    """Candidates before it was judged, the bad end included."""
    weight: Count
    """Candidates that it rules out at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """How far a search has come."""

    steps: tuple[Step, ...]
    """In order; a commit that is still to be judged is not among them."""
    good: str
    """The last commit found good; the good end where none was."""
    bad: str
    """The last commit found bad; the bad end where none was."""
    wanted: str | None
    """The commit to measure next; None: the search is over, and `bad` is what remains."""
    suspects: tuple[str, ...]
    """Where it is over: `bad`, and the candidates that could not be measured."""


Path = tuple[tuple[str, Judgement], ...]


class Bisection:
    """Searches between one good and one bad commit; remembers the weights of the paths it has seen.

    Candidates are the bad commit and its ancestors without the good commit and its ancestors (Heger et al.
    2013, §4.1). A bad commit keeps itself and its ancestors, a good one removes them; what was removed stays
    removed, whatever commit the next comparison refers to. The largest weight is measured next, the first
    in topological order where several are largest.
    """

    def __init__(self, history: History, good: str, bad: str) -> None:
        """Prepare the search; raise ValueError where the good commit leaves no candidate."""
        self._history, self._good, self._bad = history, good, bad
        kept = ancestors_and_self(history, bad) - ancestors_and_self(history, good)
        if not kept:
            raise ValueError("expected candidates between the good and the bad commit, found none")
        self._known: dict[Path, dict[str, int]] = {(): self._weighed(kept)}
        """Judgements → the candidates that they leave, the bad end included, with their weights."""

    @property
    def candidates(self) -> tuple[str, ...]:
        """All candidates before any is judged, in topological order."""
        return self._in_order(self._known[()])

    def walk(self, judge: Judge) -> Walk:
        """Go as far as the judgements reach; the same judgements always lead the same way.

        Neighbours of a commit that does not build mostly do not build either: after 1, 2, 3, … skips in a row
        the 2nd, 4th, 8th, … heaviest is taken, so that a broken stretch is left after a few tries.
        """
        path: Path = ()
        steps: list[Step] = []
        skipped: set[str] = set()
        good, bad, streak = self._good, self._bad, 0
        while True:
            weighed = self._known[path]
            left = [commit for commit in weighed if commit != bad and commit not in skipped]
            if not left:
                break
            commit = left[min(2**streak - 1, len(left) - 1)]
            judgement = judge(good, commit)
            if judgement in {Judgement.UNKNOWN, Judgement.UNSURE}:
                return Walk(steps=tuple(steps), good=good, bad=bad, wanted=commit, suspects=())
            step = Step(commit=commit, judgement=judgement, candidates=len(weighed), weight=weighed[commit])
            steps.append(step)
            if judgement is Judgement.SKIPPED:
                skipped.add(commit)
                streak += 1
                continue
            streak = 0
            good, bad = (commit, bad) if judgement is Judgement.GOOD else (good, commit)
            path = self._extended(path, commit, judgement)
        return Walk(steps=tuple(steps), good=good, bad=bad, wanted=None, suspects=self._in_order(weighed))

    def _extended(self, path: Path, commit: str, judgement: Judgement) -> Path:
        longer = (*path, (commit, judgement))
        if longer not in self._known:
            before, below = self._known[path].keys(), ancestors_and_self(self._history, commit)
            left = before & below if judgement is Judgement.BAD else before - below
            self._known[longer] = self._weighed(left)
        return longer

    def _weighed(self, members: Container[str]) -> dict[str, int]:
        """Return candidates with their weights, the heaviest first; equal ones stay in topological order."""
        weighed = weights(restricted(self._history, self._in_order(members)))
        return dict(sorted(weighed.items(), key=lambda pair: -pair[1]))

    def _in_order(self, members: Container[str]) -> tuple[str, ...]:
        return tuple(commit for commit in self._history if commit in members)
