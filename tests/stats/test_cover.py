from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from abs_audit.stats import cover

LIMIT_S = 30.0


def sparse(rows: list[list[int]], columns: int) -> csr_array:
    places = [(row, column) for row, marked in enumerate(rows) for column in marked]
    first, second = np.array(places, dtype=np.intp).reshape(-1, 2).T
    return csr_array((np.ones(len(first)), (first, second)), shape=(len(rows), columns))


def subsets(count: int) -> chain[tuple[int, ...]]:
    return chain.from_iterable(combinations(range(count), size) for size in range(count + 1))


instances = st.integers(1, 6).flatmap(
    lambda columns: st.tuples(
        st.lists(
            st.lists(st.integers(0, columns - 1), max_size=columns, unique=True), min_size=1, max_size=6
        ),
        st.lists(st.integers(1, 9), min_size=6, max_size=6),
        st.lists(st.integers(1, 9), min_size=columns, max_size=columns),
        st.integers(0, 25),
    )
)


def weight(rows: list[list[int]], chosen: tuple[int, ...], weights: np.ndarray) -> float:
    return float(sum(weights[column] for column in set().union(*(rows[row] for row in chosen))))


@given(instances)
@settings(max_examples=60)
def test_greedy_is_at_most_exact_and_exact_is_what_trying_all_subsets_finds(
    instance: tuple[list[list[int]], list[int], list[int], int],
) -> None:
    rows, durations, importance, budget = instance
    cost, weights = np.array(durations[: len(rows)], dtype=float), np.array(importance, dtype=float)
    matrix = sparse(rows, len(weights))
    affordable = (chosen for chosen in subsets(len(rows)) if cost[list(chosen)].sum() <= budget)
    best = max(weight(rows, chosen, weights) for chosen in affordable)
    quick = cover.greedy(matrix, cost, weights, budget)
    subset = cover.most_weight(matrix, cost, weights, budget, LIMIT_S)
    assert cost[quick].sum() <= budget
    assert cost[subset.rows].sum() <= budget
    assert weight(rows, tuple(quick), weights) <= best
    assert subset.value == best == weight(rows, tuple(subset.rows), weights)
    assert subset.bound == pytest.approx(best)


@given(instances)
@settings(max_examples=60)
def test_the_cheapest_full_cover_is_what_trying_all_subsets_finds(
    instance: tuple[list[list[int]], list[int], list[int], int],
) -> None:
    rows, durations, importance, _ = instance
    cost = np.array(durations[: len(rows)], dtype=float)
    everything = set().union(*rows)
    covers = (
        chosen for chosen in subsets(len(rows)) if set().union(*(rows[row] for row in chosen)) == everything
    )
    cover_found = cover.full_cover(sparse(rows, len(importance)), cost, LIMIT_S)
    assert set().union(*(rows[row] for row in cover_found.rows)) == everything
    assert cover_found.value == min(cost[list(chosen)].sum() for chosen in covers)
    assert cover_found.bound == pytest.approx(cover_found.value)


def test_exact_finds_two_cheap_rows_where_greedy_takes_the_one_with_the_best_rate() -> None:
    # Row 0 has the best rate (3 in 2 s) but leaves no room for rows 1 and 2, which cover all four.
    matrix = sparse([[0, 1, 2], [0, 1], [2, 3]], 4)
    cost, weights = np.array([2.0, 1.5, 1.5]), np.ones(4)
    assert cover.greedy(matrix, cost, weights, 3.0).tolist() == [0]
    assert cover.most_weight(matrix, cost, weights, 3.0, LIMIT_S).rows.tolist() == [1, 2]


def test_greedy_prefers_one_large_row_to_a_cheap_one_that_shuts_it_out() -> None:
    matrix = sparse([[0], [1, 2, 3, 4, 5]], 6)
    assert cover.greedy(matrix, np.array([0.1, 10.0]), np.ones(6), 10.0).tolist() == [1]


def test_a_row_that_later_ones_make_needless_is_left_out() -> None:
    # Greedy starts with row 0, the best rate; rows 1 and 2 then cover all that it covers.
    matrix, cost = sparse([[0, 1], [0, 2], [1, 3]], 4), np.array([1.0, 2.0, 2.0])
    assert cover.greedy(matrix, cost, np.ones(4), 9.0).tolist() == [0, 1, 2]
    assert cover.most_weight(matrix, cost, np.ones(4), 9.0, LIMIT_S).rows.tolist() == [1, 2]


def test_two_rows_cover_all_where_greedy_needs_three() -> None:
    # Greedy takes row 0 for its four columns, and then needs one row for each of the two others.
    cover_found = cover.full_cover(
        sparse([[0, 1, 3, 4], [2], [5], [0, 1, 2], [3, 4, 5]], 6), np.ones(5), LIMIT_S
    )
    assert (cover_found.rows.tolist(), cover_found.value, cover_found.bound) == (
        [3, 4],
        2.0,
        pytest.approx(2.0),
    )


def test_a_budget_is_kept_where_the_solver_alone_would_overdraw_it() -> None:
    matrix, cost = sparse([[0], [1]], 2), np.array([1.0000005, 1.0000005])
    assert len(cover.most_weight(matrix, cost, np.ones(2), 2.0, LIMIT_S).rows) == 1


def test_rounded_sums_of_durations_fit_their_budget() -> None:
    matrix = sparse([[0], [1]], 2)
    assert cover.most_weight(matrix, np.array([0.1, 0.2]), np.ones(2), 0.3, LIMIT_S).rows.tolist() == [0, 1]


def test_free_rows_cost_nothing() -> None:
    matrix = sparse([[0], [1]], 2)
    assert cover.most_weight(matrix, np.zeros(2), np.ones(2), 0.0, LIMIT_S).value == 2.0


def test_a_time_limit_that_runs_out_keeps_the_greedy_answer_and_admits_the_gap() -> None:
    draw = np.random.default_rng(8)
    rows = [np.flatnonzero(draw.random(200) < 0.02).tolist() for _ in range(1000)]
    cost = draw.uniform(10, 60, 1000)
    cover_found = cover.most_weight(sparse(rows, 200), cost, np.ones(200), 300.0, 0.01)
    assert cover_found.value >= 50
    assert cover_found.value < cover_found.bound <= 200
    assert cost[cover_found.rows].sum() <= 300.0
