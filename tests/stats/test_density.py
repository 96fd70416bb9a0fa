import numpy as np
import pytest
from scipy.stats import gaussian_kde

from abs_audit.stats.density import density


def test_the_density_of_two_points_is_that_of_two_gaussians() -> None:
    # Scott: h = s · n^(-1/5), s = √½ for the values 0 and 1.
    grid, heights = density([0.0, 1.0], points=3)
    width = np.sqrt(0.5) * 2 ** (-0.2)
    normal = np.exp(-0.5 * (np.array([0, 0.5, 1])[:, None] - np.array([0, 1])) ** 2 / width**2)
    np.testing.assert_allclose(heights, normal.mean(axis=1) / width / np.sqrt(2 * np.pi))
    assert grid.tolist() == [0.0, 0.5, 1.0]


def test_equal_values_are_a_mark_without_a_shape() -> None:
    grid, heights = density([0.2, 0.2])
    assert (grid.tolist(), heights.tolist()) == ([0.2], [1.0])


@pytest.mark.parametrize("values", [[], [float("nan"), 1.0]])
def test_nothing_and_nan_have_no_density(values: list[float]) -> None:
    with pytest.raises(ValueError, match="density"):
        density(values)


def test_the_curve_is_that_of_scipy() -> None:
    sample = np.random.default_rng(5).lognormal(size=300)
    grid, heights = density(sample)
    assert heights == pytest.approx(gaussian_kde(sample)(grid), rel=1e-9)
