"""Paper 001 (Nguyen et al. 2012, control charts): worked examples."""

from statistics import fmean

import numpy as np
import pytest

from abs_audit.analyses.chart.flag_quality import flag_quality
from abs_audit.analyses.chart.model import (
    PAPER_RULE,
    ChartedCounter,
    Limits,
    average_violation,
    control_chart,
    control_limits,
    leave_one_out,
    violation_ratio,
)
from abs_audit.analyses.chart.samples import ChartRun

# Table 4: counter → threshold, violation ratio.
SYSTEM_PRINT = {
    "MySQL IO read bytes/s": (0.083, 0.097),
    "Tomcat pool paged bytes": (0.194, 0.833),
    "Tomcat IO data bytes/s": (0.097, 0.986),
    "Tomcat IO write bytes/s": (0.097, 0.986),
    "Tomcat IO data operations/s": (0.083, 1.0),
    "Tomcat IO write operations/s": (0.083, 1.0),
}


def charted(name: str, threshold: float | None, ratio: float) -> ChartedCounter:
    return ChartedCounter(
        name=name,
        limits=Limits(lcl=0.0, cl=1.0, ucl=2.0),
        violation_ratio=ratio,
        threshold=threshold,
        above_threshold=True,
        limit=PAPER_RULE.limit(threshold),
        out_of_control=ratio > PAPER_RULE.limit(threshold),
        baseline=(),
        samples=(),
        filtered=None,
        notes=(),
    )


def test_limits_of_eleven_response_times_at_the_10th_and_90th_percentile():
    assert control_limits(range(3, 14), (10.0, 90.0)) == Limits(lcl=4.0, cl=8.0, ucl=12.0)


def test_three_of_ten_readings_violate_and_the_one_on_the_limit_does_not():
    limits = control_limits(range(3, 14), (10.0, 90.0))
    assert violation_ratio(limits, [4, 2, 6, 2, 7, 9, 11, 13, 8, 6]) == pytest.approx(0.3)


def test_the_threshold_is_the_largest_leave_one_out_ratio():
    values = (np.random.RandomState(seed).gamma(3.0, size=50) for seed in range(4))
    *baselines, target = (ChartRun(name="run", counters={"cpu": own}, load=None) for own in values)
    ratios = leave_one_out([run.samples("cpu") for run in baselines])
    assert control_chart(baselines, target).counters[0].threshold == max(ratios) > min(ratios)


def test_table_4_ascends_in_violation_over_threshold():
    table = [charted(name, *row) for name, row in SYSTEM_PRINT.items()]
    excesses = [round(counter.excess, 1) for counter in table]
    assert excesses == [1.2, 4.3, 10.2, 10.2, 12.0, 12.0]


def test_the_mean_violation_of_table_4_is_row_sp_of_table_5():
    table = [charted(name, *row) for name, row in SYSTEM_PRINT.items()]
    assert average_violation(table) == pytest.approx(0.817, abs=5e-4)
    assert fmean(ratio for _, ratio in SYSTEM_PRINT.values()) == average_violation(table)


def test_a_run_without_counters_out_of_control_has_no_average_violation():
    # Table 5, rows GO 2 and GO 5: NA
    assert average_violation([charted("page faults/s", 0.125, 0.1)]) is None


def test_the_answer_lists_the_largest_violation_over_threshold_first():
    steady = np.random.RandomState(1).normal(100.0, 5.0, size=(6, 120))
    baselines = [
        ChartRun(name=f"good {i}", counters={"little": run, "much": run, "none": run}, load=None)
        for i, run in enumerate(steady[:5])
    ]
    target = ChartRun(
        name="bad", counters={"little": steady[5] + 5, "much": steady[5] + 50, "none": steady[5]}, load=None
    )
    assert [one.name for one in control_chart(baselines, target).counters] == ["much", "little", "none"]


def test_precision_recall_and_f():
    quality = flag_quality(flagged={"a", "b", "c", "d"}, bad={"a", "b", "c"})
    assert (quality.precision, quality.recall) == (0.75, 1.0)
    assert quality.f_measure == pytest.approx(2 * 0.75 / 1.75)


def test_nothing_flagged_has_no_precision():
    quality = flag_quality(flagged=set(), bad={"a"})
    assert (quality.precision, quality.recall, quality.f_measure) == (None, 0.0, None)


def test_flags_that_all_miss_have_an_f_of_0():
    quality = flag_quality(flagged={"b"}, bad={"a"})
    assert (quality.precision, quality.recall, quality.f_measure) == (0.0, 0.0, 0.0)
