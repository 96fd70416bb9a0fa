"""Comparison of two versions: unit of replication, correction, own noise."""

from io import StringIO

import numpy as np
import pytest
from rich.console import Group

from abs_audit.analyses.compare.model import Change, ComparisonSettings, Correction, compare
from abs_audit.analyses.compare.replication import Unit, common_unit
from abs_audit.analyses.compare.text import packages, summary
from abs_audit.report.text import show


def forks(level, *, count=10, iterations=5, between=0.01, seed=0):
    """Return forks whose levels differ by `between` and whose iterations differ by a tenth of that."""
    draw = np.random.RandomState(seed)
    return [
        list(
            level
            * (1 + between * draw.standard_normal())
            * (1 + between / 10 * draw.standard_normal(iterations))
        )
        for _ in range(count)
    ]


def change_of(before, after, **settings):
    return compare({"b": before}, {"b": after}, ComparisonSettings(**settings)).benchmarks[0].change


def test_a_benchmark_that_became_a_tenth_slower_is_slower():
    result = compare({"b": forks(1.0)}, {"b": forks(1.1, seed=1)})
    one = result.benchmarks[0]
    assert one.change is Change.SLOWER
    assert one.ratio == pytest.approx(1.1, rel=0.02)
    assert one.interval[0] < one.ratio < one.interval[1]
    assert one.effects.cliffs_delta == 1.0
    assert [found.benchmark for found in result.regressions] == ["b"]


def test_a_benchmark_that_became_faster_is_no_regression():
    result = compare({"b": forks(1.1)}, {"b": forks(1.0, seed=1)})
    assert result.benchmarks[0].change is Change.FASTER
    assert result.regressions == ()


def test_the_same_version_twice_is_unchanged():
    assert change_of(forks(1.0), forks(1.0, seed=1)) is Change.UNCHANGED


def test_fork_medians_are_the_unit_where_both_sides_have_several_forks():
    one = compare({"b": forks(1.0, count=6)}, {"b": forks(1.0, count=7, seed=1)}).benchmarks[0]
    assert (one.unit, one.replicates) == (Unit.FORK, (6, 7))
    assert common_unit([[1.0]], [[1.0], [2.0]]) is Unit.ITERATION


def test_pooled_iterations_of_few_forks_alarm_where_fork_medians_do_not_and_are_warned_of():
    before, after = (
        {f"b{i}": forks(1.0, count=5, iterations=20, seed=2 * i + side) for i in range(60)} for side in (0, 1)
    )
    alarms = {}
    for unit in Unit:
        settings = ComparisonSettings(unit=unit, correction=Correction.NONE, calibrated=False)
        result = compare(before, after, settings)
        alarms[unit] = sum(benchmark.change is not Change.UNCHANGED for benchmark in result.benchmarks)
    # Nominal: 3 of 60. The pooled test sees 100 values that are really 5.
    assert alarms[Unit.FORK] <= 7 < 20 < alarms[Unit.ITERATION]
    assert "pseudo-replication" in result.warnings[0]


def test_three_forks_a_side_decide_nothing_and_the_answer_says_how_many_would():
    # 3 + 3: the smallest p is 2 ÷ 20 = .1; 4 + 4: 2 ÷ 70 = .029.
    result = compare({"b": forks(1.0, count=3)}, {"b": forks(9.0, count=3, seed=1)})
    assert result.benchmarks[0].change is Change.UNDECIDABLE
    assert result.benchmarks[0].p_corrected == 1.0
    assert "measure at least 4 a side" in result.warnings[0]


def test_undecidable_benchmarks_do_not_dilute_the_others():
    weak = {f"weak {i}": forks(1.0, count=3, seed=i) for i in range(50)}
    result = compare(weak | {"b": forks(1.0)}, weak | {"b": forks(1.1, seed=99)})
    strong = next(one for one in result.benchmarks if one.benchmark == "b")
    assert strong.p_corrected == strong.p


def test_one_real_change_among_two_hundred_benchmarks_is_found_with_five_forks_a_side():
    # A rank-sum test gives 5 + 5 values at least .0079, which times 200 is nothing.
    before = {f"b{i}": forks(1.0, count=5, seed=i) for i in range(200)}
    after = {f"b{i}": forks(1.1 if i == 7 else 1.0, count=5, seed=500 + i) for i in range(200)}
    result = compare(before, after)
    assert [benchmark.benchmark for benchmark in result.regressions] == ["b7"]
    assert not result.warnings
    assert result.geometric_mean == pytest.approx(1.1 ** (1 / 200), abs=0.002)


@pytest.mark.parametrize(("count", "missing"), [(1, 3), (2, 2), (3, 1), (4, 0)])
def test_no_interval_is_given_where_none_would_hold_and_what_is_missing_is_said(count, missing):
    # 3 + 3 values can say 90 %, 4 + 4 97 %: 1 - 2 / 70.
    benchmark = compare({"b": forks(1.0, count=count)}, {"b": forks(1.0, count=count, seed=1)}).benchmarks[0]
    assert benchmark.missing_forks == missing
    assert (benchmark.interval is None) == (missing > 0)


def test_benchmarks_are_summed_up_by_where_they_stand():
    ratios = {
        "example.com/p.BenchmarkX/a": 2.0,
        "example.com/p.BenchmarkY": 8.0,
        "org.example.Shelf.push:size=1.5": 1.0,
        "tests/test_a.py::test_b[1.0]": 1.0,
        "suite.Table.time_rows(10, 'a.b')": 1.0,
        "group/function/10": 1.0,
        "alone": 1.0,
    }
    result = compare({name: [[1.0]] for name in ratios}, {name: [[ratio]] for name, ratio in ratios.items()})
    assert {summary.package: (summary.benchmarks, summary.geometric_mean) for summary in result.packages} == {
        "example.com/p": (2, pytest.approx(4.0)),
        **dict.fromkeys(["org.example", "tests/test_a.py", "suite", "group", "alone"], (1, 1.0)),
    }


def test_corrections_differ_in_strictness():
    before = {f"b{i}": forks(1.0, count=6, seed=i) for i in range(12)}
    after = {f"b{i}": forks(1.01, count=6, seed=100 + i) for i in range(12)}
    found = {
        correction: [
            one.p_corrected
            for one in compare(before, after, ComparisonSettings(correction=correction)).benchmarks
        ]
        for correction in Correction
    }
    for plain, bh, strict in zip(*(found[c] for c in ("none", "bh", "holm")), strict=True):
        assert plain <= bh <= strict


def test_a_change_below_the_threshold_does_not_matter():
    before, after = forks(1.0, between=0.001), forks(1.03, between=0.001, seed=1)
    assert change_of(before, after) is Change.SLOWER
    assert change_of(before, after, threshold=0.05) is Change.UNCHANGED


def test_a_change_smaller_than_a_sides_own_drift_is_no_change():
    # The machine became 10 % slower half way through the first side; the second side is 6 % above its median.
    before = forks(1.0, count=5, between=0.001) + forks(1.1, count=5, between=0.001, seed=1)
    after = forks(1.12, count=10, between=0.001, seed=2)
    one = compare({"b": before}, {"b": after}).benchmarks[0]
    assert one.own_noise == pytest.approx(0.1, abs=0.005)
    assert one.change is Change.UNCHANGED
    assert change_of(before, after, calibrated=False) is Change.SLOWER


def test_drift_within_the_sides_is_warned_of():
    drifting = {f"b{i}": [[1.0 + j / 100] for j in range(12)] for i in range(5)}
    result = compare(drifting, drifting)
    assert (result.halves, result.alarms) == (10, 10)
    assert any("10 of 10 A/A checks" in warning for warning in result.warnings)


def test_benchmarks_of_one_side_only_are_named():
    result = compare({"old": [[1.0]], "b": [[1.0]]}, {"b": [[1.0]], "new": [[1.0]]})
    assert (result.only_before, result.only_after) == (("old",), ("new",))


def test_no_common_benchmark_is_said():
    result = compare({"a": [[1.0]]}, {"b": [[1.0]]})
    assert result.benchmarks == ()
    assert result.warnings == ("no benchmark is in both: nothing is compared",)


def test_equal_values_are_unchanged():
    constant = [[2.0, 2.0]] * 10
    one = compare({"b": constant}, {"b": constant}).benchmarks[0]
    assert (one.change, one.ratio, one.interval, one.p) == (Change.UNCHANGED, 1.0, (1.0, 1.0), 1.0)


@pytest.mark.parametrize("broken", [[], [[]], [[1.0], [float("nan")]]])
def test_broken_samples_are_refused(broken):
    with pytest.raises(ValueError, match="expected"):
        compare({"b": broken}, {"b": [[1.0], [2.0]]})


def test_five_hundred_unchanged_benchmarks_fill_less_than_a_screen_and_a_change_comes_first():
    before = {f"p.BenchmarkN{i}": forks(1.0, count=4, seed=i) for i in range(500)}
    after = {f"p.BenchmarkN{i}": forks(1.2 if i == 9 else 1.0, count=4, seed=900 + i) for i in range(500)}
    out = StringIO()
    show(Group(summary(compare(before, after)), packages(compare(before, after))), out)
    lines = out.getvalue().splitlines()
    assert len(lines) <= 40
    assert "p.BenchmarkN9" in next(line for line in lines if line.startswith(("slower", "unchanged")))
    assert any(line.startswith("geomean") for line in lines)
