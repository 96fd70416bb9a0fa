import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_audit.analyses.stability import model as spread

runs = st.lists(st.lists(st.floats(0.1, 100), min_size=1, max_size=5), min_size=1, max_size=6)


def one(values: list[list[float]]) -> spread.BenchmarkSpread:
    return spread.stability({"b": values}).benchmarks[0]


def test_the_spread_of_a_benchmark_is_that_of_its_run_means() -> None:
    found = one([[1.0, 1.0], [1.5, 2.5]])
    assert found.means == (1.0, 2.0)
    assert found.max_spread == pytest.approx(2 / 3)
    assert found.rsd == pytest.approx(0.7071067811865476 / 1.5)


def test_a_benchmark_that_misses_a_run_has_no_spread_and_a_warning() -> None:
    found = spread.stability({"a": [[1.0], [1.1]], "b": [[1.0], []]})
    assert [row.max_spread is None for row in found.benchmarks] == [False, True]
    assert found.benchmarks[1].means == (1.0,)
    assert found.warnings == ("results in 1 of 2 runs, so no maxSpread: b",)
    assert sum(found.buckets) == 1


def test_why_a_benchmark_has_no_result_is_said() -> None:
    found = spread.stability({"a": [[1.0], [1.1]], "b": [[], []]}, {"b": "Skipped: no data"})
    assert found.warnings == ("results in 0 of 2 runs, so no maxSpread (Skipped: no data): b",)


def test_many_that_miss_as_many_runs_are_one_warning() -> None:
    found = spread.stability({name: [[1.0], [] if name in "bcdef" else [1.1]] for name in "abcdefg"})
    assert found.warnings == ("results in 1 of 2 runs, so no maxSpread: b, c, d and 2 more",)


def test_one_run_proposes_no_slowdown_and_says_why() -> None:
    found = spread.stability({"b": [[1.0, 1.2]]})
    assert found.slowdown is None
    assert found.benchmarks[0].max_spread == 0.0
    assert "one run says nothing" in found.warnings[0]


def test_runs_that_do_not_differ_propose_a_slowdown_of_zero_with_a_warning() -> None:
    found = spread.stability({"b": [[1.0], [1.0]]})
    assert found.slowdown == 0.0
    assert "do not differ" in found.warnings[0]


def test_nothing_measured_is_no_stability() -> None:
    found = spread.stability({})
    assert (found.runs, found.benchmarks, found.slowdown) == (0, (), None)
    assert spread.violin(found) is None
    with pytest.raises(ValueError, match="at least 1 run"):
        spread.max_spread([])


def test_an_upper_edge_belongs_to_its_bucket() -> None:
    assert spread.buckets([0.0, 0.05, 0.1, 0.25, 0.5, 0.500001]) == (2, 1, 1, 1, 1)


def test_the_violin_reaches_from_the_smallest_to_the_largest_spread() -> None:
    suite = {str(i): [[1.0], [1.0 + i / 10]] for i in range(5)}
    found = spread.stability(suite)
    shape = spread.violin(found)
    assert shape is not None
    assert shape.positions[0] == 0.0
    assert shape.positions[-1] == pytest.approx(0.4 / 1.2)
    assert len(shape.positions) == len(shape.heights)


@given(runs, st.floats(0.001, 1000))
def test_the_spread_does_not_depend_on_the_unit(values: list[list[float]], factor: float) -> None:
    scaled = [[value * factor for value in run] for run in values]
    assert one(scaled).max_spread == pytest.approx(one(values).max_spread, abs=1e-9)


@given(runs, st.randoms())
def test_the_spread_does_not_depend_on_the_order_of_runs(values: list[list[float]], random: object) -> None:
    shuffled = sorted(values, key=lambda _: random.random())
    assert one(shuffled).max_spread == pytest.approx(one(values).max_spread, abs=1e-12)


@given(st.lists(st.floats(0, 3), min_size=1, max_size=60))
def test_every_spread_falls_into_one_bucket(spreads: list[float]) -> None:
    assert sum(spread.buckets(spreads)) == len(spreads)


@given(st.lists(st.floats(0, 3), min_size=20, max_size=60))
def test_at_most_one_in_twenty_and_one_benchmark_spreads_more_than_half_the_slowdown(
    spreads: list[float],
) -> None:
    beyond = sum(1 for value in spreads if value > spread.slowdown(spreads) / 2)
    assert beyond <= len(spreads) / 20 + 1
