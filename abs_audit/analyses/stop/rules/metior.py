"""Metior: stop when the latest values can hardly have moved the median."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from abs_audit.analyses.stop.rules.rule import Decision, StoppingRule
from abs_audit.stats.arrays import Floats
from abs_audit.stats.block_bootstrap import block_length, block_resamples
from abs_audit.stats.bootstrap import Resampling


@dataclass(frozen=True, slots=True, kw_only=True)
class Metior(StoppingRule):
    """Stop when the largest plausible change of a percentile is at most e₀.

    He et al. 2021; Wen et al. 2023, §2.2. S_cur and S_pre (S_cur without the last
    interval) are resampled in blocks of one length, chosen automatically from S_pre. Text and program differ:

    - *text*: the two-sided 95 % interval of (θ_cur* − θ_pre*)/θ_pre* lies inside (−e₀, e₀);
    - *program* (`paper_quirks`): the 95th percentile of |θ_pre* − θ_cur*|/θ_cur* is ≤ e₀, and blocks leave
      out the last start. The figures published with SuperFlow were made with the program.
    """

    name: ClassVar[str] = "metior"
    error: float = 0.03
    """e₀."""
    percentile: float = 0.5
    resampling: Resampling = field(default_factory=Resampling)

    def look(self, values: Floats) -> Decision:
        """Decide from the largest plausible relative change of the percentile."""
        earlier = values[: -self.interval]
        block = block_length(earlier)
        rng = np.random.default_rng((self.seed, values.size))
        change = self._change(self._draws(earlier, block, rng), self._draws(values, block, rng))
        satisfied = change <= self.error if self.paper_quirks else change < self.error
        sign = ("≤" if self.paper_quirks else "<") if satisfied else (">" if self.paper_quirks else "≥")
        reason = f"largest plausible change of p{100 * self.percentile:g} {change:.4f} {sign} {self.error:g}"
        figures = {"change": change, "block_length": float(block)}
        return Decision(enough=satisfied, reason=reason, figures=figures)

    def _draws(self, values: Floats, block: int, rng: np.random.Generator) -> Floats:
        resamples = self.resampling.resamples
        rows = block_resamples(values, block, resamples, rng, paper_quirks=self.paper_quirks)
        draws: Floats = np.quantile(rows, self.percentile, axis=1)
        return draws

    def _change(self, before: Floats, now: Floats) -> float:
        """Return the change that is compared with e₀, never negative."""
        if self.paper_quirks:
            return float(np.quantile(np.abs(before - now) / now, self.resampling.confidence))
        low, high = np.quantile((now - before) / before, self.resampling.tails)
        return float(max(-low, high))
