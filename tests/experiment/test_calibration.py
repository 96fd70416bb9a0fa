"""How many invocations make an iteration."""

from dataclasses import replace
from pathlib import Path

import pytest

from abs_audit.experiment.calibration import calibrate
from abs_audit.model.experiment import Arm, Block
from abs_audit.model.measurement import Trial
from tests.support.fake_executor import FakeSuite, lab, trial


@pytest.mark.parametrize(
    ("found", "once_s", "invocations"),
    [
        (120, 0.001, 100),  # Go finds a fifth too many
        (100, 0.001, 100),
        (80, 0.001, 80),  # too few are not made more: the suite knows what it counts
        (1, 3.0, 1),
    ],
)
def test_an_iteration_takes_no_longer_than_it_is_asked_to(
    tmp_path: Path, found: int, once_s: float, invocations: int
) -> None:
    def invented(block: Block, position: int, arm: Arm) -> Trial:
        return replace(trial(block, position, arm, once_s), invocations=found)

    pace = calibrate(lab(tmp_path, FakeSuite(invented)), ["b"], 0.1).paces["b"]
    assert (invocations, pytest.approx(invocations * once_s)) == (pace.invocations, pace.iteration_s)
