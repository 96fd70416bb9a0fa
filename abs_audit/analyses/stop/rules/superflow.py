"""SuperFlow: stop when the quartiles are known to within 1 %, twice in a row."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from abs_audit.analyses.stop.rules.order_statistics import percentile_interval
from abs_audit.analyses.stop.rules.rule import Decision, StoppingRule
from abs_audit.stats.arrays import Floats
from abs_audit.stats.block_bootstrap import block_length, block_resamples
from abs_audit.stats.bootstrap import Resampling, percentile_intervals

QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuperFlow(StoppingRule):
    """Stop when S_cur and S_pre are both accurate (Wen et al. 2023, §4.2).

    A sample is accurate when for each quartile m the 95 % interval (L, H) satisfies L > m(1 − r) and
    H < m(1 + r), strictly. S_pre is S_cur without the last interval. The three variants differ in the
    interval: order statistics, bootstrap, block bootstrap (§4.3). `paper_quirks`: positions of variant 1
    counted from 0, blocks of variant 3 as in the authors' program.
    """

    variant: Literal[1, 2, 3]
    error: float = 0.01
    """r."""
    resampling: Resampling = field(default_factory=Resampling)

    @property
    def name(self) -> str:
        """The name that users give."""
        return f"superflow{self.variant}"

    def look(self, values: Floats) -> Decision:
        """Decide from the worst relative error of the quartiles, now and an interval ago."""
        now = self._errors(values)
        before = self._errors(values[: -self.interval])
        figures = {**now, **{f"{name}_before": value for name, value in before.items()}}
        worst = max(figures.values())
        satisfied = worst < self.error
        return Decision(enough=satisfied, reason=self._reason(worst, satisfied), figures=figures)

    def _reason(self, worst: float, satisfied: bool) -> str:
        if not np.isfinite(worst):
            return "too few values for the intervals of all quartiles"
        sign = "<" if satisfied else "≥"
        return f"largest relative error of a quartile {worst:.4f} {sign} {self.error:g}"

    def _errors(self, values: Floats) -> Mapping[str, float]:
        """Return for each quartile max(m − L, H − m) ÷ m; infinite where there is no interval."""
        centres = np.quantile(values, QUARTILES)
        errors = {}
        for quartile, centre, ends in zip(QUARTILES, centres, self._intervals(values), strict=True):
            error = np.inf if ends is None else max(centre - ends[0], ends[1] - centre) / centre
            errors[f"error_p{100 * quartile:.0f}"] = float(error)
        return errors

    def _intervals(self, values: Floats) -> list[tuple[float, float] | None]:
        confidence = self.resampling.confidence
        if self.variant == 1:
            return [
                percentile_interval(values, quartile, confidence, paper_quirks=self.paper_quirks)
                for quartile in QUARTILES
            ]
        # The size belongs to the seed: S_pre gets the draws that it had when it was S_cur.
        rng = np.random.default_rng((self.seed, values.size))
        if self.variant == 2:
            ends = percentile_intervals(values, QUARTILES, self.resampling, rng)
        else:
            ends = self._block_intervals(values, rng)
        return [(float(low), float(high)) for low, high in ends]

    def _block_intervals(self, values: Floats, rng: np.random.Generator) -> Floats:
        block = block_length(values)
        resamples = self.resampling.resamples
        rows = block_resamples(values, block, resamples, rng, paper_quirks=self.paper_quirks)
        quartiles = np.quantile(rows, QUARTILES, axis=1)
        ends: Floats = np.quantile(quartiles, self.resampling.tails, axis=1).T
        return ends
