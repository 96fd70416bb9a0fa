import numpy as np
import pytest
from scipy.stats import f

from abs_audit.stats.anova import p_value


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_ratio_of_the_variances_between_and_within(seed: int) -> None:
    draw = np.random.default_rng(seed)
    groups = [draw.normal(0.2 * number, 1, size) for number, size in enumerate((20, 5, 50))]
    everything = np.concatenate(groups)
    within = sum(((group - group.mean()) ** 2).sum() for group in groups) / (75 - 3)
    between = sum(len(group) * (group.mean() - everything.mean()) ** 2 for group in groups) / (3 - 1)
    assert p_value(*groups) == pytest.approx(f.sf(between / within, 2, 72), rel=1e-9)


def test_equal_values_differ_in_nothing() -> None:
    assert 1.0 == p_value([0.1] * 3, [0.1] * 7)


def test_different_values_without_variation_differ_for_certain() -> None:
    assert 0.0 == p_value([0.1] * 3, [0.2] * 3)


def test_one_value_each_tells_nothing() -> None:
    assert 1.0 == p_value([1.0], [2.0])


def test_a_worked_example() -> None:
    # Means 2 and 4, grand mean 3: SSB = 3·1 + 3·1 = 6 with 1 degree, SSW = 2 + 2 = 4 with 4: F = 6.
    # P(F(1, 4) ≥ 6) = P(|t(4)| ≥ √6) = .0705.
    assert 0.0705 == pytest.approx(p_value([1, 2, 3], [3, 4, 5]), abs=5e-5)


@pytest.mark.parametrize("groups", [([1.0],), ([1.0], []), ([1.0], [float("nan")])])
def test_missing_values_are_refused(groups: tuple[list[float], ...]) -> None:
    with pytest.raises(ValueError, match="expected"):
        p_value(*groups)
