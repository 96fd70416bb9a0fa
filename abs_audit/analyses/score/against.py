"""What became of each method since an earlier score."""

from collections.abc import Mapping
from dataclasses import dataclass

from abs_audit.analyses.score.model import Score
from abs_audit.model.verdict import UNWATCHED, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A method whose verdict is another one than before; None: it was not asked about."""

    method: str
    before: Verdict | None
    now: Verdict | None

    @property
    def lost(self) -> bool:
        """Whether it was noticed and is not: no verdict is not worse."""
        return self.before is Verdict.DETECTED and self.now in UNWATCHED

    @property
    def won(self) -> bool:
        """Whether it is noticed and was not."""
        return self.now is Verdict.DETECTED and self.before in UNWATCHED


def turns(now: Score, before: Score) -> tuple[Turn, ...]:
    """Return the methods with another verdict: lost ones first, then won ones, then the rest."""
    ours, theirs = _verdicts(now), _verdicts(before)
    changed = [
        Turn(method=method, before=theirs.get(method), now=ours.get(method))
        for method in dict.fromkeys([*ours, *theirs])
        if ours.get(method) is not theirs.get(method)
    ]
    return tuple(sorted(changed, key=lambda turn: (not turn.lost, not turn.won)))


def lost(now: Score, before: Score) -> tuple[str, ...]:
    """Return the methods that were detected before and are not watched now."""
    return tuple(turn.method for turn in turns(now, before) if turn.lost)


def _verdicts(score: Score) -> Mapping[str, Verdict]:
    return {method.method: method.verdict for method in score.methods}
