"""CoV: stop when the coefficient of variation settles."""

from dataclasses import dataclass, field
from typing import ClassVar

from abs_audit.analyses.stop.rules.rule import Decision, Looking
from abs_audit.analyses.stop.rules.window import Window
from abs_audit.stats.bootstrap import Floats
from abs_audit.stats.summary import rsd


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation(Looking):
    """Stop when s ÷ mean moved by less than .01 over the last 5 values (Laaber et al. 2020, §3)."""

    name: ClassVar[str] = "cov"
    window: Window = field(default_factory=lambda: Window(threshold=0.01))

    def look(self, values: Floats) -> Decision:
        """Decide from the coefficient of variation over all values so far."""
        return self.window.decide(values, self.name, rsd)
