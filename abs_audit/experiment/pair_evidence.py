"""What was measured of a pair of arms, control and mutant, and what that says up to now."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import scipy

from abs_audit.experiment import detection, dose, protocol, run_noise
from abs_audit.experiment.detection import Answer, Cell, Decision, Rule, Run
from abs_audit.experiment.evidence import unmeasured, why_no_evidence
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.looking import Looking
from abs_audit.experiment.run_noise import Answered
from abs_audit.model.experiment import Arm
from abs_audit.model.explanation import Cause, Explanation
from abs_audit.model.measurement import Trial
from abs_audit.model.verdict import Verdict
from abs_audit.stats import effect

DRIFT = 0.1
"""Relative change of the control's time from which on a delay is sized anew: a machine that others use is
not as fast now as it was when shares were measured."""
TRIMMED = 0.2
"""Part of a control's values at either end that says nothing of how long it takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One question to settle: does the benchmark notice the difference between two arms?"""

    cell: Cell
    control: Arm
    mutant: Arm
    plain_s: float | None = None
    """Seconds that an invocation without probes took when the delay was sized; values count as if it took as
    long beside them. None, or where a suite does not tell what it takes: they count as they are."""


@dataclass(slots=True)
class Evidence:
    """What has been measured of one pair."""

    pair: Pair
    runs: list[tuple[list[float], list[float]]] = field(default_factory=list)
    broken: Explanation | None = None
    """Why it is no evidence, where a trial of it is none."""
    lost: int = 0
    """Repetitions of the last run that are left out."""
    fixed: bool = False
    """Whether any delay was: not in proportion to the control in its process."""
    relative: bool = True
    """True if every trial has baseline turns, so that what a fork does to all arms cancels."""
    decision: Decision | None = None
    """Of the runs made, where it was asked for."""
    left_to_share: bool = False
    """Whether a run shows what another share within the interval would give another verdict."""
    doubted: bool = False
    """Whether noise between runs may have given the answer of as many as are made at most."""
    answer: Answer = Answer.CONTINUE
    """Of the last run."""

    @property
    def sized_s(self) -> float | None:
        """Seconds that the control took when the delay was sized; None: there is nothing to size."""
        return self.pair.mutant.control_s if self.fixed and self.pair.mutant.delay_ns else None

    def size(self, control_s: float) -> None:
        """Fit the delay to a control that takes so long."""
        if self.sized_s is not None:
            delay_ns = self.pair.mutant.delay_ns * control_s / self.sized_s
            mutant = replace(self.pair.mutant, delay_ns=delay_ns, control_s=control_s)
            self.pair = replace(self.pair, mutant=mutant)

    def begin(self) -> None:
        """Begin a run, with a delay that fits the control as the run before it measured it."""
        if self.runs:
            self.size(_typical_s(self.runs[-1][0]))
        self.runs.append(([], []))
        self.lost, self.decision, self.answer = 0, None, Answer.CONTINUE

    @property
    def is_open(self) -> bool:
        """Tell whether its last run needs further repetitions."""
        return self.broken is None and self.answer is Answer.CONTINUE

    @property
    def made(self) -> int:
        """Return the repetitions of its last run, if that is under way."""
        return len(self.runs[-1][0]) if self.runs and self.is_open else 0

    @property
    def agrees(self) -> bool:
        """Tell whether its last run says yes."""
        return self.broken is None and self.answer is Answer.YES

    def is_whole(self, runs: int) -> bool:
        """Tell whether nothing of it is under way, where a yes takes so many runs."""
        if self.agrees:
            return len(self.runs) >= runs
        return self.broken is not None or self.answer is Answer.NO

    @property
    def multiple(self) -> float:
        """The slowdown of its benchmark divided by the threshold: as measured last, or as expected."""
        cell, run = self.pair.cell, self.as_runs()[-1] if self.runs else None
        if run and run.repetitions:
            return effect.mean_difference(run.control, run.mutant) / cell.threshold
        return cell.expected / cell.threshold if self.pair.mutant.delay_ns else 0.0

    def further(self, looking: Looking, runs: int) -> tuple[float, ...]:
        """Return how often it is usually repeated from now on in each run, where a yes takes so many."""
        if self.broken or self.answer is Answer.NO:
            return ()
        settles = dose.can_be_settled(self.pair.cell)
        later = max(0, runs - max(1, len(self.runs))) if self.agrees or self.multiple >= 1 else 0
        now = 0.0 if self.agrees else looking.repetitions(self.multiple, self.made, settles=settles)
        return (now, *[looking.repetitions(self.multiple, settles=settles)] * later)

    def decided(self, rule: Rule) -> Decision:
        """Return what the runs made say, doubts aside."""
        if self.decision is None:
            runs = [run for run in self.as_runs() if run.repetitions]
            self.decision = detection.decide(self.pair.cell, runs, rule)
        return self.decision

    def as_runs(self) -> list[Run]:
        """Return the runs made, the last one as far as it is."""
        return [Run(control=control, mutant=mutant) for control, mutant in self.runs]

    def answered(self, rule: Rule) -> Answered:
        """Return what its runs show of how much runs scatter."""
        noticed = self.decided(rule).verdict.verdict is Verdict.DETECTED
        unslowed = self.pair.mutant.slowed is None
        return run_noise.answered(
            self.as_runs(), self.pair.cell.threshold, noticed=noticed, unslowed=unslowed
        )

    def told(self, rule: Rule) -> Decision:
        """Return what is known of the pair."""
        if self.broken:
            return Decision(verdict=unmeasured(self.pair.cell, self.broken))
        if self.left_to_share:
            return dose.left_to_share(self.pair.cell, self.decided(rule))
        return dose.left_open(self.decided(rule), Cause.NOISY) if self.doubted else self.decided(rule)

    def has_drifted(self) -> bool:
        """Tell whether the control has, and begin the run again with a delay that fits it.

        The control alone decides, so no verdict is favoured. One with two modes has not drifted: nearly all
        its values must have moved.
        """
        control = self.runs[-1][0]
        if self.broken or not control or self.sized_s is None:
            return False
        low, high = np.quantile(control, (TRIMMED, 1 - TRIMMED)) / self.sized_s - 1
        if low <= DRIFT and high >= -DRIFT:
            return False
        self.size(_typical_s(control))
        self.runs[-1], self.lost = ([], []), 0
        return True

    def add(self, harness: Harness, control: Trial, mutant: Trial) -> None:
        """Add the values of a repetition, unless one is no evidence: that breaks the pair, or is left out."""
        if self.broken:
            return
        pair = self.pair
        fault = why_no_evidence(harness, control, pair.control, pair.cell.method) or why_no_evidence(
            harness, mutant, pair.mutant, pair.cell.method
        )
        if fault:
            self.lost += 1
            made = max(protocol.LOOKS[0], self.lost + len(self.runs[-1][0]))
            # Others were slowed by what was requested, and interrupted outside of delays as controls are.
            if fault.cause is not Cause.OVER_INJECTED or 2 * self.lost > made:
                self.broken = fault
        else:
            self.fixed |= _is_fixed(mutant, pair.mutant)
            self.relative &= all(
                trial.tally and trial.tally.plain_s is not None for trial in (control, mutant)
            )
            self.runs[-1][0].extend(_at_one_speed(control, pair.control, pair))
            self.runs[-1][1].extend(_at_one_speed(mutant, pair.mutant, pair))


def _typical_s(control: Sequence[float]) -> float:
    """Return what a control takes: outliers do not count, but modes do, as they do in the verdict's mean."""
    return float(scipy.stats.trim_mean(control, TRIMMED))


def _is_fixed(trial: Trial, arm: Arm) -> bool:
    slowed = trial.tally.methods.get(arm.slowed) if trial.tally and arm.slowed else None
    return slowed is not None and slowed.requested_s is None


def _at_one_speed(trial: Trial, arm: Arm, pair: Pair) -> Iterator[float]:
    """Yield the values of a trial as if an invocation without probes had taken `plain_s` beside it.

    It took turns with the trial's arm, so it tells how fast the processor was just then, and the process.
    """
    beside_s = trial.tally.plain_s if trial.tally else None
    faster = pair.plain_s / beside_s if pair.plain_s and beside_s else 1.0
    return (value * faster for value in dose.as_requested(trial, arm, pair.cell.expected))
