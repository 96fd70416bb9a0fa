"""How much of a benchmark's time is a method's, and what does a call of it take?

Shares explain every verdict: a method's slowdown δ reaches a benchmark as δ·share, and half of δ is
asked for, so a benchmark notices what makes up about half of its time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import median

from abs_audit.experiment.calibration import Pace
from abs_audit.experiment.lab import Lab
from abs_audit.experiment.reach import Reach
from abs_audit.experiment.schedule import shuffled
from abs_audit.model.experiment import UNPROBED, Arm, Block, Mode
from abs_audit.model.measurement import Status, Trial

ROUNDS = (1, 3, 5, 9)
"""After so many rounds a cell may be settled; at the last it is."""
ENOUGH = 3
"""Rounds before the scatter of a cell means anything."""
SETTLED = 0.1
"""Relative range of a cell's rounds, divided by the root of their number, up to which their median is
believed: what its error falls with."""
NEGLIGIBLE = 0.15
"""A share below this decides nothing: how exactly it is known does not matter."""
PARALLEL = 1.2
"""A method that takes this many times the benchmark's time is called by several threads at once..."""
CLOCKED_S = 2e-7
"""...unless a call is so short that reading a clock around it makes it longer."""
LEAST_PAYMENTS = 20
"""Payments in an iteration: more would be dearer, fewer would make the delay depend on the moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one method is to one benchmark."""

    method: str
    benchmark: str
    share: float
    """Inclusive time of the method ÷ time of the benchmark, 0..1."""
    lowest: float
    """The smallest share of a round."""
    highest: float
    """The largest share of a round."""
    calls: float
    """Calls (resumes) per invocation of the benchmark."""
    control_s: float
    """Seconds per invocation with the method's probe active and no delay."""
    threads: float = 1.0
    """Calls that are under way at once, on the average: each thread pays for its own."""

    def delay_ns(self, slowdown: float) -> float:
        """Return the delay a call that makes the benchmark slower by slowdown · share.

        It refers to the control arm, so that the probe's own cost cancels in the relative difference.
        """
        return 1e9 * slowdown * self.share * self.threads * self.control_s / self.calls


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownShare:
    """A cell whose share could not be measured."""

    method: str
    benchmark: str
    trial: Trial


def pair_of_arms(share: Share, slowdown: float, invocations: int, payment_ns: float) -> tuple[Arm, Arm]:
    """Return control and mutant; they differ by the delay alone."""
    delay_ns = share.delay_ns(slowdown)
    worth = payment_ns / delay_ns if delay_ns else float("inf")
    most = max(1.0, invocations * share.calls / LEAST_PAYMENTS)
    control = Arm(
        mode=Mode.CONTROL,
        methods=(share.method,),
        slowed=None,
        delay_ns=0.0,
        batch=max(1, round(min(worth, most))),
        label="control",
    )
    mutant = replace(
        control, mode=Mode.DELAY, slowed=share.method, delay_ns=delay_ns, label=f"mutant {slowdown:g}"
    )
    return control, mutant


def measure_shares(
    lab: Lab, reached: Sequence[tuple[Reach, Pace]], seed: int
) -> tuple[list[Share], list[UnknownShare]]:
    """Measure the share of every reached cell, in rounds of off, control and time arms.

    A cell whose share is negligible after the first round gets no other, one that still scatters gets
    more: a delay is only as exact as the share that it is computed from.
    """
    rounds: dict[str, list[ByArm]] = {found.benchmark: [] for found, _ in reached if found.calls}
    cells: dict[tuple[str, str], Share | UnknownShare] = {}
    first = 0
    for last in ROUNDS:
        asked = [
            _Asked(found=found, pace=pace, methods=_open(found, cells, first)) for found, pace in reached
        ]
        asked = [one for one in asked if one.methods]
        for benchmark, by_arm in _more_rounds(lab, asked, seed, range(first, last)):
            rounds[benchmark].append(by_arm)
        for one in asked:
            for method in one.methods:
                name = one.found.benchmark
                cells[method, name] = _cell(method, one.found, rounds[name])
        first = last
    every = [cells[method, found.benchmark] for found, _ in reached for method in found.calls]
    return (
        [cell for cell in every if isinstance(cell, Share)],
        [cell for cell in every if isinstance(cell, UnknownShare)],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The methods of one benchmark that further rounds are made for."""

    found: Reach
    pace: Pace
    methods: tuple[str, ...]


def _open(
    found: Reach, cells: Mapping[tuple[str, str], Share | UnknownShare], rounds: int
) -> tuple[str, ...]:
    """Return the methods of a benchmark whose share is not settled after so many rounds."""
    return tuple(
        method
        for method in found.calls
        if rounds == 0 or not _settled(cells[method, found.benchmark], rounds)
    )


def _settled(cell: Share | UnknownShare, rounds: int) -> bool:
    """Tell whether further rounds would change nothing that matters."""
    if isinstance(cell, UnknownShare) or cell.highest < NEGLIGIBLE:
        return True
    return rounds >= ENOUGH and cell.highest - cell.lowest <= SETTLED * sqrt(rounds) * cell.share


def _more_rounds(lab: Lab, asked: Sequence[_Asked], seed: int, numbers: range) -> list[tuple[str, "ByArm"]]:
    blocks = {
        (one.found.benchmark, number): one.pace.block(
            lab, f"shares/{seed}/{number}/{one.found.benchmark}", _arms(one, seed, number)
        )
        for number in numbers
        for one in shuffled(asked, seed, "shares", number)
    }
    trials = lab.perform(list(blocks.values()), "measuring shares")
    return [(benchmark, _by_arm(block, trials)) for (benchmark, _), block in blocks.items()]


def _arms(asked: _Asked, seed: int, number: int) -> list[Arm]:
    arms = [UNPROBED]
    for method in asked.methods:
        # The batch of a later control arm, as far as it can be known now: at least so many payments.
        batch = max(1, round(asked.pace.invocations * asked.found.calls[method] / LEAST_PAYMENTS))
        for mode in (Mode.CONTROL, Mode.TIME):
            arms.append(
                Arm(mode=mode, methods=(method,), slowed=None, delay_ns=0.0, batch=batch, label=mode.value)
            )
    return shuffled(arms, seed, "shares", asked.found.benchmark, number)


def _called(trial: Trial, method: str) -> bool:
    """Tell whether the probe itself says that it was there and entered."""
    return trial.tally is not None and method in trial.tally.methods and trial.tally.methods[method].calls > 0


ByArm = Mapping[tuple[Mode, tuple[str, ...]], Trial]


def _by_arm(block: Block, trials: Mapping[str, tuple[Trial, ...]]) -> ByArm:
    return {
        (step.arm.mode, step.arm.methods): trial
        for step, trial in zip(block.steps, trials[block.id], strict=True)
    }


def _cell(method: str, found: Reach, rounds: Sequence[ByArm]) -> Share | UnknownShare:
    """Combine the rounds of a cell; a trial without its tally says nothing.

    How often a method is called per invocation is known from the counts, which set-up cannot falsify; of a
    timed trial only the mean time of a call is taken.
    """
    ratios, controls, together, call_s = [], [], [], 0.0
    calls = found.calls[method]
    for trials in rounds:
        if (Mode.TIME, (method,)) not in trials:
            continue
        off, control, timed = (
            trials[Mode.OFF, ()],
            trials[Mode.CONTROL, (method,)],
            trials[Mode.TIME, (method,)],
        )
        for trial in (off, control, timed):
            if trial.status is not Status.OK or (trial is not off and not _called(trial, method)):
                return UnknownShare(method=method, benchmark=found.benchmark, trial=trial)
        assert timed.tally is not None
        tally = timed.tally.methods[method]
        call_s = tally.timed_s / tally.calls
        ratios.append(call_s * calls / off.values[0])
        together.append(call_s * calls / control.values[0])
        controls.append(control.values[0])
    threads = median(together)
    return Share(
        method=method,
        benchmark=found.benchmark,
        share=min(1.0, median(ratios)),
        lowest=min(ratios),
        highest=max(ratios),
        calls=calls,
        control_s=median(controls),
        threads=threads if threads >= PARALLEL and call_s >= CLOCKED_S else 1.0,
    )
