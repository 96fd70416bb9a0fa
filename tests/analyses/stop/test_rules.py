"""The window rules against literal loops, the cap, and what all rules have in common."""

import statistics
from dataclasses import dataclass

import numpy as np
import pytest

from abs_audit.analyses.stop.rules.catalogue import RULES, stopping_rule
from abs_audit.analyses.stop.rules.metior import Metior
from abs_audit.analyses.stop.rules.pt4cloud import PT4Cloud
from abs_audit.analyses.stop.rules.rule import Decision
from abs_audit.analyses.stop.rules.settling import IntervalWidth, Settling, Variation
from abs_audit.analyses.stop.rules.superflow import SuperFlow
from abs_audit.errors import UsageError

LOUD = np.random.RandomState(1).gamma(1.0, size=200)
QUIET = 100 + np.random.RandomState(2).standard_normal(200)


@pytest.mark.parametrize("seed", range(5))
def test_cov_equals_a_literal_loop(seed):
    values = np.random.RandomState(seed).gamma(2.0, size=40)
    covs = [statistics.stdev(values[:n]) / statistics.mean(values[:n]) for n in range(36, 41)]
    expected = max(abs(covs[-1] - cov) for cov in covs[:-1])
    decision = Variation().decide(values)
    assert decision.figures["move"] == pytest.approx(expected)
    assert decision.figures["cov"] == pytest.approx(covs[-1])
    assert decision.enough is bool(expected < 0.01)


def literal_width(values):
    draw = np.random.RandomState(7)
    means = [np.mean(draw.choice(values, len(values))) for _ in range(4000)]
    low, high = np.percentile(means, [0.5, 99.5])
    return (high - low) / np.mean(values)


def test_rciw_equals_a_literal_loop():
    found = IntervalWidth().decide(LOUD[:40]).figures
    # The ends of a 99 % interval from 1,000 resamples stand on 5 draws each.
    assert found["rciw"] == pytest.approx(literal_width(LOUD[:40]), rel=0.15)


@dataclass(frozen=True, kw_only=True)
class Latest(Settling):
    """A rule whose statistic is the last value itself."""

    name = "latest"

    def statistic(self, values):
        return float(values[-1])


def test_a_window_compares_the_latest_value_with_each_before_it():
    # 5, 4, 3, 2, 1 backwards
    decision = Latest(threshold=4.0).look(np.arange(1.0, 6.0))
    assert decision.figures == {"latest": 5.0, "move": 4.0}
    assert not decision.enough
    assert Latest(threshold=4.1).look(np.arange(1.0, 6.0)).enough


@pytest.mark.parametrize("name", RULES)
def test_no_rule_looks_before_its_first_look(name):
    decision = stopping_rule(name).decide(QUIET[:9])
    assert decision == Decision(enough=False, reason="9 values, the first look is at 10", figures={})


@pytest.mark.parametrize("name", RULES)
def test_the_same_values_give_the_same_answer(name):
    first, second = (stopping_rule(name, seed=3).decide(values) for values in (LOUD, LOUD.copy()))
    assert first == second


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_known_by_the_name_it_is_asked_for(name):
    assert stopping_rule(name).name == name


@pytest.mark.parametrize("name", sorted(set(RULES) - {"superflow1"}))
def test_constant_values_stop_every_rule_without_a_least_size_at_once(name):
    assert stopping_rule(name).decide(np.full(10, 4.0)).enough


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("broken", [[], [1.0] * 11 + [float("nan")], [1.0] * 11 + [0.0], [-1.0] * 12])
def test_broken_values_are_refused(name, broken):
    with pytest.raises(ValueError, match="expected"):
        stopping_rule(name).decide(broken)


def test_another_seed_moves_the_bootstrap_a_little():
    figures = [SuperFlow(variant=2, seed=seed).decide(LOUD).figures["error_p50"] for seed in (1, 2)]
    assert figures[0] != figures[1]
    assert figures[0] == pytest.approx(figures[1], rel=0.3)


def test_the_earlier_sample_is_judged_as_it_was_an_interval_ago():
    for variant in (1, 2, 3):
        rule = SuperFlow(variant=variant)
        before, now = rule.decide(LOUD[:95]).figures, rule.decide(LOUD[:100]).figures
        assert now["error_p25_before"] == before["error_p25"]


def test_a_sample_that_is_accurate_for_the_first_time_does_not_stop_superflow():
    # Between 20 and 25 values the intervals come into being: only S_cur has them.
    decision = SuperFlow(variant=1, paper_quirks=True).decide(np.full(25, 3.0))
    assert not decision.enough
    assert decision.reason == "too few values for the intervals of all quartiles"
    # Counted from 1, 16 values are enough for all three.
    assert SuperFlow(variant=1).decide(np.full(25, 3.0)).enough


def test_the_boundaries_of_the_rules_are_those_of_the_papers():
    values = LOUD[:60]
    p = PT4Cloud().decide(values).figures["similarity"]
    assert PT4Cloud(objective=p).decide(values).enough
    change = Metior(paper_quirks=True).decide(values).figures["change"]
    assert Metior(error=change, paper_quirks=True).decide(values).enough
    text = Metior(paper_quirks=False).decide(values).figures["change"]
    assert not Metior(error=text, paper_quirks=False).decide(values).enough


def test_looks_begin_at_the_first_and_end_with_the_values():
    assert list(Variation().looks(27)) == [10, 15, 20, 25]
    assert list(Variation(first=50).looks(40)) == []


def test_an_unknown_rule_is_answered_with_the_known_ones():
    with pytest.raises(UsageError, match=r"superflow1.*rciw.*found 'superflow4'"):
        stopping_rule("superflow4")
