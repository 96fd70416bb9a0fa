"""Replays: where a rule stops, and how that is judged."""

import numpy as np
import pytest

from abs_audit.analyses.stop import text
from abs_audit.analyses.stop.model import ReplaySettings, judge, replay
from abs_audit.analyses.stop.rules.settling import Variation
from abs_audit.analyses.stop.rules.similarity import similarity
from tests.support.fixed_count import FixedCount

STEADY = 100 + np.random.RandomState(1).standard_normal(400)


def test_a_fixed_count_uses_exactly_that_many_values():
    result = replay(FixedCount(first=37), {"a": STEADY, "b": STEADY[::-1]})
    assert [one.stop_at for one in result.series] == [37, 37]
    assert result.runs_mean == 37.0
    assert result.rule == "fixed 37"


def test_accuracy_is_the_similarity_of_the_stopped_sample_with_the_truth():
    truth = 100 + np.random.RandomState(2).standard_normal(500)
    result = replay(FixedCount(first=50), {"a": STEADY}, {"a": truth})
    expected = similarity(STEADY[:50], truth)
    assert result.accuracy_mean == result.accuracy_worst == expected
    assert result.warnings == ()


def test_the_whole_series_as_truth_is_called_optimistic():
    result = replay(FixedCount(first=50), {"a": STEADY})
    assert result.accuracy_mean == similarity(STEADY[:50], STEADY)
    assert result.warnings == ("the ground truth contains the stopped sample: accuracy is optimistic",)


def test_means_and_worst_are_taken_over_the_series():
    result = replay(FixedCount(first=50), {"a": STEADY, "b": STEADY + np.linspace(0, 5, 400)})
    accuracies = [one.judgement.accuracy for one in result.series]
    assert result.accuracy_mean == pytest.approx(sum(accuracies) / 2)
    assert result.accuracy_worst == min(accuracies)


def test_credibility_is_the_share_of_credible_series():
    shifted = STEADY + np.where(np.arange(400) < 50, 40.0, 0.0)
    result = replay(FixedCount(first=50), {"whole": np.tile(STEADY[:50], 8), "shifted": shifted})
    assert result.credibility[1] == 0.5


def test_a_truth_too_small_for_intervals_leaves_credibility_open():
    result = replay(FixedCount(first=10), {"a": STEADY}, {"a": STEADY[:12]})
    assert result.series[0].judgement.credible == (None, True, None, None)
    assert result.credibility == (None, 1.0, None, None)


def test_series_without_truth_are_not_judged_and_counted():
    result = replay(FixedCount(first=10), {"a": STEADY, "b": STEADY}, {"a": STEADY})
    assert result.series[1].judgement is None
    assert result.warnings == ("1 of 2 series have no ground truth and are not judged",)


def test_no_truth_at_all_leaves_accuracy_open():
    result = replay(FixedCount(first=10), {"a": STEADY}, {})
    assert (result.accuracy_mean, result.credibility) == (None, None)


def test_the_trace_shows_every_look_up_to_the_stop():
    result = replay(Variation(), {"a": STEADY})
    looks = result.series[0].trace
    assert [look.n for look in looks] == list(range(10, result.series[0].stop_at + 1, 5))
    assert set(looks[0].figures) == {"cov", "move"}
    silent = replay(Variation(), {"a": STEADY}, settings=ReplaySettings(looks_kept=False))
    assert silent.series[0].trace == ()


def test_a_series_shorter_than_the_first_look_is_used_as_it_is():
    result = replay(Variation(), {"short": STEADY[:4]})
    assert (result.series[0].stop_at, result.series[0].used) == (None, 4)
    assert result.series[0].reason == "the series is shorter than the first look"


def test_nothing_to_replay_is_refused():
    with pytest.raises(ValueError, match="at least one series"):
        replay(Variation(), {})


def test_an_outlier_so_far_that_densities_underflow_is_a_quirk():
    # One of 10,001 values lies so far out that the gap is 300 kernel widths wide on either side.
    far = np.append(np.tile(STEADY, 25), 1e6)
    assert similarity(far, far, paper_quirks=True) == 0.0
    assert similarity(far, far) == 1.0
    settings = ReplaySettings(paper_quirks=True)
    result = replay(FixedCount(first=400), {"far": far}, settings=settings)
    assert result.warnings[0] == "1 series have accuracy 0: constant, or densities that underflow"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([3.0] * 5, [3.0] * 9, 1.0),
        ([3.0] * 5, [4.0] * 5, 0.0),
        ([3.0] * 5, [3.0, 4.0], 0.0),
        ([3.0], [3.0], 1.0),
    ],
)
def test_constant_samples_are_alike_only_if_both_are_and_equal(first, second, expected):
    assert similarity(first, second) == expected


def test_similarity_is_symmetric_and_lies_between_0_and_1():
    one, two = STEADY[:80], STEADY[100:130] + 0.5
    assert similarity(one, two) == pytest.approx(similarity(two, one), rel=1e-12)
    assert 0.0 < similarity(one, two) < 1.0


def test_a_truth_of_equal_values_is_credible_only_without_the_quirk():
    assert judge([2.0] * 30, [2.0] * 100, paper_quirks=True).credible == (False,) * 4
    assert judge([2.0] * 30, [2.0] * 100).credible == (True,) * 4


def test_what_is_said_of_accuracy_is_of_where_the_rule_stopped():
    short = STEADY[:40]
    result = replay(FixedCount(first=50), {"stopped": STEADY, "ended before": short})
    told = text.answer(result)
    accuracy = similarity(STEADY[:50], STEADY)
    assert told == f"fixed 50 would have stopped on 1 of 2 series, after 50 values; accuracy {accuracy:.0%}."
