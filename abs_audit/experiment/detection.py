"""Does one benchmark notice one slowdown? The decision for a cell.

Two rules answer it for one run. `full` is the published one (Laaber & Leitner 2018, §6.2). `look` asks
after 5, 10 and 20 repetitions and stops where the answer is already clear; it is calibrated by
simulation (benchmarks/early_looks.py), it carries no guarantee. Either way a cell is detected only if
two runs say yes, so the second run is made only after a yes of the first: that never changes an answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from abs_audit.model.explanation import Cause, Difference, Explanation, RunsMissing, TooFew
from abs_audit.model.verdict import CellVerdict, Verdict
from abs_audit.stats import effect, rank_sum, ratios

ALPHA = 0.01
"""A run says yes only below this p."""
RUNS = 2
"""Runs that must both say yes."""
LOOKS = (5, 10, 20)
"""Repetitions after which `look` may answer; at the last it always does."""
FURTHER = (40, 80)
"""Repetitions up to which a run may go on where the last look's answer is one of chance."""
CLEAR = 0.02
"""An early answer must reject, at this p, that the difference is the threshold itself."""
CLEAR_NO = 0.6
"""Share of the threshold up to which a difference is clearly too small."""
CLEAR_YES = 1.2
"""Multiple of the threshold from which a difference is clearly large enough."""


class Answer(StrEnum):
    """What one run says."""

    YES = "yes"
    NO = "no"
    CONTINUE = "continue"
    """Not clear yet: measure more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The values of one run; control and mutant of the SAME run are compared, nothing is pooled."""

    control: Sequence[float]
    mutant: Sequence[float]

    @property
    def repetitions(self) -> int:
        """Values on the shorter side."""
        return min(len(self.control), len(self.mutant))


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One run in numbers."""

    p: float
    mean: float
    """Relative difference of the means; positive: the mutant is slower."""
    median: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The question: one benchmark, one slowed method."""

    method: str
    benchmark: str
    share: float | None
    requested: float
    """The slowdown that was injected: extra time ÷ own time of the method."""
    threshold: float
    """Relative difference of the benchmark that counts as noticed: half of the suite's δ."""
    share_low: float | None = None
    """The least that the share may be; None: it is known exactly."""
    share_high: float | None = None
    """The most that it may be."""

    @property
    def lowest(self) -> float:
        """Return the least that the share may be, 0 where none is known."""
        return (self.share or 0.0) if self.share_low is None else self.share_low

    @property
    def highest(self) -> float:
        """Return the most that the share may be."""
        return (self.share or 0.0) if self.share_high is None else self.share_high


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The verdict, and what the same rule on medians would have said."""

    verdict: CellVerdict
    by_median: bool | None
    """None: no verdict, or the runs made do not answer it."""
    doses: tuple[float, ...] = ()
    """Realised ÷ requested slowdown, one a run; empty where it is not known."""
    by_chance: bool = False
    """Whether it is missed for a run that leaves open on which side of the threshold the difference lies."""


Rule = Callable[[Run, float], Answer]
"""Run and threshold → answer: `full` or `look`."""


def compare(run: Run) -> Comparison:
    """Return p and both relative differences of one run. An empty side raises ValueError."""
    return Comparison(
        p=rank_sum.p_value(run.mutant, run.control),
        mean=effect.mean_difference(run.control, run.mutant),
        median=effect.median_difference(run.control, run.mutant),
    )


def full(run: Run, threshold: float) -> Answer:
    """Return the paper's answer: yes if p < .01 and the difference of means is at least the threshold.

    Laaber & Leitner 2018, §6.2, Eq. 2 (threshold = δ/2). Where so few values cannot reach p < .01
    (4 + 4), the answer is to continue, never no.
    """
    if not rank_sum.attainable(len(run.control), len(run.mutant), ALPHA):
        return Answer.CONTINUE
    comparison = compare(run)
    return Answer.YES if comparison.p < ALPHA and comparison.mean >= threshold else Answer.NO


def look(run: Run, threshold: float) -> Answer:
    """Return an early answer after 5 or 10 repetitions where it is clear, the paper's one after 20.

    Clear is what three witnesses agree on: the mean and the median, for one outlier of a millisecond
    moves a mean of 5 but never their median; and a t-test of the ratios of both arms, repetition by
    repetition, so that a noisy cell waits where a quiet one need not. Arms of a repetition meet the
    same moment, or the same fork, and what they share is no noise of their difference.
    An early yes must also pass the paper's own p < .01 (exact for 5 + 5: complete separation).
    """
    if run.repetitions >= LOOKS[-1]:
        return full(run, threshold)
    if run.repetitions < LOOKS[0]:
        return Answer.CONTINUE
    comparison, side = compare(run), certain_side(run, threshold)
    if side < 0 and max(comparison.mean, comparison.median) <= CLEAR_NO * threshold:
        return Answer.NO
    if side > 0 and comparison.p < ALPHA and min(comparison.mean, comparison.median) >= CLEAR_YES * threshold:
        return Answer.YES
    return Answer.CONTINUE


def at_the_border(run: Run, threshold: float) -> bool:
    """Tell whether chance decides a full run: another one of as many repetitions might answer otherwise.

    Its noise leaves open on which side of the threshold the difference lies, or what repetitions have in
    common hides a difference that their ratios show.
    """
    side = certain_side(run, threshold)
    return side == 0 or (side > 0) != (full(run, threshold) is Answer.YES)


def certain_side(run: Run, threshold: float) -> int:
    """Return on which side of the threshold the difference surely lies, 1 or -1; 0: noise leaves it open."""
    control, mutant = run.control[: run.repetitions], run.mutant[: run.repetitions]
    return ratios.certain_side(control, mutant, 1 + threshold, CLEAR)


def decide(cell: Cell, runs: Sequence[Run], rule: Rule) -> Decision:
    """Return the verdict on one cell from its runs in the order they were made.

    Detected: every one of two runs says yes. Missed: one says no. Anything else (no run, too few
    repetitions, a second run that was not made) is no verdict, never a pass.
    """
    answers = [rule(run, cell.threshold) for run in runs[:RUNS]]
    comparisons = [compare(run) for run in runs[:RUNS] if run.repetitions]
    if Answer.NO in answers:
        verdict, explanation = Verdict.MISSED, _missed(cell, comparisons)
    elif answers.count(Answer.YES) == RUNS:
        verdict, explanation = Verdict.DETECTED, Explanation(cause=Cause.NOTICED)
    else:
        verdict, explanation = Verdict.NO_VERDICT, _open(answers, runs)
    return Decision(
        verdict=CellVerdict(
            method=cell.method,
            benchmark=cell.benchmark,
            verdict=verdict,
            explanation=explanation,
            share=cell.share,
            requested=cell.requested,
            realised=realised(cell, runs),
            difference_mean=min((comparison.mean for comparison in comparisons), default=None),
            difference_median=min((comparison.median for comparison in comparisons), default=None),
            p_values=tuple(comparison.p for comparison in comparisons),
            repetitions=tuple(run.repetitions for run in runs[:RUNS]),
        ),
        by_median=None if verdict is Verdict.NO_VERDICT else _by_median(comparisons, cell.threshold),
        doses=_doses(cell, runs),
        by_chance=any(
            answer is Answer.NO and at_the_border(run, cell.threshold)
            for answer, run in zip(answers, runs, strict=False)
        ),
    )


def _open(answers: Sequence[Answer], runs: Sequence[Run]) -> Explanation:
    """Return which run keeps a cell from having a verdict."""
    if Answer.CONTINUE not in answers:
        return Explanation(cause=Cause.NOT_RUN, details=RunsMissing(made=len(answers), needed=RUNS))
    index = answers.index(Answer.CONTINUE)
    run = runs[index]
    attainable = rank_sum.attainable(len(run.control), len(run.mutant), ALPHA)
    return Explanation(
        cause=Cause.TOO_FEW_REPETITIONS,
        details=TooFew(
            run=index + 1,
            repetitions=run.repetitions,
            smallest_p=None if attainable else rank_sum.smallest(len(run.control), len(run.mutant)),
        ),
    )


def _missed(cell: Cell, comparisons: Sequence[Comparison]) -> Explanation:
    """Return which condition failed, in the run where the difference is smaller."""
    least = min(comparison.mean for comparison in comparisons)
    return Explanation(
        cause=Cause.DIFFERENCE_TOO_SMALL if least < cell.threshold else Cause.NOT_SIGNIFICANT,
        details=Difference(
            difference=least,
            threshold=cell.threshold,
            largest_p=max(comparison.p for comparison in comparisons),
        ),
    )


def realised(cell: Cell, runs: Sequence[Run]) -> float | None:
    """Return the slowdown of the method that the runs show; None without its share or without values."""
    control = [value for run in runs[:RUNS] for value in run.control[: run.repetitions]]
    mutant = [value for run in runs[:RUNS] for value in run.mutant[: run.repetitions]]
    return effect.typical_difference(control, mutant) / cell.share if control and cell.share else None


def _doses(cell: Cell, runs: Sequence[Run]) -> tuple[float, ...]:
    slowdowns = [realised(cell, [run]) for run in runs[:RUNS]]
    if not cell.requested:
        return ()
    return tuple(slowdown / cell.requested for slowdown in slowdowns if slowdown is not None)


def _by_median(comparisons: Sequence[Comparison], threshold: float) -> bool | None:
    answers = [comparison.p < ALPHA and comparison.median >= threshold for comparison in comparisons]
    if not all(answers):
        return False
    return True if len(answers) == RUNS else None
