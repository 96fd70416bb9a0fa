"""Which cells are settled first? All at once without a budget of time, else the most telling ones first."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from abs_audit.experiment.calibration import IterationPlan
from abs_audit.experiment.profile import Share
from abs_audit.grouping import grouped

NEGLIGIBLE = 0.25
"""A benchmark asks for half of δ, thus for a share of about ½: below this no repetition could help."""
PART_OF_BUDGET = 0.1
"""Part of what a budget leaves that is settled together: what is not answered in time is lost with it."""
USUAL_REPETITIONS = 14
"""Repetitions of a cell in both runs, as a rule: 5 or 10 in each where the answer is clear."""
CONTROLS = 2
"""Arms beside the mutants of a benchmark: its control, and a second one against false alarms."""


def waves(shares: Sequence[Share], methods: Sequence[str], *, settle_all: bool) -> list[list[Share]]:
    """Order the cells worth measuring: all at once, or by rank of their share for their method.

    Within a wave the best cell of each method comes first, methods in the order in which they were given.
    """
    ranked = [
        sorted(
            (share for share in shares if share.method == method and share.highest >= NEGLIGIBLE),
            key=lambda share: -share.share,
        )
        for method in methods
    ]
    deepest = max(map(len, ranked), default=0)
    by_rank = [[of_method[rank] for of_method in ranked if rank < len(of_method)] for rank in range(deepest)]
    return [[share for wave in by_rank for share in wave]] if settle_all else by_rank


def portions(
    wave: Sequence[Share], plans: Mapping[str, IterationPlan], remaining_s: float | None
) -> Iterator[list[Share]]:
    """Yield the cells of a wave in portions that are settled to the end one after the other.

    Without a budget that is all of them: the more is interleaved, the less a moment of the machine's favours
    one. With one, portions are small; the cells of a benchmark stay together, they have a control in common.
    """
    if remaining_s is None:
        yield list(wave)
        return
    portion: list[Share] = []
    for group in grouped((share.benchmark, share) for share in wave).values():
        portion += group
        if expected_s(portion, plans) >= PART_OF_BUDGET * remaining_s:
            yield portion
            portion = []
    if portion:
        yield portion


def expected_s(shares: Sequence[Share], plans: Mapping[str, IterationPlan]) -> float:
    """Return about how long it takes to settle some cells, in seconds."""
    mutants = Counter(share.benchmark for share in shares)
    return sum(settling_s(plans[name], count) for name, count in mutants.items())


def settling_s(plan: IterationPlan, mutants: int) -> float:
    """Return about how long it takes to settle that many cells of one benchmark, in seconds."""
    return USUAL_REPETITIONS * (mutants + CONTROLS) * plan.wall_s
