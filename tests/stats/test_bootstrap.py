"""The short cuts of the bootstrap against literal resampling and exact enumeration."""

from itertools import product

import numpy as np
import pytest

from abs_audit.stats.bootstrap import Resampling, mean_draws, percentile_draws, percentile_intervals


def every_resample(values):
    return np.array(list(product(values, repeat=len(values))))


@pytest.mark.parametrize("percentile", [0.0, 0.25, 0.4, 0.5, 0.9, 1.0])
def test_drawn_percentiles_have_the_distribution_of_all_resamples(percentile):
    # 5^5 = 3,125 equally likely resamples can be listed.
    values = [1.0, 2.0, 4.0, 8.0, 16.0]
    exact = np.quantile(every_resample(values), percentile, axis=1)
    drawn = percentile_draws(values, [percentile], 60_000, np.random.default_rng(1))[:, 0]
    for level in np.unique(exact):
        expected = np.mean(exact <= level + 1e-9)
        # Four standard errors of a share of 60,000 draws.
        assert expected == pytest.approx(np.mean(drawn <= level + 1e-9), abs=4 * 0.5 / np.sqrt(60_000))


def test_the_interval_ends_differ_little_from_literal_resampling():
    draw = np.random.default_rng(2)
    values = draw.gamma(3.0, size=200)
    resampled = np.quantile(values[draw.integers(0, 200, (20_000, 200))], [0.25, 0.5, 0.75, 0.9], axis=1)
    expected = np.quantile(resampled, [0.025, 0.975], axis=1).T
    intervals = percentile_intervals(values, [0.25, 0.5, 0.75, 0.9], Resampling(resamples=20_000), draw)
    assert expected == pytest.approx(intervals, rel=0.01)


def test_many_series_are_drawn_at_once():
    series = np.random.default_rng(5).gamma(3.0, size=(7, 30))
    ends = percentile_intervals(series, [0.5, 0.9], Resampling(), np.random.default_rng(6))
    assert ends.shape == (7, 2, 2)


@pytest.mark.parametrize("values", [[3.0], [3.0, 3.0, 3.0]])
def test_one_value_or_equal_values_have_a_point_as_interval(values):
    rng = np.random.default_rng(7)
    assert percentile_intervals(values, [0.25], Resampling(), rng).tolist() == [[3.0, 3.0]]
    assert set(mean_draws(values, 10, rng)) == {3.0}


@pytest.mark.parametrize("values", [[], [1.0, float("nan")], [1.0, float("inf")]])
def test_empty_and_broken_samples_are_refused(values):
    with pytest.raises(ValueError, match="expected"):
        percentile_draws(values, [0.5], 10, np.random.default_rng(8))


def test_the_same_seed_gives_the_same_draws():
    values = np.arange(10.0)
    first, second = (percentile_draws(values, [0.5], 50, np.random.default_rng(9)) for _ in range(2))
    assert first.tolist() == second.tolist()


def test_bootstrap_means_have_the_plug_in_variance():
    values = np.array([1.0, 5.0, 6.0, 20.0])
    draws = mean_draws(values, 100_000, np.random.default_rng(10))
    assert values.mean() == pytest.approx(draws.mean(), rel=0.01)
    assert values.var() / 4 == pytest.approx(draws.var(), rel=0.03)
