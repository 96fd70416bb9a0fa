"""The arrays that statistics take and return, and what must be true of measured values."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]


def checked(values: ArrayLike) -> Floats:
    """Return the values as floats; raise ValueError where the last axis is empty or a value is not finite."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ValueError("expected at least one value, found none: leave the series out")
    if not np.isfinite(array).all():
        raise ValueError("expected finite values, found NaN or infinity: readers must reject them")
    return array
