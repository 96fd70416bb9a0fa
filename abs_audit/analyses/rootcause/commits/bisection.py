"""Which commit to measure next, and which one remains: bisection on the commit graph."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from abs_audit.analyses.rootcause.commits.history import History, ancestors_and_self, restricted, weights


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

    commit: str
    judgement: Judgement
    candidates: int
    """Candidates before it was judged, the bad end included."""
    weight: int
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


@dataclass(frozen=True, slots=True)
class _State:
    """The candidates after some judgements, heaviest first."""

    members: tuple[str, ...]
    """In topological order."""
    order: tuple[tuple[str, int], ...]
    """(commit, weight) of every candidate but the bad end."""


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
        members = [commit for commit in history if commit in kept]
        if not members:
            raise ValueError("expected candidates between the good and the bad commit, found none")
        self._known: dict[Path, _State] = {(): self._weighed(members, bad)}

    @property
    def candidates(self) -> tuple[str, ...]:
        """All candidates before any is judged, in topological order."""
        return self._known[()].members

    def walk(self, judge: Judge) -> Walk:
        """Go as far as the judgements reach; the same judgements always lead the same way."""
        path: Path = ()
        steps: list[Step] = []
        skipped: list[str] = []
        good, bad, streak = self._good, self._bad, 0
        while True:
            state = self._known[path]
            chosen = _chosen(state, skipped, streak)
            if chosen is None:
                break
            commit, weight = chosen
            judgement = judge(good, commit)
            if judgement in {Judgement.UNKNOWN, Judgement.UNSURE}:
                return Walk(steps=tuple(steps), good=good, bad=bad, wanted=commit, suspects=())
            size = len(state.members)
            steps.append(Step(commit=commit, judgement=judgement, candidates=size, weight=weight))
            if judgement is Judgement.SKIPPED:
                skipped.append(commit)
                streak += 1
                continue
            streak = 0
            good, bad = (commit, bad) if judgement is Judgement.GOOD else (good, commit)
            path = self._extended(path, commit, judgement, bad)
        return Walk(steps=tuple(steps), good=good, bad=bad, wanted=None, suspects=state.members)

    def _extended(self, path: Path, commit: str, judgement: Judgement, bad: str) -> Path:
        longer = (*path, (commit, judgement))
        if longer not in self._known:
            below, keep = ancestors_and_self(self._history, commit), judgement is Judgement.BAD
            left = [member for member in self._known[path].members if (member in below) is keep]
            self._known[longer] = self._weighed(left, bad)
        return longer

    def _weighed(self, members: Sequence[str], bad: str) -> _State:
        weighed = weights(restricted(self._history, members))
        order = sorted(weighed.items(), key=lambda pair: -pair[1])
        return _State(tuple(members), tuple(pair for pair in order if pair[0] != bad))


def _chosen(state: _State, skipped: Sequence[str], streak: int) -> tuple[str, int] | None:
    """Return the heaviest candidate that was not skipped; further off after each skip in a row.

    Neighbours of a commit that does not build mostly do not build either: after 1, 2, 3, … skips in a row
    the 2nd, 4th, 8th, … heaviest is taken, so that a broken stretch is left after a few tries.
    """
    left = [pair for pair in state.order if pair[0] not in skipped] if skipped else state.order
    if not left:
        return None
    return left[min(2**streak - 1, len(left) - 1)]
