"""Pairs whose answer noise between runs may have given are measured in further runs, and no others are."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.experiment.pair_evidence import Pair
from abs_audit.experiment.pairs import Design, settle
from abs_audit.experiment.run_noise import MOST_RUNS
from abs_audit.model.experiment import Arm, Block
from abs_audit.model.explanation import Cause
from abs_audit.model.measurement import Trial
from abs_audit.model.verdict import CellVerdict, Verdict
from benchmarks import power
from benchmarks.power import slowed_in_proportion
from tests.experiment.test_pairs import CELL, CONTROL, MUTANT, PACE, drawn
from tests.support.fake_executor import FakeSuite, harness, trial

DELTA = 2 * CELL.threshold
CALM = {f"calm {number}": (0.02 * number,) for number in range(5)}
STORM = {f"storm {number}": (shown,) * MOST_RUNS for number, shown in enumerate((0.4, -0.5, 0.3, -0.45) * 3)}

Shown = Mapping[str, Sequence[float]]
"""Benchmark → what its mutant is slower by in each run, in units of δ."""


def settled(folder: Path, slowed: Shown, same: Shown, *, judged: bool = True) -> dict[str, CellVerdict]:
    """Return the verdict of every benchmark; mutants of `same` are controls."""
    shown = {**slowed, **same}

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        run = int(block.id.split("/")[2].removeprefix("run"))
        slower = DELTA * shown[block.benchmark][run - 1] if arm.label != "control" else 0.0
        return slowed_in_proportion(
            trial(block, position, arm, 1.0 + slower + 1e-8 * drawn(block, arm)), arm.methods[0]
        )

    again = replace(CONTROL, label="control, again")
    pairs = [
        Pair(cell=replace(CELL, benchmark=name), control=CONTROL, mutant=MUTANT if name in slowed else again)
        for name in shown
    ]
    plans = {name: replace(PACE, benchmark=name) for name in shown}
    design = Design(name="t", seed=1, judged=judged)
    decided = settle(harness(folder, FakeSuite(invented)), plans, pairs, design)
    return {pair.cell.benchmark: decision.verdict for pair, decision in decided}


def runs(verdict: CellVerdict) -> int:
    return len(verdict.repetitions)


def test_where_runs_do_not_scatter_no_pair_has_more_than_two(tmp_path: Path) -> None:
    verdicts = settled(tmp_path, {"yes": (0.8, 0.7), "small": (0.45,), "fails": (0.6, 0.4)}, CALM)
    assert [2, 1, 2] == [runs(verdicts[name]) for name in ("yes", "small", "fails")]
    assert all(runs(verdicts[name]) == 1 for name in CALM)


def test_where_runs_scatter_a_slowdown_is_detected_by_the_mean_of_more_of_them(tmp_path: Path) -> None:
    verdicts = settled(tmp_path, {"b": (0.4, 1.2, 0.6, 1.1, 0.7, 1.0, 0.8, 0.9)}, STORM)
    assert Verdict.DETECTED is verdicts["b"].verdict
    assert 2 < runs(verdicts["b"]) <= MOST_RUNS


def test_where_runs_scatter_two_that_agree_by_chance_are_no_alarm(tmp_path: Path) -> None:
    """By two runs alone both were detected."""
    by_chance = (0.7, 0.6, 0.0, -0.1, -0.2, 0.0, 0.1, 0.0)
    verdicts = settled(tmp_path, {"slowed": by_chance}, {**STORM, "same": by_chance})
    assert Verdict.DETECTED not in {verdicts["slowed"].verdict, verdicts["same"].verdict}
    assert 2 < runs(verdicts["same"]) < MOST_RUNS


def test_a_pair_that_is_still_in_doubt_after_the_last_run_has_no_verdict(tmp_path: Path) -> None:
    verdicts = settled(tmp_path, {"b": (1.6, 0.5, -0.6, 1.7, -0.5, 1.6, -0.4, 1.5)}, STORM)
    assert (Verdict.NO_VERDICT, Cause.NOISY) == (verdicts["b"].verdict, verdicts["b"].cause)
    assert MOST_RUNS == runs(verdicts["b"])


def test_the_self_check_asks_for_no_further_runs(tmp_path: Path) -> None:
    verdicts = settled(tmp_path, {"b": (0.7, 0.6)}, STORM, judged=False)
    assert 2 == runs(verdicts["b"])


@pytest.mark.parametrize(("level", "least"), [(0.2, 0.95), (0.3, 0.9)])
def test_simulated_sessions_find_what_they_should_and_raise_no_alarm(level: float, least: float) -> None:
    found, pairs = 0, 0
    for session in range(2):
        verdicts, _ = power.present(power.values(power.run, level, power.MANY, (77, session)))
        found += verdicts[: power.MANY].count(Verdict.DETECTED)
        pairs += power.MANY
        assert Verdict.DETECTED not in verdicts[power.MANY :]
    assert found >= least * pairs - 1
