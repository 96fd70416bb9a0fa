"""PT4Cloud: stop when the latest values no longer change the distribution."""

from dataclasses import dataclass
from typing import ClassVar

from abs_audit.analyses.stop.rules.rule import Decision, StoppingRule
from abs_audit.analyses.stop.rules.similarity import similarity
from abs_audit.stats.arrays import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class PT4Cloud(StoppingRule):
    """Stop when all values and all but the last interval are alike: p ≥ p₀.

    He et al. 2019; Wen et al. 2023, §2.2. The first look decides much: on serverless
    functions the accuracy rises from 61 % to 83 % where the first look is at 50 instead of 10 values.
    `paper_quirks`: densities that underflow mean "not alike", as in the authors' program (see `similarity`).
    """

    name: ClassVar[str] = "pt4cloud"
    objective: float = 0.90
    """p₀."""

    def look(self, values: Floats) -> Decision:
        """Decide from the similarity of the sample with its earlier part."""
        p = similarity(values, values[: -self.interval], paper_quirks=self.paper_quirks)
        satisfied = p >= self.objective
        reason = f"similarity {p:.4f} {'≥' if satisfied else '<'} {self.objective:g}"
        return Decision(enough=satisfied, reason=reason, figures={"similarity": p})
