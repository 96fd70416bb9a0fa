import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, mannwhitneyu

from abs_audit.stats.intervals import shift, wilson

SAMPLES = st.lists(st.integers(-30, 30), min_size=4, max_size=7)


@pytest.mark.parametrize(("k", "n"), [(0, 20), (1, 20), (10, 20), (20, 20), (3, 586)])
def test_wilson_equals_scipy(k: int, n: int) -> None:
    expected = binomtest(k, n).proportion_ci(method="wilson")
    assert wilson(k, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_no_trials_tell_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_more_alarms_than_cells_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="3 of 2"):
        wilson(3, 2)


@settings(max_examples=60)
@given(before=SAMPLES, after=SAMPLES)
def test_an_interval_ends_where_the_rank_sum_test_begins_to_reject(
    before: list[int], after: list[int]
) -> None:
    ends = shift(np.array(before, float), np.array(after, float))
    assert ends is not None
    for outside in (ends[0] - 0.5, ends[1] + 0.5):
        assert mannwhitneyu(np.array(after) - outside, before, method="exact").pvalue <= 0.05
    for inside in (ends[0] + 0.25, ends[1] - 0.25):
        if ends[0] < inside < ends[1]:
            assert mannwhitneyu(np.array(after) - inside, before, method="exact").pvalue > 0.05


def test_three_values_a_side_give_no_interval() -> None:
    assert shift(np.zeros(3), np.zeros(3)) is None


def test_four_values_a_side_give_the_largest_differences() -> None:
    # 1 - 2 / 70 = .971: only the two extreme differences lie outside of what is left.
    ends = shift(np.array([0.0, 1, 2, 4]), np.array([1.0, 2, 5, 9]))
    assert ends is not None
    assert [-3.0, 9.0] == ends.tolist()
