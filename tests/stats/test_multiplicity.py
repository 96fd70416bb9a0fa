"""Corrections by hand."""

import pytest

from abs_audit.stats.multiplicity import benjamini_hochberg, holm


def test_holm_by_hand():
    # sorted .01, .02, .03, .04 × 4, 3, 2, 1 = .04, .06, .06, .04 → never below the one before
    assert holm([0.04, 0.01, 0.03, 0.02]).tolist() == pytest.approx([0.06, 0.04, 0.06, 0.06])


def test_benjamini_hochberg_by_hand():
    # sorted p · n ÷ rank: .04, .04, .04, .04
    assert benjamini_hochberg([0.04, 0.01, 0.03, 0.02]).tolist() == pytest.approx([0.04] * 4)
    assert benjamini_hochberg([0.01, 0.5]).tolist() == pytest.approx([0.02, 0.5])


@pytest.mark.parametrize("correct", [holm, benjamini_hochberg])
def test_nothing_to_correct_is_nothing(correct):
    assert correct([]).tolist() == []
    assert correct([0.7]).tolist() == [0.7]


@pytest.mark.parametrize("correct", [holm, benjamini_hochberg])
@pytest.mark.parametrize("broken", [[1.2], [-0.1], [float("nan")]])
def test_what_is_no_p_value_is_refused(correct, broken):
    with pytest.raises(ValueError, match="between 0 and 1"):
        correct(broken)


def test_a_correction_never_exceeds_1():
    assert holm([0.6, 0.9]).tolist() == [1.0, 1.0]
