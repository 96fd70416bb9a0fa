import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from abs_audit.stats import rank_sum

values = st.lists(st.integers(-20, 20).map(float), min_size=1, max_size=15)


@pytest.mark.parametrize(("n", "m"), [(20, 20), (5, 7), (50, 30), (1, 1)])
def test_many_pairs_at_once_equal_scipy_on_rounded_samples(n: int, m: int) -> None:
    draw = np.random.default_rng(4)
    first, second = draw.normal(size=(100, n)).round(1), draw.normal(size=(100, m)).round(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = mannwhitneyu(first, second, axis=-1, method="asymptotic").pvalue
    np.testing.assert_allclose(rank_sum.asymptotic(first, second), expected, rtol=0, atol=1e-12)


def test_equal_values_on_both_sides_give_one() -> None:
    assert float(rank_sum.asymptotic([3.0] * 6, [3.0] * 9)) == 1.0


@pytest.mark.parametrize(("n", "m"), [(2, 3), (5, 5), (8, 12), (40, 8)])
def test_the_exact_distribution_equals_scipy(n: int, m: int) -> None:
    draw = np.random.default_rng(5)
    first, second = draw.normal(size=(100, n)), draw.normal(size=(100, m))
    expected = mannwhitneyu(first, second, axis=-1, method="exact").pvalue
    np.testing.assert_allclose(rank_sum.p_values(first, second), expected, rtol=0, atol=1e-12)


def test_ties_never_give_a_smaller_p_than_any_permutation_could() -> None:
    assert float(rank_sum.asymptotic([1.0] * 5, [2.0] * 5)) == pytest.approx(0.00398, abs=1e-5)
    assert rank_sum.p_value([1.0] * 5, [2.0] * 5) == pytest.approx(2 / 252)


def test_small_samples_without_ties_are_judged_exactly_and_large_ones_by_the_approximation() -> None:
    small, large = [float(i) for i in range(5)], [float(i) for i in range(20)]
    assert rank_sum.p_value(small, [v + 10 for v in small]) == pytest.approx(2 / 252)
    shifted = [v + 0.5 for v in large]
    assert rank_sum.p_value(large, shifted) == float(rank_sum.asymptotic(large, shifted))


def test_small_samples_with_ties_are_judged_by_the_approximation() -> None:
    first, second = [1.0, 2.0, 2.0, 3.0, 4.0], [2.0, 3.0, 5.0, 6.0, 7.0]
    assert rank_sum.p_value(first, second) == float(rank_sum.asymptotic(first, second))


def test_many_pairs_at_once_are_each_judged_like_one() -> None:
    draw = np.random.default_rng(6)
    first, second = draw.normal(size=(200, 8)).round(1), draw.normal(size=(200, 8)).round(1)
    expected = [rank_sum.p_value(before, after) for before, after in zip(first, second, strict=True)]
    assert rank_sum.p_values(first, second).tolist() == expected
    tied = [len({*before, *after}) < 16 for before, after in zip(first, second, strict=True)]
    assert 0 < sum(tied) < 200
    exact = [p for p, ties in zip(expected, tied, strict=True) if not ties]
    literal = [
        mannwhitneyu(before, after, method="exact").pvalue
        for before, after, ties in zip(first, second, tied, strict=True)
        if not ties
    ]
    assert exact == pytest.approx(literal, abs=1e-12)


@pytest.mark.parametrize(("size", "expected"), [(4, False), (5, True)])
def test_it_is_known_beforehand_whether_one_percent_can_be_reached(size: int, expected: bool) -> None:
    assert rank_sum.attainable(size, size, 0.01) is expected


@pytest.mark.parametrize("first", [[], [float("nan"), 1.0]])
def test_missing_measurements_never_reach_a_test(first: list[float]) -> None:
    with pytest.raises(ValueError, match="expected"):
        rank_sum.asymptotic(first, [1.0])


@given(values, values)
def test_swapping_the_sides_leaves_p_alone(first: list[float], second: list[float]) -> None:
    assert rank_sum.p_value(first, second) == pytest.approx(rank_sum.p_value(second, first), abs=1e-12)


@given(values, values, st.integers(1, 9))
def test_only_ranks_matter(first: list[float], second: list[float], factor: int) -> None:
    scaled = [v * factor for v in first], [v * factor for v in second]
    assert rank_sum.p_value(*scaled) == rank_sum.p_value(first, second)


@given(values, values)
def test_u_counts_the_pairs_in_which_the_first_is_larger(first: list[float], second: list[float]) -> None:
    literal = sum((a > b) + (a == b) / 2 for a in first for b in second)
    assert literal == float(rank_sum.u_statistic(first, second))
