"""What a trial proves of a method, and the verdict where nothing was measured."""

from abs_audit.experiment import dose
from abs_audit.experiment.detection import Cell
from abs_audit.experiment.harness import Harness
from abs_audit.model.experiment import Arm
from abs_audit.model.explanation import Cause, Explanation, Injected, NoTally, TallyGap, TrialEnded
from abs_audit.model.measurement import Status, Trial
from abs_audit.model.verdict import CellVerdict, Verdict


def why_no_evidence(harness: Harness, trial: Trial, arm: Arm, method: str) -> Explanation | None:
    """Return why a trial says nothing of a method; None where it counts.

    Other methods whose probes are active need not be entered: one may be called now and then only.
    """
    if trial.status is not Status.OK:
        cause = Cause.TIMED_OUT if trial.status is Status.TIMED_OUT else Cause.FAILED
        return Explanation(cause=cause, details=TrialEnded(said=trial.reason or trial.status, arm=arm.label))
    gap = _tally_gap(harness, trial, method)
    if gap is not None:
        return Explanation(cause=Cause.NO_TALLY, details=NoTally(gap=gap, probed=method, tally_of=arm.label))
    assert trial.tally is not None
    counted = trial.tally.methods[method]
    requested_s = dose.requested_s(counted, arm)
    fault = dose.tallied(counted.injected_s, requested_s) if arm.slowed == method else None
    if fault is not None:
        return Explanation(
            cause=fault, details=Injected(injected_s=counted.injected_s, requested_s=requested_s)
        )
    return None


def _tally_gap(harness: Harness, trial: Trial, method: str) -> TallyGap | None:
    """Return what keeps a tally from being the proof that a probe was there."""
    if trial.tally is None:
        return TallyGap.LOST
    if trial.tally.build_id != harness.build_id:
        return TallyGap.OTHER_BUILD
    counted = trial.tally.methods.get(method)
    return TallyGap.NEVER_ENTERED if counted is None or counted.calls == 0 else None


def unmeasured(cell: Cell, explanation: Explanation) -> CellVerdict:
    """Return that a cell has no verdict, for it has no measured difference."""
    return CellVerdict(
        method=cell.method,
        benchmark=cell.benchmark,
        verdict=Verdict.NO_VERDICT,
        explanation=explanation,
        share=cell.share,
        share_interval=(cell.lowest, cell.highest),
        requested=cell.requested,
    )
