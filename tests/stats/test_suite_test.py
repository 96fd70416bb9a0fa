"""The test against the noise of a whole suite: exact where it stands alone, sharper where it does not."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abs_audit.stats.multiplicity import benjamini_hochberg
from abs_audit.stats.suite_test import Prior, Sides, learnt, p_values

VALUES = st.lists(st.integers(0, 30), min_size=3, max_size=5)


def literal(before: list[int], after: list[int]) -> float:
    """The share of dealings whose t is as large as the true one's, listed one by one."""
    values, count = np.array(before + after, dtype=float), len(before)

    def t_squared(chosen: tuple[int, ...]) -> float:
        first = values[list(chosen)]
        second = np.delete(values, chosen)
        within = ((first - first.mean()) ** 2).sum() + ((second - second.mean()) ** 2).sum()
        difference = (first.mean() - second.mean()) ** 2
        return float(difference / within) if within > 1e-9 else (np.inf if difference > 1e-9 else 0.0)

    true = t_squared(tuple(range(count)))
    dealt = [t_squared(chosen) for chosen in combinations(range(len(values)), count)]
    return float(np.mean([each >= true * (1 - 1e-9) for each in dealt]))


@settings(max_examples=60)
@given(before=VALUES, after=VALUES)
def test_one_benchmark_alone_is_judged_by_the_exact_permutation_test(
    before: list[int], after: list[int]
) -> None:
    (p,) = p_values([Sides(before=np.array([before], float), after=np.array([after], float))], 0)
    assert float(p[0]) == pytest.approx(literal(before, after), abs=1e-9)


@settings(max_examples=40)
@given(before=VALUES, after=VALUES, factor=st.sampled_from([1e-9, 0.5, 1e6]), shift=st.integers(-5, 5))
def test_units_and_the_order_of_the_sides_do_not_matter(
    before: list[int], after: list[int], factor: float, shift: int
) -> None:
    left, right = np.array([before], float), np.array([after], float)
    (p,) = p_values([Sides(before=left, after=right)], 0)
    (scaled,) = p_values([Sides(before=factor * (right + shift), after=factor * (left + shift))], 0)
    assert float(p[0]) == pytest.approx(float(scaled[0]))


def test_a_change_among_many_has_a_p_that_no_benchmark_alone_could_have() -> None:
    values = 0.01 * np.random.default_rng(1).standard_normal((600, 10))
    values[3, 5:] += 0.1
    (p,) = p_values([Sides(before=values[:, :5], after=values[:, 5:])], 0)
    assert float(p[3]) == pytest.approx(2 / (600 * 252))
    assert [3] == np.flatnonzero(benjamini_hochberg(p) < 0.05).tolist()


def test_false_discoveries_stay_rare_where_forks_have_two_modes() -> None:
    draw = np.random.default_rng(2)
    alarms = 0
    for suite in range(40):
        values = 0.1 * (draw.random((100, 10)) < 0.3) + 0.005 * draw.standard_normal((100, 10))
        (p,) = p_values([Sides(before=values[:, :5], after=values[:, 5:])], suite)
        alarms += bool((benjamini_hochberg(p) < 0.05).any())
    # Two of forty are expected; more than seven come once in a thousand times.
    assert alarms <= 7


def test_benchmarks_with_different_numbers_of_forks_judge_each_other() -> None:
    draw = np.random.default_rng(3)
    five, six = (0.01 * draw.standard_normal((200, size)) for size in (10, 13))
    five[0, 5:] += 0.1
    p = p_values(
        [Sides(before=six[:, :6], after=six[:, 6:]), Sides(before=five[:, :5], after=five[:, 5:])], 0
    )
    assert [200] == np.flatnonzero(benjamini_hochberg(np.concatenate(p)) < 0.05).tolist()


@pytest.mark.parametrize("values", [[[2.0, 2.0]], [[1.0]]])
def test_what_cannot_differ_has_p_one(values: list[list[float]]) -> None:
    (p,) = p_values([Sides(before=np.array(values), after=np.array(values))], 0)
    assert [1.0] == p.tolist()


def test_the_prior_is_that_which_variances_were_drawn_from() -> None:
    # s² = s0² · d0 ÷ χ²(d0), the model of Smyth 2004, eq. 2, with d0 = 6 and s0 = .02.
    draw = np.random.default_rng(4)
    sigma = np.sqrt(0.02**2 * 6 / draw.chisquare(6, (20_000, 1)))
    values = sigma * draw.standard_normal((20_000, 10))
    prior = learnt([Sides(before=values[:, :5], after=values[:, 5:])])
    assert prior.freedom == pytest.approx(6, rel=0.1)
    assert prior.variance == pytest.approx(0.02**2, rel=0.05)


def test_two_benchmarks_teach_nothing() -> None:
    values = np.arange(16.0).reshape(2, 8)
    assert Prior(variance=0.0, freedom=0.0) == learnt([Sides(before=values[:, :4], after=values[:, 4:])])
