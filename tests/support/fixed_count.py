"""A fixed number of values: the baseline that every rule has to beat."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from abs_audit.analyses.stop.rules.rule import Decision, Looks


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedCount:
    """Stop at `count` values, whatever they are."""

    count: int

    @property
    def name(self) -> str:
        """The name in tables."""
        return f"fixed {self.count}"

    @property
    def looks(self) -> Looks:
        """One look is enough."""
        return Looks(first=self.count)

    def decide(self, samples: ArrayLike) -> Decision:
        """Decide from the number of values alone."""
        number = np.size(samples)
        reason = f"{number} of {self.count} values"
        return Decision(enough=number >= self.count, reason=reason, figures={})
