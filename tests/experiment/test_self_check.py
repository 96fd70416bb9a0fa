"""The self-check: it must be able to fail, or it proves nothing."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from abs_audit.errors import UnfitEnvironmentError
from abs_audit.experiment import protocol
from abs_audit.experiment.calibration import Calibration
from abs_audit.experiment.cell_profiles import CellProfiles
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.self_check import GROSS, prove
from abs_audit.experiment.share import Share
from abs_audit.model.experiment import Arm, Block
from abs_audit.model.measurement import Trial
from tests.support.fake_executor import FakeSuite, harness, trial
from tests.support.known_shares import injection

SPEC = injection("self-check", settle_all=False)


def profiles(*shares: float) -> CellProfiles:
    """Return profiles of benchmarks that call one method, each with such a share of its time."""
    names = [f"b{number}" for number in range(len(shares))]
    plans = {
        name: IterationPlan(benchmark=name, invocations=1000, iteration_s=0.02, wall_s=0.03) for name in names
    }
    cells = {
        ("m", name): Share(
            method="m", benchmark=name, share=share, lowest=share, highest=share, calls=10.0, control_s=1.0
        )
        for name, share in zip(names, shares, strict=True)
    }
    calibration = Calibration(iteration_plans=plans, failed={})
    return CellProfiles(reach={}, calibration=calibration, shares=cells, unknown={})


def checked(folder: Path, slower: Callable[[Block, Arm], float], *shares: float) -> tuple[str, list[str]]:
    """Return the benchmark of the proof, and the blocks that were made for it."""

    def invented(block: Block, position: int, arm: Arm) -> Trial:
        drawn = int(hashlib.sha256((block.id + arm.label).encode()).hexdigest()[:4], 16)
        return trial(block, position, arm, 1.0 + 1e-6 * drawn + slower(block, arm))

    suite = FakeSuite(invented)
    proof = prove(harness(folder, suite), profiles(*shares), SPEC)
    return proof.benchmark if proof else "", [block.id for block in suite.asked]


def delayed(_: Block, arm: Arm) -> float:
    """Return how much slower the delay makes a benchmark of a second."""
    return 10 * arm.delay_ns / 1e9


def again(_: Block, arm: Arm) -> float:
    """Return a slowdown of the arm that is compared with itself, too."""
    return delayed(_, arm) or (0.5 if arm.label == "control, again" else 0.0)


def test_five_times_as_slow_shows_in_one_run_of_the_cell_with_the_largest_share(tmp_path: Path) -> None:
    proof, blocks = checked(tmp_path, delayed, 0.75, 0.9)
    assert proof == "b1"
    assert 5 == len(blocks)
    assert all("/run1/" in block for block in blocks)


def test_a_slowdown_that_nobody_notices_ends_the_command(tmp_path: Path) -> None:
    with pytest.raises(UnfitEnvironmentError, match=f"was made {1 + GROSS:g} times as slow and no benchmark"):
        checked(tmp_path, lambda *_: 0.0, 0.9)


def test_equal_code_that_seems_slower_twice_ends_the_command(tmp_path: Path) -> None:
    with pytest.raises(UnfitEnvironmentError, match="compared with itself and seemed slower"):
        checked(tmp_path, again, 0.9)


def test_a_slowdown_that_noise_hides_is_looked_for_as_long_as_any(tmp_path: Path) -> None:
    """Else a busy machine ends a command: a share of 3 % made five times as slow is 12 % of its benchmark."""

    def hidden(block: Block, arm: Arm) -> float:
        number = int(block.id.split("/")[3])
        return (
            delayed(block, arm) if number > max(protocol.LOOKS) else delayed(block, arm) * (number % 2) * 0.9
        )

    _, blocks = checked(tmp_path, hidden, 0.03)
    assert max(int(block.split("/")[3]) for block in blocks) > max(protocol.LOOKS)


def test_equal_code_that_may_seem_slower_is_not_measured_for_long(tmp_path: Path) -> None:
    """Of fastapi it took forty of five minutes that nothing was wrong."""

    def almost(block: Block, arm: Arm) -> float:
        if arm.label != "control, again":
            return delayed(block, arm)
        number = int(block.id.split("/")[3])
        return (0.9 + 0.2 * (number % 2)) * SPEC.threshold

    _, blocks = checked(tmp_path, almost, 0.9)
    numbers = {int(block.split("/")[3]) for block in blocks if "of an alarm" not in block}
    assert max(protocol.LOOKS) >= max(numbers)


def test_equal_code_that_seems_slower_once_does_not(tmp_path: Path) -> None:
    def once(block: Block, arm: Arm) -> float:
        return delayed(block, arm) if "of an alarm" in block.id else again(block, arm)

    proof, _ = checked(tmp_path, once, 0.9)
    assert proof == "b0"


def test_one_disturbed_cell_is_not_the_last_that_is_tried(tmp_path: Path) -> None:
    def disturbed(block: Block, arm: Arm) -> float:
        return 0.0 if block.benchmark == "b1" else delayed(block, arm)

    proof, _ = checked(tmp_path, disturbed, 0.75, 0.9)
    assert proof == "b0"


def test_a_disturbed_cell_is_tried_again_where_there_is_no_other(tmp_path: Path) -> None:
    """A budget of time begins with few benchmarks, and one method has few."""

    def disturbed(block: Block, arm: Arm) -> float:
        return 0.0 if block.id.startswith("self-check 1/") else delayed(block, arm)

    proof, _ = checked(tmp_path, disturbed, 0.9)
    assert proof == "b0"


@pytest.mark.parametrize("shares", [(), (0.0,)])
def test_without_a_cell_that_can_be_slowed_there_is_nothing_to_prove(
    tmp_path: Path, shares: tuple[float, ...]
) -> None:
    """Of a share of 0, by the best estimate, every delay is 0: it was compared with a threshold of 0."""
    assert ("", []) == checked(tmp_path, delayed, *shares)


def test_a_method_with_a_small_share_is_slowed_by_more_than_noise(tmp_path: Path) -> None:
    """Five times as slow it would take 1.2 % more of its benchmark's time, which noise hides."""

    def noisy(block: Block, arm: Arm) -> float:
        number = int(block.id.split("/")[3])
        return delayed(block, arm) + 0.1 * (-1) ** number * (arm.delay_ns > 0)

    proof, blocks = checked(tmp_path, noisy, 0.003)
    assert proof == "b0"
    assert all(block.startswith("self-check 1/") for block in blocks)
