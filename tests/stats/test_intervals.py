import pytest
from scipy.stats import binomtest

from abs_audit.stats.intervals import wilson


@pytest.mark.parametrize(("k", "n"), [(0, 20), (1, 20), (10, 20), (20, 20), (3, 586)])
def test_wilson_equals_scipy(k: int, n: int) -> None:
    expected = binomtest(k, n).proportion_ci(method="wilson")
    assert wilson(k, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_no_trials_tell_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_more_alarms_than_cells_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="3 of 2"):
        wilson(3, 2)
