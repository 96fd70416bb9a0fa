"""How many instances and trials are worth their cost? The smallest sampling that sees what it should."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from abs_audit.analyses.detectable.model import SmallestRegression
from abs_audit.analyses.detectable.sampling import Sampling


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What one sampling lets the benchmarks see."""

    sampling: Sampling
    answered: int
    """Benchmarks with enough instances and trials."""
    smallest: float | None
    """Regression that the wanted share of all benchmarks sees; None: fewer see any."""
    median: float | None
    """Regression that half of all benchmarks see."""
    seeing: float
    """Share of all benchmarks that see the regression aimed at, 0..1."""
    none: int
    """Answered benchmarks that see no regression at all."""

    @property
    def trials(self) -> int:
        """Trials that each version costs."""
        return self.sampling.instances * self.sampling.trials


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """Answer to: how many instances and trials, and what will they show?"""

    regression: float
    """That is to be seen."""
    share: float
    """Of the benchmarks that are to see it."""
    sights: tuple[Sight, ...]
    """One a sampling, in the order asked."""
    chosen: Sight | None
    """Fewest trials that reach the aim, else what comes nearest; None: nothing comes near."""

    @property
    def reached(self) -> bool:
        """Whether the chosen sampling reaches the aim."""
        smallest = None if self.chosen is None else self.chosen.smallest
        return smallest is not None and smallest <= self.regression


def recommend(result: SmallestRegression, regression: float = 0.05, share: float = 0.9) -> Recommendation:
    """Return the cheapest sampling under which `share` of all benchmarks see `regression`.

    A benchmark without an answer under a sampling sees nothing there. Where no sampling reaches the aim, the
    one under which most benchmarks see that regression; where none does, the one that shows `share` of them
    the smallest. Of equals, the one with fewest trials, then the one that shows more. No benchmark: nothing
    is chosen. Laaber, Scheuner & Leitner 2018, §4.2.2, compare samplings in this way.
    """
    sights = tuple(_sight(result, sampling, regression, share) for sampling in result.samplings)
    return Recommendation(
        regression=regression, share=share, sights=sights, chosen=_chosen(sights, regression)
    )


def _chosen(sights: Sequence[Sight], regression: float) -> Sight | None:
    showing = [sight for sight in sights if sight.smallest is not None]
    if enough := [sight for sight in showing if (sight.smallest or 0.0) <= regression]:
        return min(enough, key=lambda sight: (sight.trials, sight.smallest))
    if seeing := [sight for sight in sights if sight.seeing]:
        return min(seeing, key=lambda sight: (-sight.seeing, sight.trials))
    return min(showing, key=lambda sight: (sight.smallest, sight.trials), default=None)


def _sight(result: SmallestRegression, sampling: Sampling, regression: float, share: float) -> Sight:
    rows = result.under(sampling)
    seen = sorted(row.smallest for row in rows if row.smallest is not None)
    return Sight(
        sampling=sampling,
        answered=len(rows),
        smallest=_seen_by(seen, share, result.asked),
        median=_seen_by(seen, 0.5, result.asked),
        seeing=sum(smallest <= regression for smallest in seen) / max(result.asked, 1),
        none=len(rows) - len(seen),
    )


def _seen_by(seen: Sequence[float], share: float, benchmarks: int) -> float | None:
    """Return the least regression that at least `share` of all benchmarks see."""
    # 90 % of 10 benchmarks are 9, whatever 0.9 · 10 is in binary.
    needed = max(1, math.ceil(share * benchmarks - 1e-9))
    return seen[needed - 1] if len(seen) >= needed else None
