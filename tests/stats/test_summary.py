import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_audit.stats import summary


def test_rsd_divides_by_n_minus_one() -> None:
    assert summary.rsd([1.0, 2.0, 3.0]) == pytest.approx(0.5)


def test_equal_values_have_no_spread_at_all() -> None:
    assert summary.rsd([0.1, 0.1, 0.1]) == 0.0


def test_one_value_has_no_standard_deviation() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        summary.rsd([1.0])


@given(st.lists(st.floats(0.1, 100), min_size=2, max_size=20), st.floats(0.01, 100))
def test_rsd_does_not_depend_on_the_unit(values: list[float], factor: float) -> None:
    assert summary.rsd([v * factor for v in values]) == pytest.approx(summary.rsd(values), abs=1e-9)


@pytest.mark.parametrize(("percent", "expected"), [(95, 19.0), (1, 1.0), (50, 10.0), (100, 20.0)])
def test_a_rank_is_counted_from_one_in_ascending_order(percent: int, expected: float) -> None:
    assert summary.at_rank([float(i) for i in range(20, 0, -1)], percent) == expected


def test_no_values_have_no_rank() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        summary.at_rank([], 95)
