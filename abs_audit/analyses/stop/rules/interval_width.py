"""RCIW: stop when the relative width of the mean's interval settles."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from abs_audit.analyses.stop.rules.rule import Decision, Looking
from abs_audit.analyses.stop.rules.window import Window
from abs_audit.stats.bootstrap import Floats, Resampling, mean_draws


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalWidth(Looking):
    """Stop when the interval's width ÷ mean moved by less than .03 over the last 5 values.

    Laaber et al. 2020, §3. The interval is the 99 % bootstrap interval of the mean, 1,000 resamples.
    It is the *move* of the width that is bounded, not the width itself: a wide interval that shrinks slowly
    counts as settled.
    """

    name: ClassVar[str] = "rciw"
    window: Window = field(default_factory=lambda: Window(threshold=0.03))
    resampling: Resampling = field(default_factory=lambda: Resampling(confidence=0.99))

    def look(self, values: Floats) -> Decision:
        """Decide from the relative interval width over all values so far."""
        return self.window.decide(values, self.name, self._width)

    def _width(self, values: Floats) -> float:
        rng = np.random.default_rng((self.seed, values.size))
        low, high = np.quantile(mean_draws(values, self.resampling.resamples, rng), self.resampling.tails)
        return float((high - low) / values.mean())
