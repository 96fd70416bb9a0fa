"""Scaling, filtering and learned thresholds, on small runs whose answer is known by construction."""

import numpy as np
import pytest

from abs_audit.analyses.chart.model import (
    PAPER_RULE,
    STRICT_RULE,
    ChartSettings,
    control_chart,
    control_limits,
    leave_one_out,
    violation_ratio,
)
from abs_audit.analyses.chart.samples import ChartRun, CounterSamples, at_one_load, doubt, main_load


def run(name, level, *, counters=("cpu",), seed=0, load=None):
    noise = np.random.RandomState(seed).normal(0.0, 1.0, size=(len(counters), 100))
    values = {counter: level + noise[i] for i, counter in enumerate(counters)}
    return ChartRun(name=name, counters=values, load=load)


def literal_violations(baseline, target):
    low, high = np.percentile(baseline, 5), np.percentile(baseline, 95)
    return sum(1 for value in target if value < low or value > high) / len(target)


def test_leave_one_out_equals_a_literal_loop():
    runs = [np.random.RandomState(seed).gamma(3.0, size=50) for seed in range(4)]
    expected = []
    for i, target in enumerate(runs):
        baseline = [value for j, other in enumerate(runs) if j != i for value in other]
        expected.append(literal_violations(baseline, target))
    found = leave_one_out([CounterSamples(values=values, load=None) for values in runs])
    assert list(found) == pytest.approx(expected)


def test_a_counter_in_step_with_the_load_is_brought_to_the_median_load():
    # c = 2·l + 10, without noise: at the median load 100 everything is 210.
    loads = [np.array([80.0, 100.0]), np.array([120.0, 100.0])]
    baselines = [CounterSamples(values=2 * load + 10, load=load) for load in loads]
    load = np.array([50.0, 200.0])
    found = at_one_load(baselines, CounterSamples(values=(2 * load + 10) * 1.5, load=load))
    assert found.baseline.tolist() == pytest.approx([210.0] * 4)
    assert found.target.tolist() == pytest.approx([315.0] * 2)
    assert found.notes == ()


def test_a_counter_that_ignores_the_load_is_not_scaled_and_the_note_says_so():
    draw = np.random.RandomState(2)
    samples = [CounterSamples(values=draw.normal(50, 1, 40), load=draw.normal(100, 10, 40)) for _ in range(3)]
    found = at_one_load(samples[:2], samples[2])
    assert found.target.tolist() == samples[2].values.tolist()
    assert found.notes[0].startswith("not scaled: does not follow the load (p = ")


def test_a_sample_whose_predicted_value_is_not_positive_is_not_scaled():
    # c = l − 90 and a target at load 80: the prediction is −10.
    load = np.array([100.0, 110.0, 120.0, 130.0])
    target = CounterSamples(values=np.array([3.0, 20.0]), load=np.array([80.0, 115.0]))
    found = at_one_load([CounterSamples(values=load - 90, load=load)], target)
    assert found.target.tolist() == pytest.approx([3.0, 20.0])
    assert found.notes == ("1 samples not scaled: their predicted value is not positive",)


def test_runs_without_load_are_charted_as_they_are():
    found = at_one_load(
        [CounterSamples(values=np.ones(3), load=None)], CounterSamples(values=np.ones(2), load=np.ones(2))
    )
    assert found.notes == ("not scaled: no load recorded",)


def test_scaling_tells_more_load_from_a_regression():
    def loaded(name, load_level, factor, seed):
        draw = np.random.RandomState(seed)
        load = draw.normal(load_level, 5.0, 120)
        counter = factor * (0.3 * load + 10) + draw.normal(0, 0.5, 120)
        return ChartRun(name=name, counters={"cpu": counter}, load=load)

    baselines = [loaded(f"good {i}", 80 + 10 * i, 1.0, i) for i in range(5)]
    busier = control_chart(baselines, loaded("busier", 125, 1.0, 7))
    slower = control_chart(baselines, loaded("slower", 100, 1.1, 8))
    assert [busier.counters[0].out_of_control, slower.counters[0].out_of_control] == [False, True]
    unscaled = control_chart(baselines, loaded("busier", 125, 1.0, 7), ChartSettings(scale_load=False))
    assert unscaled.counters[0].violation_ratio > busier.counters[0].violation_ratio


def test_idle_samples_are_dropped_before_charting():
    draw = np.random.RandomState(3)

    def half_idle(name, level, idle):
        values = np.concatenate([np.zeros(idle), draw.normal(level, 1.0, 100)])
        return ChartRun(name=name, counters={"cpu": values}, load=None)

    baselines = [half_idle(f"good {i}", 50.0, 10) for i in range(5)]
    target = half_idle("more idle", 50.0, 40)
    plain = control_chart(baselines, target).counters[0]
    filtered = control_chart(baselines, target, ChartSettings(filter_load=True)).counters[0]
    assert plain.limits.lcl == 0.0
    assert filtered.limits.lcl > 45.0
    assert len(filtered.samples) == 100
    assert plain.filtered is None
    assert len(filtered.filtered.samples) == 140
    assert 0.0 < filtered.filtered.cut < 45.0
    assert filtered.filtered.normality_before < 0.05 < filtered.filtered.normality_after


def test_a_filter_that_drops_the_main_load_is_noted():
    draw = np.random.RandomState(4)
    values = np.concatenate([draw.normal(50, 1, 100), draw.normal(90, 1, 20)])
    kept, done = main_load(CounterSamples(values=values, load=None))
    assert kept.values.size == 20
    assert doubt(done).startswith("the filter dropped 100 of 120 samples")
    runs = [ChartRun(name=f"r{i}", counters={"c": values}, load=None) for i in range(3)]
    charted = control_chart(runs[:2], runs[2], ChartSettings(filter_load=True)).counters[0]
    assert sum(note.startswith("the filter dropped 100 of 120") for note in charted.notes) == 3


def test_a_sample_of_one_or_equal_values_has_equal_limits_and_no_violation():
    for values in ([5.0], [5.0, 5.0, 5.0]):
        limits = control_limits(values)
        assert (limits.lcl, limits.cl, limits.ucl) == (5.0, 5.0, 5.0)
        assert violation_ratio(limits, values) == 0.0


@pytest.mark.parametrize(
    "empty", [control_limits, lambda values: violation_ratio(control_limits([1]), values)]
)
def test_empty_samples_are_refused(empty):
    with pytest.raises(ValueError, match="found none"):
        empty([])


def test_one_baseline_teaches_no_threshold_and_the_answer_says_so():
    result = control_chart([run("good", 10.0)], run("new", 10.0, seed=1))
    assert result.counters[0].threshold is None
    assert not result.counters[0].above_threshold
    assert result.warnings == ("one baseline: no threshold can be learned; give at least 10 baselines",)


def test_one_baseline_flags_only_by_the_floor_of_the_rule():
    shifted = control_chart([run("good", 10.0)], run("bad", 20.0, seed=1))
    assert shifted.counters[0].out_of_control
    by_paper = control_chart([run("good", 10.0)], run("bad", 20.0, seed=1), ChartSettings(rule=PAPER_RULE))
    assert not by_paper.counters[0].out_of_control


def test_counters_that_only_one_side_has_are_named():
    baselines = [run(f"good {i}", 10.0, counters=("cpu", "disk"), seed=i) for i in range(3)]
    result = control_chart(baselines, run("new", 10.0, counters=("cpu", "net"), seed=9))
    assert [counter.name for counter in result.counters] == ["cpu"]
    assert result.warnings == ("no baseline has net: not charted", "new lacks disk: not charted")


def test_the_paper_rule_warns_of_good_counters_above_their_threshold():
    baselines = [run(f"good {i}", 10.0, seed=i) for i in range(5)]
    result = control_chart(baselines, run("new", 10.0, seed=9), ChartSettings(rule=PAPER_RULE))
    assert "about 17% of the good counters" in result.warnings[0]


def test_the_strict_rule_asks_for_a_quarter_and_twice_the_threshold():
    assert STRICT_RULE.limit(0.05) == 0.25
    assert STRICT_RULE.limit(0.2) == 0.4
    assert STRICT_RULE.limit(None) == 0.25


def test_a_run_whose_every_sample_violates_is_out_of_control_however_much_the_baselines_differ():
    # Twice a threshold of .6 is 1.2, which no ratio exceeds: the limit stays halfway between .6 and 1.
    assert STRICT_RULE.limit(0.6) == pytest.approx(0.8)
    assert PAPER_RULE.limit(0.6) == 0.6
    # A baseline that lies wholly outside the others leaves nothing to tell.
    assert STRICT_RULE.limit(1.0) == 1.0


def test_limits_from_few_values_are_said_to_be_so():
    few = [ChartRun(name=f"r{i}", counters={"c": np.arange(1.0, 4.0)}, load=None) for i in range(3)]
    assert "limits from 6 values; 20 are needed" in control_chart(few[:2], few[2]).counters[0].notes
    at_10_90 = control_chart(few[:2], few[2], ChartSettings(percentiles=(10.0, 90.0))).counters[0].notes
    assert "limits from 6 values; 10 are needed" in at_10_90


def test_a_threshold_of_0_still_gives_an_order():
    equal = ChartRun(name="good", counters={"cpu": np.full(20, 3.0)}, load=None)
    moved = ChartRun(name="new", counters={"cpu": np.full(20, 4.0)}, load=None)
    counter = control_chart([equal, equal], moved).counters[0]
    assert (counter.threshold, counter.excess) == (0.0, 1000.0)


def test_loads_that_do_not_fit_the_samples_are_refused():
    broken = ChartRun(name="new", counters={"cpu": np.ones(3)}, load=np.ones(2))
    with pytest.raises(ValueError, match="one load for each of the 3 samples of cpu in new, found 2"):
        broken.samples("cpu")
