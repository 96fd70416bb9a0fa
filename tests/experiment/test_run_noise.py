"""Noise between runs: little of it leaves two runs alone, much of it asks for more."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_audit.experiment.detection import Run
from abs_audit.experiment.run_noise import Answered, answered, doubted


def pair(differences: Sequence[float], *, unslowed: bool = False, error: float = 0.0) -> Answered:
    """Return a pair that shows so much, in units of δ, and answers as two runs do."""
    return Answered(
        differences=tuple(differences),
        errors=(error,) * len(differences),
        noticed=len(differences) > 1 and min(differences) >= 0.5,
        unslowed=unslowed,
    )


def in_doubt(asked: Answered, others: Sequence[Answered] = ()) -> bool:
    return next(iter(doubted([asked], others)))


CALM = [pair([shown], unslowed=True) for shown in (0.02, -0.05, 0.1, -0.08)] * 3
STORM = [pair([shown], unslowed=True) for shown in (0.4, -0.5, 0.3, -0.45)] * 3


@pytest.mark.parametrize("differences", [[1.0, 0.9], [0.5, 0.5], [0.49], [0.0], [-0.3], [0.6, 0.3]])
@pytest.mark.parametrize("others", [[], CALM])
def test_where_runs_do_not_scatter_two_of_them_decide_as_ever(
    differences: list[float], others: list[Answered]
) -> None:
    assert not in_doubt(pair(differences), others)


@pytest.mark.parametrize(
    ("differences", "doubt"),
    [([0.7, 0.6], True), ([1.5, 1.4], False), ([0.45], True), ([0.9, 0.4], True), ([-0.4], False)],
)
def test_where_runs_of_the_same_arms_scatter_only_what_is_far_away_is_believed(
    differences: list[float], doubt: bool
) -> None:
    assert doubt == in_doubt(pair(differences), STORM)


def test_runs_of_slowed_pairs_tell_by_how_they_differ() -> None:
    assert in_doubt(pair([0.7, 0.6]), [pair([1.6, 0.5]), pair([1.4, 0.6]), pair([0.5, 1.5])] * 3)
    assert not in_doubt(pair([0.7, 0.6]), [pair([1.6, 1.5]), pair([0.5, 0.6]), pair([0.9, 1.0])] * 3)


def test_many_runs_that_agree_outweigh_what_others_show() -> None:
    assert in_doubt(pair([0.8, 0.8]), STORM)
    assert not in_doubt(pair([0.8] * 6), STORM)


def test_noise_of_repetitions_is_no_noise_of_runs() -> None:
    """They scatter by .4 δ where each is known to .4 δ only: looks and their tests answer for that."""
    noisy = [pair([shown], unslowed=True, error=0.16) for shown in (0.4, -0.5, 0.3, -0.45)] * 3
    assert not in_doubt(pair([0.7, 0.6]), noisy)


@pytest.mark.parametrize("differences", [[0.7, 0.6], [1.6]])
def test_a_pair_whose_repetitions_scatter_more_than_runs_needs_no_more_runs(differences: list[float]) -> None:
    """Runs of the others scatter by .42 δ; a mean of δ may be missed for its p alone."""
    assert in_doubt(pair(differences, error=0.1), STORM)
    assert not in_doubt(pair(differences, error=0.25), STORM)


@given(
    st.lists(st.floats(-1, 2), min_size=1, max_size=4),
    st.lists(st.lists(st.floats(-1, 2), min_size=1, max_size=3), max_size=5),
)
def test_a_comparison_of_the_same_arms_is_judged_like_any_other(
    differences: list[float], others: list[list[float]]
) -> None:
    """Else A/A pairs would not tell how often the rule raises a false alarm."""
    asked = [pair(differences, unslowed=unslowed) for unslowed in (False, True)]
    slowed, same = (in_doubt(one, [pair(shown) for shown in others]) for one in asked)
    assert slowed == same


def test_repetitions_that_share_a_process_count_as_one() -> None:
    """Four processes of five: within each nothing differs."""
    control = [1.0] * 20
    mutant = [value for value in (1.1, 1.2, 1.3, 1.4) for _ in range(5)]
    run = Run(control=control, mutant=mutant)
    (error,) = answered([run], 0.25, noticed=False, unslowed=False).errors
    assert error == pytest.approx((0.05 / 3) / 4 / 0.5**2)


@pytest.mark.parametrize("control", [[1.0], [1.0, 0.0]])
def test_a_run_whose_noise_is_unknown_tells_nothing_of_runs(control: list[float]) -> None:
    run = Run(control=control, mutant=[1.1] * len(control))
    unknown = answered([run, run], 0.25, noticed=True, unslowed=False)
    assert in_doubt(pair([0.7, 0.6]), [*STORM, unknown]) == in_doubt(pair([0.7, 0.6]), STORM)
