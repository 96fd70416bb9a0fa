"""Proof that the rig works on this subject and this machine before any verdict counts.

A gross slowdown must be detected, and a zero slowdown must not: a rig that cannot fail proves nothing.
"""

from dataclasses import dataclass, replace

from abs_audit.analysis import detection
from abs_audit.errors import UnfitEnvironmentError
from abs_audit.experiment.lab import Lab
from abs_audit.experiment.pairs import Design, Pair, settle
from abs_audit.experiment.share import pair_of_arms
from abs_audit.experiment.survey import Survey
from abs_audit.experiment.switched import Injection, cell_of
from abs_audit.model.verdict import Verdict

GROSS = 4.0
"""The mutant of the proof takes five times its time: no set-up may overlook that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Which cell the rig was tried on."""

    method: str
    benchmark: str
    share: float


def prove(lab: Lab, surveyed: Survey, how: Injection) -> Proof | None:
    """Try the rig on the cell with the largest share; raise UnfitEnvironmentError where it fails.

    None where no cell is reached: then there is nothing to measure and nothing to prove.
    """
    share = max(surveyed.shares.values(), key=lambda one: one.share, default=None)
    if share is None:
        return None
    pace = surveyed.calibration.paces[share.benchmark]
    control, mutant = pair_of_arms(share, GROSS, pace.invocations, how.payment_ns)
    cell = replace(cell_of(share, how), requested=GROSS, threshold=share.share * GROSS / 2)
    pairs = [
        Pair(cell=cell, control=control, mutant=mutant, plain_s=share.plain_s),
        Pair(
            cell=replace(cell, threshold=how.threshold),
            control=replace(control, label="control, A"),
            mutant=replace(control, label="control, again"),
            plain_s=share.plain_s,
        ),
    ]
    design = Design(name="rig", seed=how.seed, rule=detection.look)
    (_, gross), (_, zero) = settle(lab, surveyed.calibration.paces, pairs, design)
    where = f"{share.method} in {share.benchmark} (share {share.share:.2f})"
    if gross.verdict.verdict is not Verdict.DETECTED:
        raise UnfitEnvironmentError(
            f"the rig does not work here: {where} was made {1 + GROSS:g} times as slow and no benchmark "
            f"noticed ({gross.verdict.reason}); see this machine's noise with: abs-audit doctor"
        )
    if zero.verdict.verdict is Verdict.DETECTED:
        raise UnfitEnvironmentError(
            f"this machine is too noisy for a verdict: {where} was compared with itself and seemed slower; "
            "see abs-audit doctor, or measure with fewer things running"
        )
    return Proof(method=share.method, benchmark=share.benchmark, share=share.share)
