import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from abs_audit.stats.run_scatter import explains, scatter

FEW = st.lists(st.floats(-2, 2), min_size=2, max_size=6)


def test_runs_deviate_from_their_mean_or_from_what_is_expected():
    """Squares of 1 and −1 are 2, of one deviation or of two; repetitions explain .5 of each."""
    own, known = (scatter([1, 3], [0.25, 0.75], 1.0, expected) for expected in (None, 2.0))
    weight = (1 / 1.5) ** 2
    assert own.tolist() == pytest.approx([weight, 1.5 * weight])
    assert known.tolist() == pytest.approx([2 * weight, 2 * 0.5 * weight])


@pytest.mark.parametrize(("shown", "errors"), [([1.0], [0.0]), ([1.0, 2.0], [np.inf, 0.1]), ([], [])])
def test_one_run_or_one_of_unknown_error_says_nothing(shown: list[float], errors: list[float]):
    assert scatter(shown, errors or [0.0], 0.1).tolist() == [0, 0]


@pytest.mark.parametrize("between", [0.0, 0.2, 1.0])
def test_what_repetitions_explain_is_not_taken_for_noise_of_runs(between: float):
    draw, within = np.random.default_rng(7), 0.5
    runs = 3 + between * draw.standard_normal((4000, 3)) + within * draw.standard_normal((4000, 3))
    freedom, total = np.sum([scatter(row, [within**2] * 3, 1.0) for row in runs], axis=0)
    assert total / freedom == pytest.approx(between**2, abs=0.03 * (1 + between**2))


@given(FEW, st.floats(-3, 3), st.floats(0.5, 2))
def test_where_runs_stand_and_in_which_unit_does_not_matter(runs: list[float], shift: float, unit: float):
    errors = [0.1] * len(runs)
    moved = scatter(np.array(runs) * unit + shift, np.array(errors) * unit**2, unit)
    assert moved == pytest.approx(scatter(runs, errors, 1.0) * [1, unit**2], abs=1e-9)


@given(FEW.filter(lambda runs: np.ptp(runs) > 1e-3), st.sampled_from([0.0001, 0.01, 0.2]))
def test_of_nothing_but_its_own_runs_it_is_students_test(runs: list[float], alpha: float):
    p = ttest_1samp(runs, 0.0, alternative="greater").pvalue
    own = scatter(runs, [0.0] * len(runs), 1.0)
    assert explains(float(np.mean(runs)), len(runs), own, alpha) == (p >= alpha)


def test_runs_that_do_not_scatter_explain_nothing():
    assert not explains(0.01, 2, np.array([3.0, -0.1]), 0.001)
