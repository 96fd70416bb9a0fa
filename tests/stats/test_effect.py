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


@given(times, times)
def test_cliffs_delta_counts_pairs(control: list[float], mutant: list[float]) -> None:
    pairs = [(m > c) - (m < c) for m in mutant for c in control]
    assert effect.cliffs_delta(control, mutant) == pytest.approx(sum(pairs) / len(pairs), abs=1e-12)


@given(times, st.floats(0.01, 5))
def test_a_uniform_slowdown_is_found_by_mean_and_median(control: list[float], slowdown: float) -> None:
    mutant = [v * (1 + slowdown) for v in control]
    assert effect.mean_difference(control, mutant) == pytest.approx(slowdown)
    assert effect.median_difference(control, mutant) == pytest.approx(slowdown)
