import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_audit.analyses.variability.model import BenchmarkVariability, variability, without_outliers
from abs_audit.stats.summary import rsd

samples = st.lists(st.lists(st.lists(st.floats(1, 5), max_size=4), max_size=4), max_size=4)


def of_one(values: list[list[list[float]]]) -> BenchmarkVariability:
    return variability({"b": values}).benchmarks[0]


def test_each_source_of_variability_is_seen_at_its_own_level() -> None:
    machines = of_one([[[1.0, 1.0], [1.0, 1.0]], [[3.0, 3.0], [3.0, 3.0]]])
    assert (machines.rsd.per_trial, machines.rsd.per_instance) == (0.0, 0.0)
    assert machines.rsd.total == pytest.approx((8 / 7) ** 0.5 / 2)
    trials = of_one([[[1.0, 1.0], [3.0, 3.0]]])
    assert trials.rsd.per_trial == 0.0
    assert trials.rsd.per_instance == trials.rsd.total == pytest.approx((4 / 3) ** 0.5 / 2)


def test_levels_are_means_over_their_trials_and_instances() -> None:
    varied = of_one([[[1.0, 2.0, 3.0], [2.0, 2.0]]])
    assert varied.rsd.per_trial == pytest.approx(0.25)


def test_outliers_are_counted_and_warned_of_but_stay_unless_removal_is_asked_for() -> None:
    samples = {"b": [[[1.0, 1.0, 1.0, 1.0, 9.99, 10.0]]]}
    kept, removed = variability(samples), variability(samples, remove_outliers=True)
    assert [(result.benchmarks[0].values, result.benchmarks[0].outliers) for result in (kept, removed)] == [
        (6, 1),
        (5, 1),
    ]
    assert (
        "1 value of at least 10 × the median in 1 benchmark: kept; --remove-outliers leaves them out"
        in kept.warnings
    )
    assert "1 value of at least 10 × the median in 1 benchmark: left out" in removed.warnings
    assert (kept.benchmarks[0].rsd.total, removed.benchmarks[0].rsd.total) == (
        pytest.approx(rsd([1, 1, 1, 1, 9.99, 10])),
        pytest.approx(rsd([1, 1, 1, 1, 9.99])),
    )


def test_one_value_a_trial_has_no_variability_inside_trials() -> None:
    varied = of_one([[[1.0], [2.0]]])
    assert varied.rsd.per_trial is None
    assert varied.rsd.per_instance is not None


def test_a_benchmark_without_values_has_no_variability_and_a_warning() -> None:
    varied = variability({"b": [[[]], []]})
    assert (varied.benchmarks[0].rsd.total, varied.benchmarks[0].values) == (None, 0)
    assert varied.warnings == ("b: no values",)


def test_what_concerns_many_benchmarks_alike_is_said_once() -> None:
    varied = variability({name: [[[1.0], [2.0]]] for name in "abc"} | {"d": [[[1.0, 2.0]], [[1.0, 2.0]]]})
    assert varied.warnings == (
        "3 of 4 benchmarks were measured on one instance: their total says nothing about other machines",
        "3 of 4 benchmarks have one value a trial: nothing is known inside a trial",
    )


@given(samples, st.sampled_from([0.25, 8.0]))
def test_variability_does_not_depend_on_the_unit(values: list[list[list[float]]], factor: float) -> None:
    scaled = [[[v * factor for v in trial] for trial in instance] for instance in values]
    assert of_one(scaled) == of_one(values)


@given(samples)
def test_cleaning_drops_no_value_near_the_median_and_keeps_places(values: list[list[list[float]]]) -> None:
    assert without_outliers(values) == values
