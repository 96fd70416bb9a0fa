import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_audit.analyses.detectable import sampling
from abs_audit.analyses.detectable.sampling import Sampling, Strategy

samples = st.lists(
    st.lists(st.lists(st.floats(1, 2), max_size=3), min_size=1, max_size=7), min_size=1, max_size=7
)
samplings = st.builds(
    Sampling, strategy=st.sampled_from(Strategy), instances=st.integers(1, 3), trials=st.integers(1, 3)
)


def places(group: sampling.Group, row: int) -> set[tuple[int, int]]:
    rows = zip(group[0][row], group[1][row], strict=True)
    return {(int(i), int(t)) for (i,), trials in rows for t in trials}


@given(samples, samplings, st.integers(0, 99))
def test_control_and_test_never_share_a_trial_and_have_the_size_asked_for(
    values: list[list[list[float]]], asked: Sampling, seed: int
) -> None:
    data = sampling.table(values)
    if sampling.lacking(data, asked) is not None:
        return
    control, test = sampling.draw(data, asked, 5, np.random.default_rng(seed))
    for row in range(5):
        left, right = places(control, row), places(test, row)
        assert not left & right
        assert len(left) == len(right) == asked.instances * asked.trials
        machines = {i for i, _ in left}, {i for i, _ in right}
        assert len(machines[0]) == asked.instances
        if asked.strategy is Strategy.TRIALS:
            assert machines[0] == machines[1]
        else:
            assert not machines[0] & machines[1]
        assert all(not np.isnan(data.values[place]).all() for place in left | right)


@pytest.mark.parametrize(
    ("strategy", "instances", "trials", "expected"),
    [
        (Strategy.INSTANCES, 1, 1, None),
        (Strategy.INSTANCES, 2, 1, "needs 4 instances with 1 trial each, found 3"),
        (Strategy.TRIALS, 2, 1, None),
        (Strategy.TRIALS, 3, 1, "needs 3 instances with 2 trials each, found 2"),
    ],
)
def test_what_is_lacking_for_two_groups_is_said(
    strategy: Strategy, instances: int, trials: int, expected: str | None
) -> None:
    data = sampling.table([[[1.0], [1.0]], [[1.0], [1.0]], [[1.0]]])
    asked = Sampling(strategy=strategy, instances=instances, trials=trials)
    assert sampling.lacking(data, asked) == expected


@given(samples)
def test_every_value_stands_at_its_place_and_gaps_are_missing(values: list[list[list[float]]]) -> None:
    kept = [full for trials in values if (full := [trial for trial in trials if trial])]
    data = sampling.table(values)
    assert data.trials.tolist() == [len(trials) for trials in kept]
    found = [[trial[~np.isnan(trial)].tolist() for trial in machine] for machine in data.values]
    assert [machine[: len(trials)] for machine, trials in zip(found, kept, strict=True)] == kept
    assert int((~np.isnan(data.values)).sum()) == sum(len(trial) for trials in kept for trial in trials)


def test_trials_and_instances_without_values_are_left_out() -> None:
    data = sampling.table([[[], [1.0, 2.0]], [[]], []])
    np.testing.assert_array_equal(data.values, [[[1.0, 2.0]]])
    assert sampling.table([]).values.size == 0


def test_medians_leave_out_what_is_missing() -> None:
    assert sampling.medians(np.array([[1.0, 2.0, np.nan, 9.0], [4.0, 3.0, 2.0, 1.0]])).tolist() == [2.0, 2.5]


def test_every_instance_is_drawn_about_equally_often() -> None:
    data = sampling.table([[[1.0], [1.0]]] * 10)
    asked = Sampling(strategy=Strategy.INSTANCES, instances=2, trials=1)
    control, _ = sampling.draw(data, asked, 5000, np.random.default_rng(3))
    # 1000 expected each, standard deviation 28.
    counts = np.bincount(control[0].ravel(), minlength=10)
    assert counts.min() > 860
    assert counts.max() < 1140
