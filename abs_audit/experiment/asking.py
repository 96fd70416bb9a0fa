"""What is asked: which cells, what is injected into them, and the pairs of arms that answer it."""

from collections.abc import Sequence
from dataclasses import dataclass

from abs_audit.experiment.arms import arms_of_group
from abs_audit.experiment.cell_profiles import CellProfiles
from abs_audit.experiment.detection import Cell
from abs_audit.experiment.pair_evidence import Pair
from abs_audit.experiment.share import Share
from abs_audit.grouping import grouped


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """What is asked of every cell."""

    slowdown: float
    threshold: float
    """Relative difference that counts as noticed; δ/2 in a score."""
    delay_batch_ns: float
    floor_ns: float
    seed: int
    name: str
    """Begins the ids of the blocks."""
    settle_all: bool
    """True: every cell. False: of each method the best cells only, until one detects it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """The cells in question: every method with every benchmark."""

    methods: Sequence[str]
    benchmarks: Sequence[str]


def pairs_of(profiles: CellProfiles, shares: Sequence[Share], spec: Injection) -> list[Pair]:
    """Return control and mutant of reached cells; the cells of a benchmark have one control."""
    pairs = []
    for benchmark, group in grouped((share.benchmark, share) for share in shares).items():
        invocations = profiles.calibration.iteration_plans[benchmark].invocations
        for control, mutants in arms_of_group(group, spec.slowdown, invocations, spec.delay_batch_ns):
            pairs += [
                Pair(
                    cell=cell_of(share, spec),
                    control=control,
                    mutant=mutants[share.method],
                    plain_s=share.plain_s,
                )
                for share in group
                if share.method in mutants
            ]
    return pairs


def cell_of(share: Share, spec: Injection) -> Cell:
    """Return the question that an injection asks of a cell."""
    return Cell(
        method=share.method,
        benchmark=share.benchmark,
        share=share.share,
        requested=spec.slowdown,
        threshold=spec.threshold,
        share_low=share.low,
        share_high=share.high,
    )
