"""Shares of short calls, by what interrupts the benchmark now and then and looks at its stack.

Reading a clock takes longer than such a call, and keeps the processor from doing at the same time what it
else would do. Looking at one of millions of invocations disturbs none; but there are only some hundred
looks a second, so it is done where the clock left open on which side of the border a share lies.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from abs_audit.experiment.harness import Harness
from abs_audit.experiment.iteration_plan import IterationPlan
from abs_audit.experiment.schedule import shuffled
from abs_audit.experiment.share import Share
from abs_audit.experiment.watch import BudgetEndedError
from abs_audit.grouping import grouped
from abs_audit.languages.language import Language
from abs_audit.model.experiment import Arm, Block, BlockKind, Mode
from abs_audit.model.measurement import Status, Trial
from abs_audit.stats.intervals import wilson

Cells = Mapping[tuple[str, str], Share]

SHORT_S = 2e-7
"""A call that takes longer is told well by a clock."""
FORKS = 2
"""Forks at least, where compilers make something else of each."""
FEWEST = 30
"""Looks that say anything."""
SKID_S = 6e-9
"""A processor works at several calls at once: so much of the time between two calls may be another's than
what a look finds..."""
MOST_SKID = 0.2
"""...but no more of it than this."""
LEAST_ERROR = 0.05
"""What a share may be off by however long a call is."""
STRAYED = 0.05
"""Part of the stacks that may be of goroutines which set-up had started, or which the method waits for."""
WIDE = 1.5
"""Multiple of what looks cannot mend, from which on an interval is worth narrowing."""
BUSY = 0.8
"""Part of the benchmark's time from which on its processor was at it, and nobody waited for anything."""


def samplable(share: Share) -> bool:
    """Tell whether looks at the stack tell a share better than a clock, and something depends on it."""
    call_s = share.share * share.control_s / share.calls
    return share.open and share.threads == 1.0 and (0 < call_s < SHORT_S or share.unread > 0)


def sample_shares(
    harness: Harness, cells: Cells, plans: Mapping[str, IterationPlan], seed: int
) -> dict[tuple[str, str], Share]:
    """Return the shares of short calls that are open, told anew; (method, benchmark) → share."""
    told: dict[tuple[str, str], Share] = {}
    trials: dict[str, list[Trial]] = defaultdict(list)
    alike = harness.language.forks_alike
    open_shares = (share for share in cells.values() if samplable(share))
    pending = sorted(open_shares, key=lambda share: (share.benchmark, share.method))
    for number, duration_s in enumerate(harness.language.looks_s):
        if not pending:
            break
        blocks = [
            _block(harness, plans[benchmark], shares, duration_s, f"sampled/{seed}/{number}/{benchmark}")
            for benchmark, shares in grouped((share.benchmark, share) for share in pending).items()
        ]
        try:
            made = harness.perform(shuffled(blocks, seed, "sampled", number), "sampling stacks")
        except BudgetEndedError:
            break
        for block in blocks:
            trials[block.benchmark].extend(made[block.id])
        sampled = {
            share: of_samples(share, trials[share.benchmark], alike, _body(harness, share))
            for share in pending
        }
        told |= {(share.method, share.benchmark): looked for share, looked in sampled.items() if looked}
        # More looks tell those better.
        pending = [
            share
            for share, looked in sampled.items()
            if looked
            and ((number + 1 < FORKS and not alike) or _is_worth_more(looked, trials[share.benchmark]))
        ]
    return told


def _block(
    harness: Harness, plan: IterationPlan, shares: Sequence[Share], duration_s: float, name: str
) -> Block:
    bodies = dict.fromkeys(_body(harness, share) for share in shares)
    arm = Arm(mode=Mode.SAMPLE, methods=tuple(bodies), label="sample")
    longer = looking(plan, duration_s, harness.language)
    return replace(longer.block(harness, name, [arm]), kind=BlockKind.SHARES)


def looking(plan: IterationPlan, duration_s: float, language: Language) -> IterationPlan:
    """Return an iteration that is timed for so many seconds, during which stacks are looked at."""
    # Where forks are alike all that is no start of theirs may be set-up, which each invocation may have.
    each_s = plan.inside_s / plan.invocations if language.forks_alike else plan.once_s
    return plan.of(max(1, round(plan.invocations * duration_s / plan.iteration_s)), each_s)


def _body(harness: Harness, share: Share) -> str:
    """Return the method under whose name a share's calls are on the stack."""
    return harness.bodies.get(share.method, share.method)


def _is_worth_more(share: Share, trials: Sequence[Trial]) -> bool:
    """Tell whether further looks would tell a share better, and something depends on it."""
    looks, collecting = _looks(trials)
    kept = sum(_errors(share, share.share)) + collecting / (looks + collecting)
    return samplable(share) and (share.high or 1) - (share.low or 0) > WIDE * kept


def _looks(trials: Sequence[Trial]) -> tuple[int, int]:
    """Return how often stacks were looked at in the timed region, and how often garbage was collected."""
    tallies = [trial.tally for trial in trials if trial.tally is not None]
    return sum(tally.samples for tally in tallies), sum(tally.samples_collecting for tally in tallies)


def of_samples(
    share: Share, trials: Sequence[Trial], alike: bool = True, body: str | None = None
) -> Share | None:
    """Return the share that the stacks of some trials tell; None where they say too little.

    `body`: the method that they hold for it, where that is another.

    What a benchmark waits for takes no processor, so where its processor time is less than the time it takes
    undisturbed, in these very trials or without probes, the share may be smaller by as much. Where forks are
    not `alike`, methods are not inlined, so that they can be found: what that adds may be in them or not.
    """
    tallies = [trial.tally for trial in trials if trial.status is Status.OK and trial.tally is not None]
    name = body or share.method
    of_method = [tally.methods[name] for tally in tallies if name in tally.methods]
    looks, collecting = _looks(trials)
    outside = sum(entry.samples_outside for entry in of_method)
    if len(of_method) < len(trials) or looks < FEWEST or outside > STRAYED * looks:
        return None
    inside = sum(entry.samples for entry in of_method)
    undisturbed_s = sum(trial.invocations * min(*share.off_s, *trial.values) for trial in trials)
    looked_s = sum((tally.samples + tally.samples_collecting) * tally.sample_s for tally in tallies)
    busy = looked_s / undisturbed_s
    # Whether what collects garbage interrupts calls or what lies between them is not known.
    low, _ = wilson(inside, looks + collecting)
    _, high = wilson(inside + collecting, looks + collecting)
    low *= 1.0 if busy >= BUSY else busy
    if not alike:
        of_forks = [tally.methods[name].samples / tally.samples for tally in tallies if tally.samples]
        low, high = min(low, *of_forks), max(high, *of_forks)
        low, high = 1.0 - max(1.0, busy) * (1.0 - low), max(1.0, busy) * high
    below, above = _errors(share, inside / looks)
    low, high = max(0.0, low - below), min(1.0, high + above)
    return replace(share, share=inside / looks, low=low, high=high, lowest=low, highest=high)


def _errors(share: Share, part: float) -> tuple[float, float]:
    """Return by how much less and more a share may be, however often its benchmark is looked at.

    `part`: of all looks, those inside. What is done at the same time as something else is at most as much as
    what is found of it.
    """
    skid = min(MOST_SKID, SKID_S * share.calls / min(share.off_s))
    return LEAST_ERROR + min(skid, 1.0 - part), LEAST_ERROR + min(skid, part)
