"""Which arms show a method slowed down? Controls and their mutants, and how many calls a delay is for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

from abs_audit.experiment.share import Share
from abs_audit.model.experiment import Arm, Mode

LEAST_DELAY_BATCHES = 20
"""In an iteration: more would be dearer, fewer would make the delay depend on the moment."""
WATCHED_S = 1e-5
"""A benchmark of which an invocation takes as long may work until a clock says that it is enough..."""
OVERRUN = 0.4
"""...and goes on for one delay batch at most: so much of what would be noticed..."""
LEAST_DELAY_BATCH_NS = 10_000.0
"""...or this, as smaller ones would not be large against what they cost besides."""


def largest_batch(invocations: int, calls: float) -> int:
    """Return the calls that may be delayed at once, of so many an invocation in an iteration of so many."""
    return max(1, round(invocations * calls / LEAST_DELAY_BATCHES))


def arms_of_group(
    shares: Sequence[Share], slowdown: float, invocations: int, delay_batch_ns: float
) -> list[tuple[Arm, dict[str, Arm]]]:
    """Return controls, each with its mutants by method: of the shares of one benchmark, as few as serve all.

    The probes of all methods of a control are active in its mutants, too, so that each differs from it by
    one delay alone; so are those of their companions. Methods that no batch suits in common have controls
    of their own.
    """
    control_s = median(share.control_s for share in shares)
    # Rounds of one share may have met a faster processor than those of another.
    delays_ns = {share.method: share.delay_ns(slowdown) * control_s / share.control_s for share in shares}
    batch_ns = delay_batch_ns
    if control_s >= WATCHED_S:
        batch_ns = min(batch_ns, max(LEAST_DELAY_BATCH_NS, 1e9 * OVERRUN * slowdown / 2 * control_s))
    batches = {}
    for share in shares:
        delay_ns = delays_ns[share.method]
        worth = batch_ns / delay_ns if delay_ns else float("inf")
        most = largest_batch(invocations, share.calls)
        batches[share.method] = (max(1, round(min(worth, most))), most)
    companions = frozenset[str]().union(*(share.companions for share in shares))
    arms = []
    for methods, batch in _common(batches):
        active = tuple(sorted(companions.union(methods)))
        control = Arm(mode=Mode.CONTROL, methods=active, batch=batch, label="control", control_s=control_s)
        label = f"mutant {slowdown:g}"
        mutants = {
            method: replace(control, mode=Mode.DELAY, slowed=method, delay_ns=delays_ns[method], label=label)
            for method in methods
        }
        arms.append((control, mutants))
    return arms


def _common(batches: Mapping[str, tuple[int, int]]) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield methods and the smallest batch that lies between least and most of each of them."""
    rest = sorted(batches, key=lambda method: (batches[method][1], method))
    while rest:
        most = batches[rest[0]][1]
        methods = tuple(method for method in rest if batches[method][0] <= most)
        yield methods, max(batches[method][0] for method in methods)
        rest = [method for method in rest if method not in methods]
