"""Distribution-free intervals of percentiles: two of the sorted values."""

import math

import numpy as np
import scipy
from numpy.typing import ArrayLike

from abs_audit.stats.arrays import checked

Z_OF_THE_AUTHORS = {0.90: 1.65, 0.95: 1.96, 0.99: 2.58}


def interval_indices(n: int, percentile: float, confidence: float = 0.95) -> tuple[int, int]:
    """Return the two numbers rint(nq − z·√(nq(1−q))) and rint(1 + nq + z·√(nq(1−q))).

    Le Boudec 2010, Annex A, as in Wen et al. 2023, §4.3 (SuperFlow 1); z = 1.65, 1.96, 2.58 for 90, 95,
    99 %, rounding to even. They may lie outside the sample: see `percentile_interval`.
    """
    z = Z_OF_THE_AUTHORS.get(confidence) or float(scipy.stats.norm.ppf((1.0 + confidence) / 2.0))
    half = z * math.sqrt(n * percentile * (1.0 - percentile))
    return round(n * percentile - half), round(1.0 + n * percentile + half)


def percentile_interval(
    values: ArrayLike, percentile: float, confidence: float = 0.95, *, paper_quirks: bool = False
) -> tuple[float, float] | None:
    """Return the order-statistic interval of a percentile, or None where the sample is too small for one.

    Wen et al. 2023, §4.3. Their prose counts the sorted values from 1; their program uses the same numbers
    from 0, so that both ends lie one value too high, and asks for lower > 0 and upper < n. `paper_quirks`
    keeps the program's reading, for which the published figures hold; without it, positions count from 1.
    All values equal: that value twice. Empty or NaN: ValueError.
    """
    ordered = np.sort(checked(values))
    low, high = interval_indices(ordered.size, percentile, confidence)
    if not paper_quirks:
        low, high = low - 1, high - 1
    if low < int(paper_quirks) or high >= ordered.size:
        return None
    return float(ordered[low]), float(ordered[high])
