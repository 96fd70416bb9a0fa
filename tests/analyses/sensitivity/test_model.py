import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_audit.analyses.sensitivity import model as sensitivity
from abs_audit.analyses.sensitivity.model import MethodSensitivity, Prediction
from abs_audit.model.verdict import Verdict
from tests.support.builders import cell

THRESHOLD = 0.2


def prediction() -> Prediction:
    found = sensitivity.predict("m", {"a": 0.1, "b": 0.5}, THRESHOLD)
    assert found is not None
    return found


def concluded(at: Verdict | None, below: Verdict | None) -> MethodSensitivity:
    cells = [None if verdict is None else cell("m", "b", verdict) for verdict in (at, below)]
    return sensitivity.conclude(prediction(), *cells)


def test_the_benchmark_with_the_largest_share_notices_first() -> None:
    found = prediction()
    assert (found.benchmark, found.share) == ("b", 0.5)
    assert found.smallest == pytest.approx(0.4)
    assert found.at == pytest.approx(0.48)
    assert found.below == pytest.approx(0.24)


@pytest.mark.parametrize("shares", [{}, {"a": 0.0}])
def test_a_method_without_a_share_is_never_noticed(shares: dict[str, float]) -> None:
    assert sensitivity.predict("m", shares, THRESHOLD) is None
    answer = sensitivity.unnoticed("m", why_open="")
    assert (answer.smallest_noticed, answer.confirmed) == (None, False)


def test_a_prediction_is_confirmed_by_a_detection_above_and_a_miss_below() -> None:
    answer = concluded(Verdict.DETECTED, Verdict.MISSED)
    assert answer.confirmed
    assert answer.smallest_noticed == pytest.approx(0.4)
    assert answer.reason == "made 48% slower: detected, as predicted; made 24% slower: missed, as predicted"


@pytest.mark.parametrize(
    ("at", "below", "said"),
    [
        (
            Verdict.MISSED,
            Verdict.MISSED,
            "made 48% slower: missed against the prediction (its share is too small",
        ),
        (Verdict.DETECTED, Verdict.DETECTED, "made 24% slower: detected against the prediction"),
        (
            Verdict.NO_VERDICT,
            Verdict.MISSED,
            "made 48% slower: no verdict (not-run: nothing was executed for it)",
        ),
        (Verdict.DETECTED, None, "made 24% slower: not injected before the time budget ended"),
        (None, None, "made 48% slower: not injected before the time budget ended"),
    ],
)
def test_anything_else_confirms_nothing_and_says_what_happened(
    at: Verdict | None, below: Verdict | None, said: str
) -> None:
    answer = concluded(at, below)
    assert not answer.confirmed
    assert said in answer.reason


def test_the_most_sensitive_method_comes_first_and_open_predictions_are_named() -> None:
    rows = [
        sensitivity.unnoticed("z", why_open=""),
        concluded(None, None),
        MethodSensitivity(method="k", smallest_noticed=0.1, benchmark="a", confirmed=True, reason=""),
    ]
    answer = sensitivity.sensitivity(THRESHOLD, rows)
    assert [row.method for row in answer.methods] == ["k", "m", "z"]
    assert answer.warnings == ("not confirmed: 1 prediction: m",)


@given(st.dictionaries(st.sampled_from("abc"), st.floats(0.001, 1.0), min_size=1), st.floats(0.01, 2.0))
def test_at_the_smallest_noticed_slowdown_the_best_benchmark_differs_by_the_threshold(
    shares: dict[str, float], threshold: float
) -> None:
    found = sensitivity.predict("m", shares, threshold)
    assert found is not None
    felt = {name: found.smallest * share for name, share in shares.items()}
    assert max(felt.values()) == pytest.approx(threshold)
    assert found.below < found.smallest < found.at
