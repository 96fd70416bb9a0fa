"""Was a mutant slowed by what was requested, and is its method's share known well enough for its verdict?

A slowdown that did not arrive cannot be noticed, and one that is far too large is noticed too easily: neither
is evidence. A delay is sized by the share of its method, so a verdict that another share within its interval
would change is none; nor is a "missed" of values that scatter over the threshold.
"""

import math
from dataclasses import replace

from abs_audit.experiment.detection import Cell, Decision, Run, certain_side
from abs_audit.model.experiment import Arm
from abs_audit.model.explanation import Cause, Explanation, Felt, ShareRange
from abs_audit.model.measurement import MethodTally, Trial
from abs_audit.model.verdict import CellVerdict, Verdict

LEAST = 0.5
"""Realised ÷ requested slowdown from which on a mutant counts..."""
MOST = 1.5
"""...and up to which one that was noticed does."""
INTERRUPTION_S = 2e-2
"""What an interruption may have left beyond it at the end, which no later call made up for."""
NOTHING = 0.1
"""Below this part of it nothing arrived at all, though the probe says that it waited."""
_FAULTS = (Cause.UNDER_INJECTED, Cause.OVER_INJECTED)


def tallied(injected_s: float, requested_s: float) -> Cause | None:
    """Return why what a probe injected is not what was requested; None where it is."""
    if injected_s < LEAST * requested_s:
        return Cause.UNDER_INJECTED
    return Cause.OVER_INJECTED if injected_s > MOST * requested_s + INTERRUPTION_S else None


def requested_s(injected: MethodTally, mutant: Arm) -> float:
    """Return what the delays of a trial were to take, in seconds."""
    return _sized_s(injected, mutant) if injected.requested_s is None else injected.requested_s


def as_requested(trial: Trial, arm: Arm, expected: float) -> list[float]:
    """Return the values of a trial as if delays had taken what was requested, in seconds an invocation.

    What others take of the last delays of a trial is made up for by no later ones. Calls of threads that work
    at once do not add up, so it is a part of what the benchmark was `expected` to be slowed by, relatively.
    A trial that leaves something out of its values says nothing of delays there, and a control has none:
    their values stay as they are.
    """
    tally = trial.tally
    injected = tally.methods.get(arm.slowed or "") if tally and tally.is_whole else None
    sized_s = _sized_s(injected, arm) if injected else 0.0
    if not (injected and sized_s and arm.control_s):
        return list(trial.values)
    excess = (injected.injected_s - requested_s(injected, arm)) / sized_s
    return [value - excess * expected * arm.control_s for value in trial.values]


def _sized_s(injected: MethodTally, mutant: Arm) -> float:
    return injected.calls * mutant.delay_ns / 1e9


def misdosed(cell: Cell, decision: Decision) -> Cause | None:
    """Return why what was realised is no evidence for the verdict; None where it is."""
    verdict, doses = decision.verdict, decision.doses or (1.0,)
    if verdict.verdict is Verdict.NO_VERDICT:
        return verdict.cause if verdict.cause in _FAULTS else None
    noticed = verdict.verdict is Verdict.DETECTED
    if noticed and is_misdosed(cell, noticed, max(doses)):
        return Cause.OVER_INJECTED
    return Cause.UNDER_INJECTED if is_misdosed(cell, noticed, min(doses)) else None


def is_misdosed(cell: Cell, noticed: bool, ratio: float) -> bool:
    """Tell whether realised ÷ requested is too small, or for what was noticed too large.

    A benchmark that feels a small part of a delay makes up for the rest of it: nothing tells whether it would
    for all of it in as many invocations as its suite executes.
    """
    if noticed and ratio > MOST:
        return True
    # Where nothing arrives at all, a real slowdown would not either.
    least = -math.inf if noticed else NOTHING
    return should_show(cell) and least <= ratio < LEAST


def can_be_settled(cell: Cell) -> bool:
    """Tell whether what is requested lies on one side of the threshold for every share in its interval.

    Else what its benchmark shows says little of the method, however often it is measured.
    """
    return should_show(cell) or not cell.may_show


def stays_open(cell: Cell, run: Run) -> bool:
    """Tell whether a run surely shows what leaves the verdict to the share, wherever that is in its interval.

    Further repetitions would settle nothing then.
    """
    if can_be_settled(cell) or not cell.share:
        return False
    too_little = cell.threshold * cell.share / cell.highest
    if certain_side(run, too_little) <= 0:
        return False
    # Of a share that may be nothing no slowdown is enough.
    return not cell.lowest or certain_side(run, cell.threshold * cell.share / cell.lowest) < 0


def should_show(cell: Cell) -> bool:
    """Tell whether the requested slowdown reaches the threshold, whatever the share is in its interval."""
    return cell.lowest * cell.requested >= cell.threshold


def judged(cell: Cell, decision: Decision) -> Decision:
    """Return the decision, or no verdict where its dose, its method's share or its noise leaves it open."""
    verdict = decision.verdict
    if verdict.verdict is Verdict.NO_VERDICT:
        return decision
    fault = misdosed(cell, decision)
    if fault is not None:
        return _open(decision, Explanation(cause=fault, details=Felt(doses=decision.doses)))
    if not _holds(cell, decision):
        return left_to_share(cell, decision)
    if decision.by_chance or _is_seldom_seen(cell, verdict) or _is_faster(cell, verdict):
        return left_open(decision, Cause.NOISY)
    least = min(decision.doses, default=1.0)
    if verdict.verdict is Verdict.MISSED and should_show(cell) and least < NOTHING:
        return replace(decision, verdict=replace(verdict, explanation=Explanation(cause=Cause.NOT_SLOWER)))
    return decision


def _holds(cell: Cell, decision: Decision) -> bool:
    """Tell whether a delay sized by either end of the share's interval would get the same verdict.

    Where what is requested lies on the verdict's side for both, it would: that less or more of it showed is
    noise, which says nothing of the share.
    """
    difference = decision.verdict.difference_mean
    if not cell.share:
        # Nothing was delayed.
        return not cell.may_show
    if difference is None:
        return True
    if decision.verdict.verdict is Verdict.DETECTED:
        return should_show(cell) or difference * min(1.0, cell.lowest / cell.share) >= cell.threshold
    # What is missed for its noise is missed whatever the share.
    missed = not cell.may_show or difference >= cell.threshold
    return missed or difference * max(1.0, cell.highest / cell.share) < cell.threshold


def _is_seldom_seen(cell: Cell, verdict: CellVerdict) -> bool:
    """Tell whether some values alone make the mean difference one that counts: most of them show less."""
    typical = verdict.difference_median
    return verdict.verdict is Verdict.DETECTED and typical is not None and typical < cell.threshold


def _is_faster(cell: Cell, verdict: CellVerdict) -> bool:
    """Tell whether the mutant is as much faster as it should be slower at most: delays do not do that."""
    differences = (verdict.difference_mean, verdict.difference_median)
    return all(shown is not None and shown <= -cell.highest * cell.requested < 0 for shown in differences)


def left_to_share(cell: Cell, decision: Decision) -> Decision:
    """Return no verdict, since another share within the interval would change it."""
    interval = ShareRange(lowest=cell.lowest, highest=cell.highest)
    return _open(decision, Explanation(cause=Cause.UNCERTAIN_SHARE, details=interval))


def left_open(decision: Decision, cause: Cause) -> Decision:
    """Return no verdict for a cause, with the same figures."""
    return _open(decision, replace(decision.verdict.explanation, cause=cause))


def _open(decision: Decision, explanation: Explanation) -> Decision:
    verdict = replace(decision.verdict, verdict=Verdict.NO_VERDICT, explanation=explanation)
    return replace(decision, verdict=verdict)
