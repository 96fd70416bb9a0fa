"""The arms that slow methods of one benchmark down."""

from dataclasses import replace

import pytest

from abs_audit.experiment.arms import arms_of_group
from abs_audit.experiment.share import Share
from abs_audit.model.experiment import Arm, Mode


def share(method: str, part: float, calls: float) -> Share:
    return Share(
        method=method, benchmark="b", share=part, lowest=part, highest=part, calls=calls, control_s=1e-6
    )


OUTER, INNER, SETTER = share("outer", 0.9, 1.0), share("inner", 0.5, 10.0), share("setter", 0.3, 1000.0)


def controls(*shares: Share) -> list[tuple[Arm, dict[str, Arm]]]:
    """Slow down by half what is executed 100,000 times an iteration, in delays of at least 2 µs."""
    return arms_of_group(shares, 0.5, 100_000, 2000.0)


def test_methods_of_a_benchmark_have_a_control_in_common_and_each_mutant_differs_by_one_delay() -> None:
    ((control, mutants),) = controls(OUTER, INNER)
    assert {"outer", "inner"} == set(control.methods) == set(mutants)
    for one in (OUTER, INNER):
        mutant = mutants[one.method]
        assert (Mode.DELAY, one.method) == (mutant.mode, mutant.slowed)
        assert pytest.approx(0.5 * one.share * 1000 / one.calls) == mutant.delay_ns
        assert control == replace(mutant, mode=Mode.CONTROL, slowed=None, delay_ns=0.0, label="control")


def test_the_common_batch_is_the_smallest_that_is_worth_paying_for_each() -> None:
    alone = [controls(one)[0][0].batch for one in (OUTER, INNER)]
    ((control, _),) = controls(OUTER, INNER)
    assert max(alone) == control.batch


def test_methods_that_no_batch_suits_have_controls_of_their_own() -> None:
    # A delay every 13,333 calls of the setter would be one every 13 invocations...
    assert 13_333 == controls(SETTER)[0][0].batch
    # ...but one of 100,000 for the outer method, which is to be delayed at least 20 times.
    found = {control.methods for control, _ in controls(OUTER, INNER, SETTER)}
    assert {("inner", "outer"), ("setter",)} == found
    for control, mutants in controls(OUTER, INNER, SETTER):
        assert all(
            control.batch <= 100_000 * one.calls / 20
            for one in (OUTER, INNER, SETTER)
            if one.method in mutants
        )


@pytest.mark.parametrize(
    ("control_s", "most_ns"),
    [(1e-6, 50_000), (9e-6, 50_000), (1e-5, 10_000), (1e-4, 10_000), (2e-4, 20_000), (1e-3, 50_000)],
)
def test_one_delay_is_no_slowdown_of_a_benchmark_that_may_wait_for_a_clock(
    control_s: float, most_ns: float
) -> None:
    """.4 of half of .5 of 100 µs is 10 µs: a loop that works until its time is over goes on for no longer."""
    stepped = replace(share("step", 1.0, 1000.0), control_s=control_s)
    ((control, mutants),) = arms_of_group([stepped], 0.5, 100_000, 50_000.0)
    assert control.batch * mutants["step"].delay_ns == pytest.approx(most_ns, rel=0.02)


def test_what_was_active_when_a_share_was_measured_is_active_in_its_control_without_a_delay() -> None:
    beside = replace(OUTER, companions=frozenset({"now and then"}))
    ((control, mutants),) = controls(beside, INNER)
    assert ("inner", "now and then", "outer") == control.methods
    assert {"outer", "inner"} == set(mutants)


def test_the_arms_do_not_depend_on_the_order_of_the_shares() -> None:
    assert controls(INNER, OUTER) == controls(OUTER, INNER)
