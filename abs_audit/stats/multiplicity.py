"""p values of many tests, corrected for their number."""

import numpy as np
import scipy
from numpy.typing import ArrayLike

from abs_audit.stats.arrays import Floats


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """Return p values adjusted so that p < α bounds the expected share of false ones among the found by α.

    Benjamini & Hochberg 1995; shape (n,), 0..1. Where nothing changed at all it also bounds the probability
    of any alarm by α. None: none. Outside 0..1 or NaN: ValueError.
    """
    values = _checked(p_values)
    return np.asarray(scipy.stats.false_discovery_control(values)) if values.size else values


def holm(p_values: ArrayLike) -> Floats:
    """Return p values adjusted so that p < α bounds the probability of any false one by α.

    Holm 1979: the i-th smallest of n is multiplied by n − i + 1, never below the one before it, at most 1.
    Shape (n,). None: none. Outside 0..1 or NaN: ValueError.
    """
    values = _checked(p_values)
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(values.size, 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def _checked(p_values: ArrayLike) -> Floats:
    values = np.asarray(p_values, dtype=np.float64)
    if not ((values >= 0.0) & (values <= 1.0)).all():
        raise ValueError("expected p values between 0 and 1")
    return values
