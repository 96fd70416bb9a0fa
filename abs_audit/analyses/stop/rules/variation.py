"""CoV: stop when the coefficient of variation settles."""

from dataclasses import dataclass, field

from numpy.typing import ArrayLike

from abs_audit.analyses.stop.rules.rule import Decision, Looks, measured
from abs_audit.analyses.stop.rules.window import Window
from abs_audit.stats.summary import rsd


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """Stop when s ÷ mean moved by less than .01 over the last 5 values (Laaber et al. 2020, §3)."""

    window: Window = field(default_factory=lambda: Window(threshold=0.01))
    looks: Looks = field(default_factory=Looks)

    @property
    def name(self) -> str:
        """The name that users give."""
        return "cov"

    def decide(self, samples: ArrayLike) -> Decision:
        """Decide from the coefficient of variation over all values so far."""
        return self.window.decide(measured(samples), self.looks, "cov", rsd)
