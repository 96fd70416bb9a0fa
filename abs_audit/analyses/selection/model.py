"""Which benchmarks should CI execute under a time budget?"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from abs_audit.advising import advised
from abs_audit.analyses import coverage
from abs_audit.errors import UsageError
from abs_audit.model.cells import Cells
from abs_audit.model.verdict import Verdict
from abs_audit.stats import cover
from abs_audit.wording import count, percent, some


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Answer to: which subset keeps most of the score within the budget?"""

    budget_s: float
    chosen: tuple[str, ...]
    duration_s: float
    score_kept: float
    """ABS of the subset, 0..1."""
    score_full: float
    lost: tuple[str, ...]
    """Methods that the whole suite notices and the subset does not."""
    greedy_score: float
    """What the greedy choice alone would keep, 0..1."""
    gap: float
    """(upper bound − value) ÷ upper bound of the exact solver; 0 when proven optimal."""
    optimal: bool
    warnings: tuple[str, ...]
    undecided: int = 0
    """Methods without a verdict: of these nobody knows which benchmarks notice them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """What a subset is chosen from."""

    methods: tuple[str, ...]
    """All methods asked about, detected or not: the denominator of the score."""
    cells: Cells
    durations: Mapping[str, float]
    """Benchmark → seconds of one run of it; one without a duration cannot be chosen."""
    weights: Mapping[str, float]
    """Method → importance, for instance its traced calls; one without counts as the least of them."""
    wholes: frozenset[str] = frozenset()
    """Benchmarks that are chosen with all their parts or not at all: some of these break down alone."""
    undecided: frozenset[str] = frozenset()
    """Methods without a verdict. A benchmark that fails leaves cells open, but no method."""
    unsteady: Mapping[str, float] = field(default_factory=dict)
    """Benchmark → maxSpread of those that vary by more than half the slowdown between unslowed runs."""

    def joined(self) -> "Candidates":
        """Return the detected cells of these, with the parts of each such benchmark as one."""
        names = self.durations.keys() | self.cells.benchmarks
        whole_of = {part: whole for whole in self.wholes for part in names if part.startswith(f"{whole}/")}
        durations: dict[str, float] = defaultdict(float)
        for name, duration_s in self.durations.items():
            durations[whole_of.get(name, name)] += duration_s
        detected = (cell for cell in self.cells.listed if cell.verdict is Verdict.DETECTED)
        cells = (replace(cell, benchmark=whole_of.get(cell.benchmark, cell.benchmark)) for cell in detected)
        unsteady = {whole_of.get(name, name): spread for name, spread in self.unsteady.items()}
        return replace(self, cells=Cells.of(cells), durations=durations, unsteady=unsteady)


def select(candidates: Candidates, budget_s: float, limit_s: float = 60.0) -> Selection:
    """Return the benchmarks that keep most of the (weighted) score within the budget.

    The greedy choice first, then the exact one (integer program) for at most `limit_s` seconds; `gap`
    and `optimal` are about the weighted sum, the scores are plain shares of the methods. Nothing to
    choose from (no detection, a budget of 0): an empty subset and a warning. A budget that is negative or
    not a number, or no method at all, is an error.
    """
    if not budget_s >= 0:
        raise UsageError(f"expected a budget of at least 0 s, found {budget_s}; try --budget 60s")
    if not candidates.methods:
        raise UsageError(f"expected at least 1 method, found none; run `{advised('score')}` first")
    # What only a benchmark that fails has noticed may be open elsewhere, and counts as noticed here.
    undecided = candidates.undecided - candidates.cells.noticed
    candidates = candidates.joined()
    usable = candidates.cells.within(benchmarks=candidates.durations)
    part = coverage.whole(coverage.graph(candidates.methods, usable))
    cost = coverage.costs(part.benchmarks, candidates.durations)
    least = min(candidates.weights.values(), default=1.0)
    weights = np.array([candidates.weights.get(method, least) for method in part.methods])
    quick = cover.greedy(part.watches, cost, weights, budget_s)
    best = cover.most_weight(part.watches, cost, weights, budget_s, limit_s)
    kept = cover.covered(part.watches, best.rows)
    chosen = tuple(part.benchmarks[row] for row in best.rows)
    detected = candidates.cells.noticed
    count = len(set(candidates.methods))
    gap = (best.bound - best.value) / best.bound if best.bound else 0.0
    return Selection(
        budget_s=budget_s,
        chosen=chosen,
        duration_s=float(cost[best.rows].sum()),
        score_kept=int(kept.sum()) / count,
        score_full=len(detected) / count,
        lost=tuple(sorted(detected - {part.methods[column] for column in kept.nonzero()[0]})),
        greedy_score=int(cover.covered(part.watches, quick).sum()) / count,
        gap=0.0 if gap < cover.PROVEN else gap,
        optimal=gap < cover.PROVEN,
        undecided=len(undecided),
        warnings=(
            *_open(undecided, detected),
            *_warnings(candidates, budget_s, gap),
            *_unsteady(candidates.unsteady, chosen),
        ),
    )


def _open(undecided: Collection[str], detected: Collection[str]) -> Iterator[str]:
    if undecided:
        yield (
            f"{count(undecided, 'method')} without a verdict may be noticed by benchmarks that are not "
            f"chosen: score to the end first, the same `{advised('score')}` goes on"
        )
    elif not detected:
        yield f"no benchmark notices any method, so no subset keeps anything; see `{advised('stubs')}`"


def _unsteady(spreads: Mapping[str, float], chosen: Sequence[str]) -> Iterator[str]:
    told = [f"{name} ({percent(spreads[name])})" for name in chosen if name in spreads]
    if told:
        yield (
            f"of {count(told, 'chosen benchmark')} unslowed runs differ by more than half the slowdown, so "
            f"that a single one proves little: {some(told)}"
        )


def _warnings(candidates: Candidates, budget_s: float, gap: float) -> Iterator[str]:
    detecting = candidates.cells.benchmarks
    unknown = sorted(detecting - candidates.durations.keys())
    if unknown:
        yield f"{len(unknown)} benchmarks of unknown duration were not considered: {', '.join(unknown)}"
    durations = {name: candidates.durations[name] for name in detecting & candidates.durations.keys()}
    long = sorted(name for name, seconds in durations.items() if seconds > budget_s)
    if durations and len(long) == len(durations):
        shortest = min(durations.values())
        yield f"the shortest benchmark that notices anything takes {shortest:.3g} s: raise the budget"
    elif long:
        yield f"{len(long)} benchmarks take longer than the budget by themselves: {', '.join(long)}"
    if gap >= cover.PROVEN:
        yield f"the time limit ended the search: at least {1 - gap:.3f} of the optimum, not proven optimal"
