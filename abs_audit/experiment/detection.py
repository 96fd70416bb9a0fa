"""Does one benchmark notice one slowdown? The decision for a cell.

Two rules answer it for one run. `full` is the published one (Laaber & Leitner 2018, §6.2). `look` asks
after 5, 10 and 20 repetitions and stops where the answer is already clear; it is calibrated by
simulation (benchmarks/early_looks.py), it carries no guarantee. Either way a cell is detected only if
two runs say yes, so the second run is made only after a yes of the first: that never changes an answer.
Where runs themselves scatter, more of them are made (`experiment.run_noise`), and their mean decides.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from abs_audit.experiment.protocol import ALPHA, CLEAR, CLEAR_NO, CLEAR_YES, LOOKS, RUNS
from abs_audit.model.explanation import Cause, Difference, Explanation, RunsMissing, TooFew
from abs_audit.model.verdict import CellVerdict, Verdict
from abs_audit.stats import effect, rank_sum


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
    share: float
    requested: float
    """The slowdown that was injected: extra time ÷ own time of the method."""
    threshold: float
    """Relative difference of the benchmark that counts as noticed: half of the suite's δ."""
    share_low: float | None = None
    """The least that the share may be; None: it is known exactly."""
    share_high: float | None = None
    """The most that it may be."""

    @property
    def expected(self) -> float:
        """Return the slowdown of the benchmark that the requested one makes."""
        return self.share * self.requested

    @property
    def lowest(self) -> float:
        """Return the least that the share may be."""
        return self.share if self.share_low is None else self.share_low

    @property
    def highest(self) -> float:
        """Return the most that the share may be."""
        return self.share if self.share_high is None else self.share_high

    @property
    def may_show(self) -> bool:
        """Whether the requested slowdown reaches the threshold if the share is the most that it may be."""
        return self.highest * self.requested >= self.threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The verdict, and how far it can be trusted."""

    verdict: CellVerdict
    doses: tuple[float, ...] = ()
    """Realised ÷ requested slowdown, one a run, of more than two one in all; empty where it is not known."""
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
    return effect.certain_side(control, mutant, 1 + threshold, CLEAR)


def decide(cell: Cell, runs: Sequence[Run], rule: Rule) -> Decision:
    """Return the verdict on one cell from its runs in the order they were made.

    Detected: both of two runs say yes. Missed: one says no. Of more runs (`experiment.run_noise` asks for
    them) the mean difference decides, and two must say yes. Anything else (no run, too few repetitions, a
    second run that was not made) is no verdict, never a pass.
    """
    answers = [rule(run, cell.threshold) for run in runs]
    comparisons = [compare(run) for run in runs if run.repetitions]
    mean = _shown([comparison.mean for comparison in comparisons])
    verdict = _verdict(answers, mean, cell.threshold)
    return Decision(
        verdict=CellVerdict(
            method=cell.method,
            benchmark=cell.benchmark,
            verdict=verdict,
            explanation=_explanation(cell, runs, answers, verdict),
            share=cell.share,
            share_interval=(cell.lowest, cell.highest),
            requested=cell.requested,
            realised=realised(cell, runs),
            difference_mean=mean,
            difference_median=_shown([comparison.median for comparison in comparisons]),
            p_values=tuple(comparison.p for comparison in comparisons),
            repetitions=tuple(run.repetitions for run in runs),
        ),
        doses=_doses(cell, runs),
        by_chance=len(runs) <= RUNS
        and any(
            answer is Answer.NO and (at_the_border(run, cell.threshold) or _leaves_open(cell, run))
            for answer, run in zip(answers, runs, strict=True)
        ),
    )


def _leaves_open(cell: Cell, run: Run) -> bool:
    """Tell whether a run may say no for its noise alone, if the share were the largest in its interval."""
    if not cell.share or not cell.may_show:
        return False
    return certain_side(run, cell.threshold * min(1.0, cell.share / cell.highest)) >= 0


def _shown(differences: Sequence[float]) -> float | None:
    """Return the smaller one of two runs' differences, the mean of more; None without any."""
    if len(differences) > RUNS:
        return sum(differences) / len(differences)
    return min(differences, default=None)


def _verdict(answers: Sequence[Answer], mean: float | None, threshold: float) -> Verdict:
    if len(answers) <= RUNS:
        if Answer.NO in answers:
            return Verdict.MISSED
    elif mean is not None and mean < threshold:
        return Verdict.MISSED
    return Verdict.DETECTED if answers.count(Answer.YES) >= RUNS else Verdict.NO_VERDICT


def _explanation(cell: Cell, runs: Sequence[Run], answers: Sequence[Answer], verdict: Verdict) -> Explanation:
    if verdict is Verdict.DETECTED:
        return Explanation(cause=Cause.NOTICED)
    if verdict is Verdict.NO_VERDICT and len(runs) <= RUNS:
        return _open(answers, runs)
    explanation = _missed(cell, [compare(run) for run in runs if run.repetitions])
    return explanation if verdict is Verdict.MISSED else replace(explanation, cause=Cause.NOISY)


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
    """Return which condition failed, in the run where the difference is smaller, or in the mean of many."""
    least = _shown([comparison.mean for comparison in comparisons]) or 0.0
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
    control = [value for run in runs for value in run.control[: run.repetitions]]
    mutant = [value for run in runs for value in run.mutant[: run.repetitions]]
    return effect.typical_difference(control, mutant) / cell.share if control and cell.share else None


def _doses(cell: Cell, runs: Sequence[Run]) -> tuple[float, ...]:
    """Return one a run; of more than two, whose noise is that of runs, one of all together."""
    if not cell.requested:
        return ()
    slowdowns = [realised(cell, part) for part in ([[run] for run in runs] if len(runs) <= RUNS else [runs])]
    return tuple(slowdown / cell.requested for slowdown in slowdowns if slowdown is not None)
