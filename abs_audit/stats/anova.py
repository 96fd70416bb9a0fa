"""One-way analysis of variance: do several samples have the same mean?"""

import warnings

import numpy as np
import scipy
from numpy.typing import ArrayLike

from abs_audit.stats.arrays import checked


def p_value(*groups: ArrayLike) -> float:
    """Return p of the one-way analysis of variance of at least two samples.

    The test of Heger et al. 2013, §3 (after Georges et al. 2007): `scipy.stats.f_oneway`. Shapes: one
    dimension each, lengths may differ; no unit: only ratios of variances matter. All values equal: 1.
    No variation inside the samples but different means: 0. One value each: 1, for nothing is known
    of the variation. Fewer than two samples, an empty one, NaN or infinity: ValueError.
    """
    samples = [checked(group) for group in groups]
    if len(samples) < 2:
        raise ValueError(f"expected at least 2 samples to compare, found {len(samples)}")
    with warnings.catch_warnings():
        # What it warns of stands above.
        warnings.simplefilter("ignore")
        p = float(scipy.stats.f_oneway(*samples).pvalue)
    return 1.0 if np.isnan(p) else p
