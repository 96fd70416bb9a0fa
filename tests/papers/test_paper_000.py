"""Laaber, Scheuner & Leitner 2018, "Performance Testing in the Cloud" (paper 000).

Its Tables 4 to 7 cannot be recomputed: the measurements are not published with it. Asserted are the rules of
the text, Algorithm 1 against a literal loop, and the worked examples that follow from them. What the text
concludes from Tables 6 and 7 is checked in `test_paper_000_tables.py`.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_audit.analyses.detectable import model as smallest_regression
from abs_audit.analyses.detectable.model import GRID, algorithm_1
from abs_audit.analyses.detectable.sampling import Sampling, Strategy
from abs_audit.analyses.variability.model import without_outliers
from abs_audit.stats.summary import rsd
from tests.support.builders import PAPER


@pytest.mark.parametrize(
    ("differences", "smallest"),
    [
        ([0.0] * 100, 0.01),
        ([0.04] * 100, 0.1),
        ([-0.04] * 100, 0.1),
        ([-0.06] * 100, 0.15),
        # 10 % of false positives are too many up to r = .10, where |−.06| > .05; 5 % are just allowed.
        ([-0.06] * 10 + [0.0] * 90, 0.15),
        ([-0.06] * 5 + [0.0] * 95, 0.01),
        ([0.6] * 100, None),
    ],
)
def test_algorithm_1_returns_the_smallest_regression(
    differences: list[float], smallest: float | None
) -> None:
    assert algorithm_1(np.array(differences)).smallest == smallest


def test_the_rates_are_those_of_the_regression_returned() -> None:
    # At r = .01: |−.01| > .005 is false evidence, and −.01 · 1.01 + .01 hides the regression.
    rates = algorithm_1(np.array([-0.01] * 5 + [0.0] * 95))
    assert rates.smallest == 0.01
    assert (rates.false_positive, rates.true_positive) == (0.05, 0.95)


def test_no_draw_is_no_answer() -> None:
    with pytest.raises(ValueError, match="at least 1 draw"):
        algorithm_1(np.array([]))


times = st.floats(0.5, 2.0)


@given(
    st.lists(
        st.tuples(st.lists(times, min_size=1, max_size=6), st.lists(times, min_size=1, max_size=6)),
        min_size=1,
        max_size=20,
    )
)
def test_algorithm_1_equals_a_literal_loop_that_adds_the_regression_to_the_test_group(
    draws: list[tuple[list[float], list[float]]],
) -> None:
    expected, rates = None, (0.0, 0.0)
    for regression in GRID:
        false = true = 0
        for control, test in draws:
            base = np.median(control)
            false += abs(np.median(test) - base) / base > regression / 2
            slowed = [value * (1 + regression) for value in test]
            true += abs(np.median(slowed) - base) / base > regression / 2
        rates = (false / len(draws), true / len(draws))
        if false / len(draws) <= 0.05 and true / len(draws) >= 0.95:
            expected = regression
            break
    differences = np.array([np.median(test) / np.median(control) - 1 for control, test in draws])
    # Differences within rounding of r/2 may fall on either side.
    if min(abs(abs(d) - r / 2) for d in differences for r in GRID) > 1e-12:
        found = algorithm_1(differences)
        assert (expected, rates) == (found.smallest, (found.false_positive, found.true_positive))


def test_values_of_ten_times_the_median_are_outliers() -> None:
    assert without_outliers([[[1.0, 1.0, 1.0, 1.0, 9.99, 10.0]]]) == [[[1.0, 1.0, 1.0, 1.0, 9.99]]]


def test_the_relative_standard_deviation_of_one_two_three_is_half() -> None:
    assert rsd([1.0, 2.0, 3.0]) == pytest.approx(0.5)


def test_the_samplings_of_tables_6_and_7() -> None:
    found = [(one.strategy, one.instances, one.trials) for one in PAPER]
    assert found == [
        (Strategy.INSTANCES, 1, 1),
        (Strategy.INSTANCES, 5, 1),
        (Strategy.INSTANCES, 20, 1),
        (Strategy.TRIALS, 1, 5),
        (Strategy.TRIALS, 20, 5),
    ]


def cloud(instance_sd: float, trial_sd: float) -> list[list[list[float]]]:
    """Fifty instances with ten trials of ten values, as in the paper's §3, with noise at each level."""
    draw = np.random.default_rng(2017)
    machines = 1 + instance_sd * draw.normal(size=(50, 1, 1))
    values = (
        machines
        * (1 + trial_sd * draw.normal(size=(50, 10, 1)))
        * (1 + 0.01 * draw.normal(size=(50, 10, 10)))
    )
    return values.tolist()


def test_more_instances_help_and_the_same_instances_help_more() -> None:
    found = smallest_regression.smallest_regression({"b": cloud(0.05, 0.01)}, PAPER, seed=1)
    smallest = [row.smallest for row in found.benchmarks]
    one, five, twenty, same_one, same_twenty = (2.0 if value is None else value for value in smallest)
    assert one > five > twenty > same_twenty
    assert one > same_one
    assert found.warnings == ()


def test_values_of_one_trial_are_no_independent_evidence() -> None:
    # §4.2.1: rank-sum tests of pooled values find differences where nothing changed.
    asked = [Sampling(strategy=Strategy.TRIALS, instances=1, trials=5)]
    row = smallest_regression.smallest_regression({"b": cloud(0.05, 0.03)}, asked, seed=2).benchmarks[0]
    # Table 5: 26 to 81 % in each of its 160 cells.
    assert 0.26 <= row.false_alarms <= 0.81
    assert row.false_alarms_of_medians is not None
    assert row.false_alarms_of_medians < 0.12


@pytest.mark.parametrize(("instances", "remains"), [(1, 0.3), (20, 0.0)])
def test_a_rule_on_the_effect_takes_back_false_alarms_of_many_instances_but_not_of_one(
    instances: int, remains: float
) -> None:
    asked = [Sampling(strategy=Strategy.TRIALS, instances=instances, trials=5)]
    row = smallest_regression.smallest_regression({"b": cloud(0.05, 0.03)}, asked, seed=2).benchmarks[0]
    assert remains <= row.false_alarms_of_effect < row.false_alarms - 0.1


def test_a_sampling_that_is_too_small_is_left_out_with_a_warning() -> None:
    small, enough = [[[1.0], [1.1]]], [[[1.0]], [[1.1]]]
    found = smallest_regression.smallest_regression({"b": small}, PAPER[:1], seed=1)
    assert found.benchmarks == ()
    lack = "instance-based 1 × 1 needs 2 instances with 1 trial each, found 1: "
    assert found.warnings == (f"{lack}no answer for any benchmark",)
    found = smallest_regression.smallest_regression({"a": enough, "b": small}, PAPER[:1], seed=1)
    assert [row.benchmark for row in found.benchmarks] == ["a"]
    assert found.warnings == (f"{lack}no answer for 1 of 2 benchmarks (b)",)


def test_the_same_seed_gives_the_same_answer_whatever_else_is_asked() -> None:
    data = cloud(0.05, 0.02)
    alone = smallest_regression.smallest_regression({"b": data}, PAPER, seed=5)
    both = smallest_regression.smallest_regression({"a": data, "b": data}, PAPER, seed=5)
    assert alone.benchmarks == both.benchmarks[5:]
    other = smallest_regression.smallest_regression({"b": data}, PAPER, seed=6)
    assert alone.benchmarks != other.benchmarks


def test_every_benchmark_has_a_random_stream_of_its_own() -> None:
    data = cloud(0.05, 0.02)
    found = smallest_regression.smallest_regression({"a": data, "b": data}, PAPER, seed=5)
    first, second = found.benchmarks[:5], found.benchmarks[5:]
    assert [replace(row, benchmark="b") for row in first] != list(second)


def test_one_trial_against_one_can_raise_no_alarm_of_medians() -> None:
    found = smallest_regression.smallest_regression({"b": cloud(0.05, 0.02)}, PAPER[:2], seed=5)
    assert found.benchmarks[0].false_alarms_of_medians is None
    assert found.benchmarks[1].false_alarms_of_medians is not None


def test_trials_of_unequal_length_are_sampled_as_they_are() -> None:
    data = [[trial[: 4 + i % 6] for i, trial in enumerate(trials)] for trials in cloud(0.05, 0.02)]
    found = smallest_regression.smallest_regression({"b": data}, PAPER, seed=5)
    assert len(found.benchmarks) == 5
    assert all(0 <= row.false_alarms <= 1 for row in found.benchmarks)
    assert found.benchmarks[4].smallest is not None
