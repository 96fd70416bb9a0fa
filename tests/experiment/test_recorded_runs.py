"""The values behind a verdict: of one measurement, and only where its numbers follow from them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.experiment import recorded_runs
from abs_audit.experiment.session import Session
from abs_audit.model.cells import Cells
from abs_audit.model.experiment import Arm, Block, Mode, Step
from abs_audit.model.measurement import MethodTally, Status, Tally, Trial
from abs_audit.model.verdict import CellRuns, CellVerdict
from tests.support import builders as b

CONTROL = Arm(mode=Mode.CONTROL, methods=("m", "n"), slowed=None, delay_ns=0.0, batch=1, label="control")
MUTANT = replace(CONTROL, mode=Mode.DELAY, slowed="m", delay_ns=5.0, label="mutant 0.5")
AGAIN = replace(CONTROL, label="control, again")
OF_N = replace(MUTANT, slowed="n")
CELL = b.cell("m", "b", difference_mean=0.5, repetitions=(2, 2))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path / "session.db")


def add(
    session: Session,
    name: str,
    values: Sequence[tuple[Arm, float]],
    context: str = "c",
    tally: Tally | None = None,
) -> None:
    """Record a block in which every arm has a value, in seconds."""
    steps = tuple(Step(arm=arm, invocations=1, target_s=0.1, iterations=1, warmup=0) for arm, _ in values)
    block = Block(id=name, benchmark="b", steps=steps, limit_s=1.0)
    for position, (_, value) in enumerate(values):
        trial = Trial(
            block=name,
            position=position,
            status=Status.OK,
            reason="",
            invocations=1,
            values=(value,),
            tally=tally or Tally(build_id="x", methods={}),
            wall_s=0.1,
        )
        session.record(context, block, trial)


def beside(plain_s: float) -> Tally:
    return Tally(build_id="x", methods={}, plain_s=plain_s)


def add_two_runs(session: Session, series: str = "switched/0.5/1", slower: float = 1.5, **more: str) -> None:
    for run in (1, 2):
        for first in (1, 2):
            values = [(MUTANT, slower), (CONTROL, 1.0), (AGAIN, 7.0), (OF_N, 9.0)]
            add(session, f"{series}/run{run}/{first}/b/x", values, **more)


def runs(session: Session, cell: CellVerdict = CELL) -> CellRuns:
    return recorded_runs.of_cells(session, Cells.of([cell]), "switched/0.5")


def test_the_values_of_both_runs_are_relative_to_the_control(session: Session) -> None:
    add_two_runs(session)
    ((place, (first, second)),) = runs(session).items()
    assert (("m", "b"), (0.0, 0.0), (0.5, 0.5)) == (place, first.control, first.mutant)
    assert (0.5, 0.5, None) == (second.mean, second.median, second.interval)


def test_what_delays_took_beyond_what_was_requested_is_taken_off_as_verdicts_do(session: Session) -> None:
    """Half of the second was to be added and .8 were: 1.8 are 1.5 without the excess."""
    mutant = replace(MUTANT, control_s=1.0, delay_ns=0.5e9)
    tally = Tally(build_id="x", methods={"m": MethodTally(calls=1, injected_s=0.8)})
    for run in (1, 2):
        for first in (1, 2):
            add(session, f"switched/0.5/1/run{run}/{first}/b/x", [(mutant, 1.8), (CONTROL, 1.0)], tally=tally)
    ((shown, _),) = runs(session, replace(CELL, share=1.0, requested=0.5)).values()
    assert pytest.approx((0.5, 0.5)) == shown.mutant


def test_values_from_which_other_numbers_follow_are_not_shown(session: Session) -> None:
    add_two_runs(session, slower=1.4)
    assert {} == runs(session)


def test_too_few_values_are_not_shown(session: Session) -> None:
    add_two_runs(session)
    assert {} == runs(session, replace(CELL, repetitions=(2, 3)))


def test_a_pair_that_was_measured_again_shows_the_last_measurement(session: Session) -> None:
    add_two_runs(session, slower=2.0)
    add_two_runs(session, "switched/0.5 again/1")
    assert {0.5} == {run.mean for run in runs(session)["m", "b"]}


def test_of_two_builds_the_one_counts_that_the_verdict_follows_from(session: Session) -> None:
    add_two_runs(session)
    add_two_runs(session, slower=1.1, context="later")
    assert 2 == len(runs(session)["m", "b"])


def test_another_slowdown_is_another_measurement(session: Session) -> None:
    add_two_runs(session, "switched/0.55/1")
    add_two_runs(session, "sensitivity/1/run1")
    assert {} == runs(session)


def test_values_before_the_delay_was_sized_anew_do_not_count(session: Session) -> None:
    add(session, "switched/0.5/1/run1/1/b/x", [(CONTROL, 1.0), (MUTANT, 3.0)])
    sized = replace(MUTANT, delay_ns=6.0, control_s=2.0)
    for first in (1, 2):
        add(session, f"switched/0.5/1/run1/{first}/b/y", [(CONTROL, 2.0), (sized, 3.0)])
    (run,) = runs(session, replace(CELL, repetitions=(2,)))["m", "b"]
    assert ((0.0, 0.0), (0.5, 0.5)) == (run.control, run.mutant)


def test_values_are_told_in_what_took_turns_beside_them(session: Session) -> None:
    add(session, "switched/0.5/1/run1/1/b/x", [(CONTROL, 1.0), (MUTANT, 1.5)], tally=beside(1.0))
    add(session, "switched/0.5/1/run1/2/b/x", [(CONTROL, 2.0), (MUTANT, 3.0)], tally=beside(2.0))
    (run,) = runs(session, replace(CELL, repetitions=(2,)))["m", "b"]
    assert (0.0, 0.0) == run.control


def test_a_cell_that_was_not_measured_has_no_values(session: Session) -> None:
    add_two_runs(session)
    assert {} == runs(session, replace(CELL, repetitions=()))
