"""Is a benchmark with probes in it still the same program? The probe effect.

A probe may keep a compiler from inlining a method, and what the method makes from staying on the stack: then
a method that is nothing to the plain benchmark can be most of the probed one. Control and mutant still
differ by the delay alone, but the answer would be about a program that nobody runs.
"""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from abs_audit.analyses.stability.model import BenchmarkSpread
from abs_audit.experiment.cell_profiles import CellProfiles
from abs_audit.experiment.harness import Harness
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.preparation import Prepared
from abs_audit.experiment.protocol import NEEDED
from abs_audit.experiment.share import Share
from abs_audit.experiment.watch import BudgetEndedError
from abs_audit.model.cells import Cells
from abs_audit.model.experiment import UNPROBED
from abs_audit.model.explanation import Cause, Explanation, ProbeEffect
from abs_audit.model.verdict import CellVerdict, Verdict, noticed

NOTICEABLE = 0.25
"""Relative change of a benchmark's time by inert probes from which on, beyond its own maxSpread, shares are
looked at."""
ERROR = 0.2
"""Relative error of a share: a call of 47 of 57 ns was told as 55 to 57. What is left when a much larger time
is taken off it is wrong by a multiple."""
SHORT_S = 1e-7
"""Seconds of a call that a probe may make several times as long, as where it is not inlined any more."""
AGAIN = 10
"""Further times without active probes where they seem to have changed a benchmark."""


def plain_share(share: Share, plain: BenchmarkSpread) -> ProbeEffect:
    """Return what a share measured in the probed benchmark may be in the plain one.

    It is the lowest if all of the additional time is the method's, the highest if none of it is. Both the
    typical and the fastest times must have changed: one alone may be a moment of the machine's. Less than
    what is noticeable counts as no change.
    """
    slower = min(median(share.off_s) / median(plain.means), min(share.off_s) / min(plain.means))
    if plain.max_spread is None or slower <= 1 + NOTICEABLE + plain.max_spread:
        return ProbeEffect(slower=slower, lowest=share.share, highest=share.share)
    least, most = (share.share * slower * error for error in (1 - ERROR, 1 + ERROR))
    return ProbeEffect(slower=slower, lowest=max(0.0, least - (slower - 1)), highest=min(1.0, most))


def inert_again(
    harness: Harness,
    iteration_plans: Mapping[str, IterationPlan],
    shares: Mapping[tuple[str, str], Share],
    seed: int,
) -> dict[tuple[str, str], Share]:
    """Return shares by (method, benchmark), their benchmarks executed some more times with inert probes.

    A neighbour on the same processor may stay for seconds, so they are executed in turn; how things lie in
    memory lasts as long as a process, so each time has its own.
    """
    names = sorted({share.benchmark for share in shares.values()})
    blocks = [
        replace(
            iteration_plans[name].block(harness, f"inert/{seed}/{number}/{name}", [UNPROBED]),
            process=f"inert {number}",
        )
        for number in range(AGAIN)
        for name in names
    ]
    trials = harness.perform(blocks, "looking for effects of the probes")
    more: dict[str, list[float]] = {name: [] for name in names}
    for block in blocks:
        for trial in trials[block.id]:
            more[block.benchmark].extend(trial.values)
    return {
        cell: replace(share, off_s=(*share.off_s, *more[share.benchmark])) for cell, share in shares.items()
    }


def told_apart(
    shares: Mapping[tuple[str, str], Share], spreads: Sequence[BenchmarkSpread]
) -> tuple[dict[tuple[str, str], Share], dict[tuple[str, str], ProbeEffect]]:
    """Return the shares that hold for the plain benchmarks, too, and what the others may be there.

    Both by (method, benchmark), as `shares` are. `spreads`: of the benchmarks without probes; one that is
    not among them is not judged.
    """
    plain = {spread.benchmark: spread for spread in spreads if spread.means}
    effects = {
        cell: plain_share(share, plain[share.benchmark])
        for cell, share in shares.items()
        if share.benchmark in plain
    }
    doubtful = {cell: effect for cell, effect in effects.items() if effect.lowest < NEEDED <= effect.highest}
    return {cell: share for cell, share in shares.items() if cell not in doubtful}, doubtful


def believed(prepared: Prepared, profiles: CellProfiles, spreads: Sequence[BenchmarkSpread]) -> CellProfiles:
    """Return the profiles without the shares that hold for the probed benchmarks only.

    `spreads`: of the benchmarks as they are; of one that is not among them every share is believed.
    """
    shares, doubtful = told_apart(profiles.shares, spreads)
    if doubtful:
        # A moment of the machine's, perhaps: it takes seconds to make sure, if there are any.
        with contextlib.suppress(BudgetEndedError):
            again = inert_again(
                prepared.harness,
                profiles.calibration.iteration_plans,
                {cell: profiles.shares[cell] for cell in doubtful},
                prepared.project.settings.seed,
            )
            shares, doubtful = told_apart({**profiles.shares, **again}, spreads)
    return replace(profiles, shares=shares, doubtful=doubtful)


def deciding(cells: Cells, shares: Mapping[tuple[str, str], Share]) -> tuple[str, ...]:
    """Return benchmarks that have to be executed without probes, or methods are open: one for each of these.

    They are noticed by short calls alone.
    """
    detected = [cell for cell in cells.listed if cell.verdict is Verdict.DETECTED]
    long = noticed(cell for cell in detected if not _is_short(shares.get((cell.method, cell.benchmark))))
    first = {cell.method: cell.benchmark for cell in reversed(detected) if cell.method not in long}
    return tuple(dict.fromkeys(first.values()))


def reopened(
    cells: Cells, shares: Mapping[tuple[str, str], Share], spreads: Sequence[BenchmarkSpread], *, ended: bool
) -> Cells:
    """Return the cells; that a benchmark notices short calls may be due to their probes alone.

    `spreads`: of the benchmarks without probes, as far as they are known. Where a budget of time `ended`
    before one was executed like that, and where one scatters so much that what its probes do to it is not
    seen, it is open.
    """
    plain = {spread.benchmark: spread for spread in spreads if spread.means}
    causes = {
        cell: _unproven(share, plain.get(share.benchmark), ended=ended)
        for cell, share in shares.items()
        if _is_short(share)
    }
    detected = [cell for cell in cells.listed if cell.verdict is Verdict.DETECTED]
    opened = cells.overridden(
        _open(cell, cause) for cell in detected if (cause := causes.get((cell.method, cell.benchmark)))
    )
    of_lost = opened.within(methods=cells.noticed - opened.noticed)
    unasked = (cell for cell in of_lost if cell.cause is Cause.ANOTHER_BENCHMARK_NOTICES)
    return opened.overridden(_open(cell, Cause.BUDGET if ended else Cause.NOT_RUN) for cell in unasked)


def _is_short(share: Share | None) -> bool:
    return share is not None and share.share * share.control_s < SHORT_S * share.calls


def _unproven(share: Share, plain: BenchmarkSpread | None, *, ended: bool) -> Cause | None:
    """Return why the method may unseen be too little of the plain benchmark; None: it may not."""
    if plain is None:
        return Cause.BUDGET if ended else None
    unseen = plain.max_spread or 0.0
    lowest = 1 - (1 + unseen) * (1 - share.share)
    return Cause.NOISY if unseen > NOTICEABLE and lowest < NEEDED else None


def _open(cell: CellVerdict, cause: Cause) -> CellVerdict:
    explanation = Explanation(cause=cause)
    return replace(cell, verdict=Verdict.NO_VERDICT, explanation=explanation, below_floor=None)
