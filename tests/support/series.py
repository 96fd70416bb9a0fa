"""Series with a known dependence, the same on every machine and numpy."""

import numpy as np


def autoregressive(phi: float, n: int, seed: int) -> np.ndarray:
    """Return an AR(1) series x_t = φ·x_{t−1} + e_t after 50 values of warm-up.

    The legacy generator is frozen by numpy's policy, so that recorded results stay comparable.
    """
    noise = np.random.RandomState(seed).standard_normal(n + 50)
    series = np.zeros(n + 50)
    for t in range(1, n + 50):
        series[t] = phi * series[t - 1] + noise[t]
    return series[50:]
