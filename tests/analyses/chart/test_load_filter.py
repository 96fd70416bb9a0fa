"""The valley between two kinds of load, and the line that a counter follows."""

import numpy as np
import pytest

from abs_audit.analyses.chart.load import filter_load, learn_scaling, peaks


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        ([0, 1, 0], [1]),
        ([2, 1, 2], [0, 2]),
        ([0, 1, 1, 0, 3, 0], [1, 4]),
        ([1, 1, 1], [0]),
        ([5], [0]),
        ([1, 2, 3], [2]),
        ([1, 2, 2, 3], [3]),
    ],
)
def test_peaks_of_small_curves(curve, expected):
    assert peaks(curve).tolist() == expected


def test_two_loads_are_cut_at_the_valley_between_them():
    draw = np.random.RandomState(1)
    values = np.concatenate([draw.normal(10, 1, 30), draw.normal(50, 3, 100)])
    found = filter_load(values)
    assert found.kept.tolist() == [False] * 30 + [True] * 100
    assert 13 < found.cut < 40
    assert found.normality_before < 0.05 < found.normality_after


def test_one_load_is_kept_whole():
    values = np.random.RandomState(2).normal(50, 3, 100)
    found = filter_load(values)
    assert found.cut is None
    assert found.kept.all()
    assert found.normality_after == found.normality_before > 0.05


def test_idling_at_exactly_zero_is_a_load_of_its_own():
    values = np.concatenate([np.zeros(20), np.random.RandomState(3).normal(50, 1, 100)])
    assert filter_load(values).kept.sum() == 100


def test_of_three_loads_the_two_most_frequent_decide():
    draw = np.random.RandomState(4)
    values = np.concatenate([draw.normal(0, 1, 10), draw.normal(30, 1, 60), draw.normal(60, 1, 80)])
    assert filter_load(values).kept.sum() == 80


@pytest.mark.parametrize("values", [[4.0], [4.0] * 10])
def test_one_value_or_equal_values_are_kept_and_not_tested(values):
    found = filter_load(values)
    assert found.kept.all()
    assert found.normality_before is None


def test_no_value_is_refused():
    with pytest.raises(ValueError, match="expected at least 1 value"):
        filter_load([])


def test_a_counter_that_follows_the_load_is_scaled_by_its_line():
    # x̄ = 3, ȳ = 5; Σ(x−x̄)(y−ȳ) = 18, Σ(x−x̄)² = 10.
    scaling = learn_scaling(np.array([1.0, 4.0, 5.0, 6.0, 9.0]), np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert (scaling.slope, scaling.intercept) == pytest.approx((1.8, -0.4))
    assert (scaling.reference_load, scaling.reason) == (3.0, "")


def test_a_slope_that_may_be_chance_is_not_scaled_by():
    # Residuals −.5, 1, −.5: s² = 1.5, t = 1.5/√(1.5/2) = √3 with 1 degree of freedom, p = 1 − 2·atan(√3)/π.
    reason = learn_scaling(np.array([1.0, 4.0, 4.0]), np.array([1.0, 2.0, 3.0])).reason
    assert reason == "does not follow the load (p = 0.33)"


@pytest.mark.parametrize(
    ("load", "values"),
    [([5.0] * 3, [1.0, 2.0, 6.0]), ([5.0], [3.0]), ([1.0, 2.0, 3.0], [4.0] * 3), ([1.0, 2.0], [1.0, 3.0])],
)
def test_a_constant_or_two_points_show_no_slope(load, values):
    scaling = learn_scaling(np.array(values), np.array(load))
    assert scaling.reason == "does not follow the load (p = 1)"
    assert scaling.apply(np.array(values), np.array(load))[0].tolist() == values
