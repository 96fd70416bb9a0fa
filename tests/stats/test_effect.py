import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_audit.stats import effect

times = st.lists(st.floats(0.1, 100), min_size=1, max_size=15)


def test_the_normaliser_is_the_mean_of_the_control() -> None:
    assert effect.mean_difference([2.0, 4.0], [6.0]) == 1.0
    assert effect.mean_difference([6.0], [2.0, 4.0]) == -0.5


def test_the_median_difference_ignores_one_outlier() -> None:
    assert effect.median_difference([1.0, 1.0, 1.0], [1.5, 1.5, 1000.0]) == 0.5


@pytest.mark.parametrize("name", ["mean_difference", "median_difference"])
@pytest.mark.parametrize("control", [[], [0.0]])
def test_a_control_without_time_cannot_be_compared_with(name: str, control: list[float]) -> None:
    with pytest.raises(ValueError, match="expected"):
        getattr(effect, name)(control, [1.0])


@given(times, st.floats(0.01, 5))
def test_a_uniform_slowdown_is_found_by_mean_and_median(control: list[float], slowdown: float) -> None:
    mutant = [v * (1 + slowdown) for v in control]
    assert effect.mean_difference(control, mutant) == pytest.approx(slowdown)
    assert effect.median_difference(control, mutant) == pytest.approx(slowdown)


def test_the_typical_difference_is_that_of_most_pairs() -> None:
    control = [10.0, 10.0, 10.2, 9.8, 10.0]
    assert 0.5 == pytest.approx(effect.typical_difference(control, [15.0, 15.0, 15.2, 14.8, 240.0]), rel=0.01)


def test_fast_and_slow_moments_do_not_change_what_an_additional_time_is() -> None:
    moments = np.array([1.0, 1.0, 2.0, 2.0])
    assert 0.75 / 1.5 == pytest.approx(effect.typical_difference(moments, moments + 0.75))


def test_what_is_typical_is_the_median_of_the_means_of_two() -> None:
    # Of the differences 0, 1 and 5: 0, 0.5, 1, 2.5, 3 and 5.
    assert 1.75 / 2 == pytest.approx(effect.typical_difference([2.0] * 3, [2.0, 3.0, 7.0]))


@pytest.mark.parametrize(("control", "mutant"), [([], []), ([0.0], [1.0])])
def test_nothing_has_no_typical_difference(control: list[float], mutant: list[float]) -> None:
    with pytest.raises(ValueError, match="expected"):
        effect.typical_difference(control, mutant)
