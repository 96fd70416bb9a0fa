"""A fixed number of values: the baseline that every rule has to beat."""

from dataclasses import dataclass

from abs_audit.analyses.stop.rules.rule import Decision, StoppingRule
from abs_audit.stats.arrays import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedCount(StoppingRule):
    """Stop at `first` values, whatever they are."""

    @property
    def name(self) -> str:
        """The name in tables."""
        return f"fixed {self.first}"

    def look(self, values: Floats) -> Decision:
        """Decide from the number of values alone."""
        return Decision(enough=True, reason=f"{values.size} values", figures={})
