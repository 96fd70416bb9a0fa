import numpy as np
import pytest
from scipy.stats import ttest_rel

from abs_audit.stats.effect import certain_side

FIRST = np.array([1.0, 3.0, 0.5, 2.0, 10.0])
NOISE = np.array([1.01, 0.99, 1.02, 0.98, 1.0])


@pytest.mark.parametrize(("slowdown", "side"), [(1.1, -1), (1.5, 1)])
def test_the_side_is_certain_however_much_the_pairs_differ_from_each_other(slowdown: float, side: int):
    assert certain_side(FIRST, FIRST * NOISE * slowdown, 1.25, 0.01) == side


@pytest.mark.parametrize("alpha", [0.001, 0.01, 0.1, 0.5])
def test_the_test_is_that_of_scipy_on_the_logarithms(alpha: float):
    second = FIRST * NOISE * 1.26
    p = ttest_rel(np.log(second / 1.25), np.log(FIRST)).pvalue
    assert certain_side(FIRST, second, 1.25, alpha) == (1 if p < alpha else 0)


def test_ratios_without_any_scatter_are_certain():
    assert certain_side([1.0, 1.0], [2.0, 2.0], 1.25, 0.01) == 1
    assert certain_side([1.0, 1.0], [1.25, 1.25], 1.25, 0.01) == 0


@pytest.mark.parametrize(
    ("first", "second"), [([1.0], [9.0]), ([1.0, 0.0], [9.0, 9.0]), ([1.0, 1.0], [0.0, 9.0]), ([], [])]
)
def test_too_few_pairs_or_a_time_of_nothing_are_certain_of_nothing(first: list[float], second: list[float]):
    assert certain_side(first, second, 1.25, 0.01) == 0
