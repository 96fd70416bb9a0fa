"""Blocks: exact variances instead of simulations where they can be had."""

import numpy as np
import pytest

from abs_audit.stats.block_bootstrap import block_length, circular_blocks, moving_blocks
from tests.support.series import autoregressive


def test_circular_blocks_give_the_mean_its_exact_bootstrap_variance():
    # With b dividing n, a resample is n/b independent blocks out of n equally likely ones.
    values = autoregressive(0.7, 24, seed=1)
    block = 4
    means = [np.mean([values[(start + i) % 24] for i in range(block)]) for start in range(24)]
    drawn = values[circular_blocks(24, block, 40_000, np.random.default_rng(1))].mean(axis=1)
    assert np.var(means) / (24 / block) == pytest.approx(drawn.var(), rel=0.05)
    assert values.mean() == pytest.approx(drawn.mean(), abs=0.02)


def test_circular_blocks_agree_with_arch():
    # arch 8.0.0, CircularBlockBootstrap(4, series, seed=1), 20,000 resamples: standard deviation of the mean.
    values = autoregressive(0.7, 30, seed=2)
    drawn = values[circular_blocks(30, 4, 20_000, np.random.default_rng(1))].mean(axis=1)
    assert drawn.std() == pytest.approx(0.2646, rel=0.03)


def test_circular_resamples_have_the_length_of_the_series():
    indices = circular_blocks(10, 4, 3, np.random.default_rng(2))
    assert indices.shape == (3, 10)
    assert set(np.diff(indices[0][:4]) % 10) == {1}


def test_moving_blocks_leave_out_the_last_start_and_come_out_short():
    # n = 10, b = 4: starts 0 … 5, ⌊6/4⌋ = 1 block.
    indices = moving_blocks(10, 4, 2000, np.random.default_rng(3))
    assert indices.shape == (2000, 4)
    assert set(range(6)) == set(indices[:, 0])
    assert indices.max() == 8


def test_moving_blocks_of_one_value_never_draw_the_last_value():
    indices = moving_blocks(5, 1, 500, np.random.default_rng(4))
    assert indices.shape == (500, 4)
    assert set(range(4)) == set(indices.ravel())


def test_a_single_value_can_still_be_resampled():
    assert moving_blocks(1, 1, 3, np.random.default_rng(5)).tolist() == [[0], [0], [0]]


@pytest.mark.parametrize("values", [[1.0], range(7), [4.0] * 50])
def test_short_and_constant_series_have_blocks_of_one(values):
    assert block_length(values) == 1


def test_a_block_never_exceeds_a_third_of_the_series():
    assert block_length(np.arange(60.0)) <= 20


def test_dependence_lengthens_the_blocks():
    lengths = [block_length(autoregressive(phi, 400, seed=3)) for phi in (0.0, 0.5, 0.9)]
    assert sorted(set(lengths)) == lengths


def test_a_series_with_nan_is_refused():
    with pytest.raises(ValueError, match="finite"):
        block_length([1.0, float("nan")] * 5)
