"""A line by hand, and the cases in which no slope can be seen."""

import pytest

from abs_audit.stats.least_squares import fit_line


def test_a_line_by_hand():
    # x̄ = 2, ȳ = 3; Σ(x−x̄)(y−ȳ) = (−1)(−2) + 0·1 + 1·1 = 3, Σ(x−x̄)² = 2.
    line = fit_line([1, 2, 3], [1, 4, 4])
    assert (line.slope, line.intercept) == pytest.approx((1.5, 0.0))
    assert line.at([0.0, 2.0]).tolist() == pytest.approx([0.0, 3.0])
    # residuals −.5, 1, −.5: s² = 1.5, t = 1.5/√(1.5/2) = √3 with 1 degree of freedom, p = 1 − 2·atan(√3)/π.
    assert line.slope_p == pytest.approx(1 / 3)


@pytest.mark.parametrize(("x", "y"), [([5, 5, 5], [1, 2, 6]), ([5], [3])])
def test_a_constant_load_shows_no_slope(x, y):
    line = fit_line(x, y)
    assert (line.slope, line.intercept, line.slope_p) == (0.0, 3.0, 1.0)


def test_a_constant_counter_shows_no_slope():
    assert fit_line([1, 2, 3], [4, 4, 4]).slope_p == 1.0


def test_two_points_are_no_evidence():
    line = fit_line([1, 2], [1, 3])
    assert (line.slope, line.slope_p) == (2.0, 1.0)


@pytest.mark.parametrize(("x", "y"), [([], []), ([1], [1, 2]), ([1, float("nan")], [1, 2])])
def test_broken_points_are_refused(x, y):
    with pytest.raises(ValueError, match="expected"):
        fit_line(x, y)
