"""Takes the influence of the load out of a counter, so that runs under different loads compare."""

from dataclasses import dataclass

import numpy as np

from abs_audit.stats.arrays import Floats
from abs_audit.stats.least_squares import Line, fit_line

SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadScaling:
    """How a counter follows the load, learned from baseline samples.

    Nguyen et al. 2012, §4.1: c = a·l + b. Their Eq. 2 predicts the target from the baseline; here both sides
    are brought to one reference load l₀ instead: c' = c · (a·l₀ + b)/(a·l + b).
    """

    line: Line
    reference_load: float
    """l₀, the median load of the baseline samples."""
    reason: str
    """Why nothing is scaled; empty where it is."""

    def apply(self, values: Floats, load: Floats) -> tuple[Floats, int]:
        """Return the values at the reference load, and how many had to stay as they are.

        Shapes (n,); a sample stays where either prediction is ≤ 0, for a ratio of such numbers means nothing.
        """
        if self.reason:
            return values, 0
        at_reference = float(self.line.at(self.reference_load))
        predicted = self.line.at(load)
        usable = (predicted > 0.0) & (at_reference > 0.0)
        factor = np.divide(at_reference, predicted, out=np.ones_like(predicted), where=usable)
        return values * factor, int(np.count_nonzero(~usable))


def learn_scaling(values: Floats, load: Floats) -> LoadScaling:
    """Return the scaling that the baseline samples suggest: none where the slope has p > .05.

    `values` and `load` have shape (n,), one pair a sample. Constant load or counter: no scaling.
    """
    line = fit_line(load, values)
    reason = ""
    if line.slope_p > SIGNIFICANT:
        reason = f"does not follow the load (p = {line.slope_p:.2g})"
    return LoadScaling(line=line, reference_load=float(np.median(load)), reason=reason)
