"""CoV and RCIW: stop when a statistic settles, as in the dynamic JMH reconfiguration."""

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from abs_audit.analyses.stop.rules.rule import Decision, StoppingRule
from abs_audit.stats.arrays import Floats
from abs_audit.stats.bootstrap import Resampling, mean_draws
from abs_audit.stats.summary import rsd


@dataclass(frozen=True, slots=True, kw_only=True)
class Settling(StoppingRule):
    """Stop when a statistic moved by less than `threshold` over the last `size` values.

    Laaber et al. 2020, §3: a statistic is computed over all values so far, after each iteration; it is
    stable when its latest value differs by less than the threshold from each of the `size` − 1 before. The
    public implementation compares strictly and with the latest value, which is kept. Ours takes one value
    an iteration; there are no single invocations here, so neither sampling nor outlier removal applies.
    """

    threshold: float
    size: int = 5

    @abstractmethod
    def statistic(self, values: Floats) -> float:
        """Return what has to settle, over some values."""

    def look(self, values: Floats) -> Decision:
        """Decide from the largest move of the statistic."""
        history = [self.statistic(values[: values.size - back]) for back in range(self.size)]
        move = max(abs(history[0] - earlier) for earlier in history[1:])
        enough = move < self.threshold
        moved = f"{self.name} moved by {move:.4f} {'<' if enough else '≥'} {self.threshold:g}"
        reason = f"{moved} over the last {self.size} values"
        return Decision(enough=enough, reason=reason, figures={self.name: history[0], "move": move})


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation(Settling):
    """Stop when s ÷ mean moved by less than .01 over the last 5 values (Laaber et al. 2020, §3)."""

    name: ClassVar[str] = "cov"
    threshold: float = 0.01

    def statistic(self, values: Floats) -> float:
        """Return the coefficient of variation."""
        return rsd(values)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalWidth(Settling):
    """Stop when the interval's width ÷ mean moved by less than .03 over the last 5 values.

    Laaber et al. 2020, §3. The interval is the 99 % bootstrap interval of the mean, 1,000 resamples.
    It is the *move* of the width that is bounded, not the width itself: a wide interval that shrinks slowly
    counts as settled.
    """

    name: ClassVar[str] = "rciw"
    threshold: float = 0.03
    resampling: Resampling = field(default_factory=lambda: Resampling(confidence=0.99))

    def statistic(self, values: Floats) -> float:
        """Return the relative width of the interval of the mean."""
        rng = np.random.default_rng((self.seed, values.size))
        low, high = np.quantile(mean_draws(values, self.resampling.resamples, rng), self.resampling.tails)
        return float((high - low) / values.mean())
