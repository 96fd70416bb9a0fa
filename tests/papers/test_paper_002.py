"""Paper 002 (Wen et al. 2023, SuperFlow) with PT4Cloud and Metior: worked examples and literal oracles."""

import math

import numpy as np
import pytest
from scipy.stats import gaussian_kde

from abs_audit.analyses.stop.model import ReplaySettings, judge, replay
from abs_audit.analyses.stop.rules.metior import Metior
from abs_audit.analyses.stop.rules.order_statistics import interval_indices, percentile_interval
from abs_audit.analyses.stop.rules.pt4cloud import PT4Cloud
from abs_audit.analyses.stop.rules.similarity import similarity
from abs_audit.analyses.stop.rules.superflow import SuperFlow
from abs_audit.stats.block_bootstrap import block_length
from tests.support.series import autoregressive

QUARTILES = (0.25, 0.5, 0.75)

# ⌈arch.bootstrap.optimal_block_length(series).circular⌉ of arch 8.0.0, seeds 0 to 7.
ARCH_BLOCK_LENGTHS = {
    (0.0, 20): (3, 1, 2, 1, 2, 1, 1, 2),
    (0.0, 60): (1, 2, 4, 1, 1, 3, 2, 2),
    (0.0, 200): (1, 1, 3, 1, 2, 2, 1, 2),
    (0.5, 20): (2, 3, 2, 7, 2, 2, 3, 2),
    (0.5, 60): (8, 2, 3, 5, 5, 3, 5, 4),
    (0.5, 200): (11, 6, 6, 7, 7, 8, 6, 8),
    (0.9, 20): (1, 4, 5, 3, 4, 1, 4, 4),
    (0.9, 60): (13, 6, 11, 10, 9, 6, 5, 10),
    (0.9, 200): (24, 13, 19, 20, 10, 15, 15, 20),
}


def literal_similarity(first: np.ndarray, second: np.ndarray) -> float:
    low, high = min(first.min(), second.min()), max(first.max(), second.max())
    step = (high - low) / 1000
    one, two = gaussian_kde(first), gaussian_kde(second)
    total = 0.0
    for i in range(1, 1001):
        p, q = one(low + step * i)[0], two(low + step * i)[0]
        total += (p - q) * (math.log2(p) - math.log2(q)) * step
    return 2**-total


def literal_superflow_1(values: list[float]) -> int | None:
    def accurate(sample: list[float]) -> bool:
        n, ordered = len(sample), sorted(sample)
        for q in QUARTILES:
            half = 1.96 * math.sqrt(n * q * (1 - q))
            low, high = int(np.rint(n * q - half)), int(np.rint(1 + n * q + half))
            if not (low > 0 and high < n):
                return False
            observed = np.percentile(sample, 100 * q)
            if not (ordered[low] > observed * 0.99 and ordered[high] < observed * 1.01):
                return False
        return True

    for k in range(10, len(values) + 1, 5):
        if accurate(values[:k]) and accurate(values[: k - 5]):
            return k
    return None


@pytest.mark.parametrize(
    ("n", "percentile", "expected"),
    [
        (100, 0.25, (17, 34)),
        (100, 0.5, (40, 61)),
        (100, 0.75, (67, 84)),
        (1000, 0.25, (223, 278)),
        (1000, 0.5, (469, 532)),
        (1000, 0.75, (723, 778)),
        (1000, 0.9, (881, 920)),
        (10, 0.25, (0, 6)),
        (10, 0.5, (2, 9)),
        (10, 0.75, (5, 11)),
        (20, 0.25, (1, 10)),
        (20, 0.5, (6, 15)),
        (20, 0.75, (11, 20)),
    ],
)
def test_the_interval_of_a_percentile_lies_at_these_indices(n, percentile, expected):
    assert expected == interval_indices(n, percentile)


@pytest.mark.parametrize(("confidence", "expected"), [(0.90, (42, 59)), (0.99, (37, 64))])
def test_other_confidences_use_the_z_of_the_authors(confidence, expected):
    # 50 ± 1.65·5 = 41.75, 58.25 + 1; 50 ± 2.58·5 = 37.1, 62.9 + 1
    assert expected == interval_indices(100, 0.5, confidence)


def test_all_three_quartiles_have_an_interval_from_22_values_on():
    sizes = [
        n
        for n in range(1, 60)
        if all(percentile_interval(range(n), quartile, paper_quirks=True) for quartile in QUARTILES)
    ]
    assert list(range(22, 60)) == sizes


def test_positions_counted_from_1_lie_one_value_lower():
    values = range(1000, 1100)
    assert percentile_interval(values, 0.25, paper_quirks=True) == (1017.0, 1034.0)
    assert percentile_interval(values, 0.25, paper_quirks=False) == (1016.0, 1033.0)


def test_superflow_1_stops_a_constant_series_at_30():
    result = replay(SuperFlow(variant=1, paper_quirks=True), {"constant": np.full(100, 7.0)})
    assert result.series[0].stop_at == 30


def test_pt4cloud_stops_one_to_five_repeated_at_its_first_look():
    result = replay(PT4Cloud(), {"repeated": np.tile([1.0, 2.0, 3.0, 4.0, 5.0], 20)})
    assert result.series[0].stop_at == 10


def test_the_similarity_of_a_sample_with_itself_is_1():
    assert similarity(range(1, 21), range(1, 21)) == 1.0


def test_the_similarity_of_shifted_and_halved_samples():
    assert similarity(range(1, 21), range(2, 22)) == pytest.approx(0.993555, abs=5e-7)
    assert similarity(range(1, 11), range(1, 21)) == pytest.approx(0.108942, abs=5e-7)


def test_the_similarity_equals_a_literal_loop():
    draw = np.random.RandomState(5)
    first, second = draw.gamma(2.0, size=80), draw.gamma(2.5, size=55)
    assert literal_similarity(first, second) == pytest.approx(similarity(first, second), rel=1e-9)
    assert literal_similarity(first, second) == pytest.approx(
        similarity(first, second, paper_quirks=False), rel=1e-9
    )


@pytest.mark.parametrize(("setting", "expected"), ARCH_BLOCK_LENGTHS.items())
def test_the_block_length_agrees_with_arch(setting, expected):
    phi, n = setting
    found = [block_length(autoregressive(phi, n, seed)) for seed in range(len(expected))]
    assert all(abs(ours - theirs) <= 1 for ours, theirs in zip(found, expected, strict=True)), found


@pytest.mark.parametrize("seed", range(6))
def test_superflow_1_stops_where_the_literal_rule_stops(seed):
    values = 100 + np.random.RandomState(seed).gamma(2.0, scale=1.0 + seed / 2, size=400)
    expected = literal_superflow_1(list(values))
    assert expected == replay(SuperFlow(variant=1, paper_quirks=True), {"s": values}).series[0].stop_at


def test_superflow_2_agrees_with_literal_resampling():
    values = 100 + np.random.RandomState(3).gamma(2.0, size=60)
    draw = np.random.RandomState(4)
    resampled = [np.percentile(draw.choice(values, values.size), [25, 50, 75]) for _ in range(20_000)]
    low, high = np.percentile(resampled, [2.5, 97.5], axis=0)
    centre = np.percentile(values, [25, 50, 75])
    expected = np.maximum(centre - low, high - centre) / centre
    figures = SuperFlow(variant=2).decide(values).figures
    found = [figures[f"error_p{q}"] for q in (25, 50, 75)]
    # 1,000 against 20,000 resamples: ends of the interval move by some 5 % of its width.
    assert expected == pytest.approx(found, rel=0.2)


def literal_metior(before: np.ndarray, now: np.ndarray, block: int, *, program: bool) -> float:
    """Return the change that Metior compares with e₀, from 4,000 resamples drawn one by one."""
    draw = np.random.RandomState(8)

    def median(values: np.ndarray) -> float:
        n = len(values)
        resample: list[float] = []
        if program:
            for _ in range(max(1, (n - block) // block)):
                start = draw.randint(0, n - block)
                resample.extend(values[start : start + block])
        else:
            while len(resample) < n:
                start = draw.randint(0, n)
                resample.extend(values[(start + i) % n] for i in range(block))
            resample = resample[:n]
        return float(np.median(resample))

    pairs = [(median(before), median(now)) for _ in range(4000)]
    if program:
        return float(np.percentile([abs(a - b) / b for a, b in pairs], 95))
    low, high = np.percentile([(b - a) / a for a, b in pairs], [2.5, 97.5])
    return float(max(-low, high))


@pytest.mark.parametrize("program", [True, False])
def test_metior_agrees_with_a_literal_loop(program):
    values = 50 + 3 * autoregressive(0.6, 60, seed=2)
    block = block_length(values[:-5])
    assert block > 1
    found = Metior(paper_quirks=program).decide(values).figures
    assert block == found["block_length"]
    expected = literal_metior(values[:-5], values, block, program=program)
    assert expected == pytest.approx(found["change"], rel=0.15)


def test_metior_sees_a_fall_as_well_as_a_rise():
    # Half of the values move, all of them new: only one end of the interval leaves (−e₀, e₀).
    level = 100 + np.random.RandomState(6).standard_normal(10)
    for step in (-30.0, 30.0):
        moved = np.concatenate([level[:5], level[5:] + step])
        assert Metior(paper_quirks=False).decide(moved).figures["change"] > 0.2


def test_metior_stops_below_its_error_and_not_above():
    quiet = 100 + np.random.RandomState(1).standard_normal(50)
    loud = 100 + 40 * np.random.RandomState(1).standard_normal(50)
    assert Metior().decide(quiet).enough
    assert not Metior().decide(loud).enough


def test_credibility_lies_strictly_inside_the_interval_of_the_truth():
    truth = np.arange(1000.0)
    # p50 of 1,000 values: sorted values 469 and 532 (see above)
    inside, on_the_end = np.full(9, 500.0), np.full(9, 532.0)
    assert True is judge(inside, truth).credible[1]
    assert False is judge(on_the_end, truth).credible[1]
    # Counted from 1 and with ends inside, the interval is 468 to 531.
    assert True is judge(np.full(9, 531.0), truth, paper_quirks=False).credible[1]


def test_a_replay_reports_what_a_cap_cut_short():
    loud = np.random.RandomState(1).gamma(1.0, size=300)
    result = replay(SuperFlow(variant=1), {"loud": loud}, settings=ReplaySettings(cap=100))
    assert result.series[0].stop_at is None
    assert result.series[0].used == 100
    assert any("ended before the rule stopped" in warning for warning in result.warnings)
