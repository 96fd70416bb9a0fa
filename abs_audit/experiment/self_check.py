"""Proof that the self-check works on this subject and this machine before any verdict counts.

A gross slowdown must be detected, and a zero slowdown must not: a self-check that cannot fail proves nothing.
"""

from dataclasses import replace
from itertools import cycle, islice

from abs_audit.advising import advised
from abs_audit.errors import UnfitEnvironmentError
from abs_audit.experiment import protocol
from abs_audit.experiment.asking import Injection, pairs_of
from abs_audit.experiment.cell_profiles import CellProfiles
from abs_audit.experiment.detection import Decision
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.pairs import Design, settle
from abs_audit.experiment.share import Share
from abs_audit.model.explanation import Cause, RunsMissing
from abs_audit.model.verdict import Verdict
from abs_audit.wording import slower

GROSS = 4.0
"""The mutant of the proof takes five times its time: no set-up may overlook that..."""
SHOWS = 0.25
"""...of a method with this share; one with less is slowed by more, or noise would hide it."""
SERVES = 0.7
"""Share from which on a cell is as good for the proof as one with a larger share."""
TRIES = 3
"""At a cell: one may be disturbed, three are not by chance."""
CHEAP = 2.0
"""Multiple of the cheapest cell's time up to which the one with the largest share is taken."""


def prove(harness: Harness, profiles: CellProfiles, spec: Injection) -> Share | None:
    """Return the cheap cell that the self-check holds on; raise UnfitEnvironmentError where it holds on none.

    None where no cell has a share of its benchmark's time, by the best estimate: then no delay can be sized,
    and there is nothing to prove. Where there are fewer cells than tries, they are tried again.
    """
    complaint = ""
    for number, share in enumerate(islice(cycle(_serving(profiles)), TRIES), start=1):
        complaint = _failure(harness, profiles, share, replace(spec, name=f"self-check {number}"))
        if not complaint:
            return share
    if complaint:
        raise UnfitEnvironmentError(complaint)
    return None


def _serving(profiles: CellProfiles) -> list[Share]:
    """Return the cells that prove as much as any, those that cost little first.

    Slowed fivefold, a dear one takes longer than most scores.
    """
    sized = [share for share in profiles.shares.values() if share.share > 0]
    largest = max((share.share for share in sized), default=0.0)
    serving = [share for share in sized if share.share >= min(SERVES, largest)]
    plans = profiles.calibration.iteration_plans
    least_s = min((plans[share.benchmark].wall_s for share in serving), default=0.0)

    def cost(share: Share) -> tuple[bool, float, float]:
        wall_s = plans[share.benchmark].wall_s
        dear = wall_s > CHEAP * least_s
        return dear, wall_s if dear else 0.0, -share.share

    return sorted(serving, key=cost)


def _failure(harness: Harness, profiles: CellProfiles, share: Share, spec: Injection) -> str:
    """Return why the self-check fails on a cell, or an empty text."""
    plans = profiles.calibration.iteration_plans
    slowdown = GROSS * max(1.0, SHOWS / share.share)
    gross_spec = replace(spec, slowdown=slowdown, threshold=share.share * slowdown / 2)
    (slowed,) = pairs_of(profiles, [share], gross_spec)
    unslowed = replace(
        slowed,
        cell=replace(slowed.cell, threshold=spec.threshold),
        control=replace(slowed.control, label="control, A"),
        mutant=replace(slowed.control, label="control, again"),
    )
    # Whatever a loaded machine adds to it: five times as slow must show, and in one run.
    design = Design(name=spec.name, seed=spec.seed, judged=False, runs=1)
    (_, gross), (_, zero) = settle(harness, plans, [slowed, unslowed], replace(design, looks=protocol.LOOKS))
    if _noticed(zero):
        # As any other yes it has to be said twice.
        twice = replace(design, name=f"{spec.name} of an alarm", runs=protocol.RUNS)
        ((_, zero),) = settle(harness, plans, [unslowed], twice)
    where = f"{share.method} in {share.benchmark} (share {share.share:.2f})"
    if gross.verdict.cause is Cause.OVER_INJECTED:
        # A loaded machine made it slower still: nothing was overlooked, and cells judge their own doses.
        return ""
    if not _noticed(gross):
        # Noise may hide even that for longer.
        ((_, gross),) = settle(harness, plans, [slowed], design)
    if not _noticed(gross):
        return (
            f"the self-check failed: {where} was made {slower(slowdown)} and no benchmark "
            f"noticed ({gross.verdict.reason}); see this machine's noise with: {advised('doctor')}"
        )
    if zero.verdict.verdict is Verdict.DETECTED:
        return (
            f"this machine is too noisy for a verdict: {where} was compared with itself and seemed slower; "
            f"see {advised('doctor')}, or measure with fewer things running"
        )
    return ""


def _noticed(decision: Decision) -> bool:
    """Tell whether the only run says yes."""
    return isinstance(decision.verdict.explanation.details, RunsMissing)
