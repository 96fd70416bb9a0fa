"""Is a commit slow? The default weighs it against both ends, the paper against the last good commit."""

import math
from dataclasses import dataclass

from scipy.special import stdtrit

from abs_audit.analyses.rootcause.commits.bisection import Judgement
from abs_audit.analyses.rootcause.commits.samples import Machine, Measurements, Sample
from abs_audit.stats.anova import p_value

ALPHA = 0.01
"""Heger et al. 2013, §3: a confidence level of 99 %."""
SURE = math.log(200)
"""Log odds from which one commit counts as settled: ten such decisions are all right with 95 %."""
MOST_RUNS = 10
"""Undisturbed runs of a commit after which it is decided as it stands."""
LEAST = 0.02
"""Relative difference below which two commits count as equally fast."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """Between which commits a candidate lies."""

    good: str
    """The good end of the period under search."""
    bad: str
    """Its bad end."""
    last_good: str
    """The commit last found good; moves with the search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperRule:
    """One sample a commit, one-way analysis of variance at 99 % against the last good commit (§3, §4.1).

    One search, one answer: the paper leaves several regressions to future work (§6).
    """

    name: str = "paper"
    improvement: bool = False
    """True: the bad end is the faster one, and what made it so is searched."""
    first_runs: int = 1
    """Runs of both ends before anything is asked."""
    continues: bool = False
    """Whether both sides of what a search came upon are searched as well."""
    beside_ends: bool = False
    """Whether a candidate is measured beside one more run of both ends from the beginning."""

    def judge(self, facts: Measurements, ends: Ends, candidate: str) -> Judgement:
        """Return bad where the candidate differs from the last good commit and its mean is larger."""
        return self.slower(facts, ends.last_good, candidate)

    def slower(self, facts: Measurements, before: str, after: str) -> Judgement:
        """Return bad where p < .01 and the mean grew (shrank, of an improvement); never unsure."""
        first, second = facts.samples[before], facts.samples[after]
        differs = p_value(first.values, second.values) < ALPHA
        worse = second.mean < first.mean if self.improvement else second.mean > first.mean
        return Judgement.BAD if differs and worse else Judgement.GOOD

    def log_odds(self, facts: Measurements, ends: Ends, candidate: str) -> None:
        """Return None: a test's p is no probability of the hypothesis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MidpointRule:
    """Sequential likelihood between the levels of the good and the bad end, with repeats where unsure.

    The sign is that of the distance to the midpoint of both ends (geometric, as noise is proportional to the
    time); how sure it is depends on how far runs of one commit lie apart. The unit is the run, a process:
    iterations of one process share its luck, and no number of them repairs that.
    """

    name: str = "default"
    improvement: bool = False
    """True: the bad end is the faster one, and what made it so is searched."""
    first_runs: int = 3
    continues: bool = True
    beside_ends: bool = True

    def judge(self, facts: Measurements, ends: Ends, candidate: str) -> Judgement:
        """Return good or bad from `SURE` log odds on, or by their sign once enough runs were made."""
        odds = self.log_odds(facts, ends, candidate)
        if abs(odds) < SURE and not _exhausted(facts.samples[candidate]):
            return Judgement.UNSURE
        return Judgement.BAD if odds > 0 else Judgement.GOOD

    def log_odds(self, facts: Measurements, ends: Ends, candidate: str) -> float:
        """Return log p(runs | level of the bad end) − log p(runs | level of the good end).

        Both are predictive t distributions of the mean of the candidate's centres, given the runs of that
        end and the machine's spread. A level outside the two ends is moved to the nearer one: being even
        faster than the fast end is no doubt about it. Odds of being slow are at most those that not all of
        the runs were disturbed by other work, n · log(1 ÷ disturbed part).
        """
        good, bad, own = (facts.samples[commit] for commit in (ends.good, ends.bad, candidate))
        level = min(max(own.level, min(good.level, bad.level)), max(good.level, bad.level))
        odds = _log_density(level, own, bad, facts.machine) - _log_density(level, own, good, facts.machine)
        most = _undisturbed(own, facts.machine)
        return max(odds, -most) if self.improvement else min(odds, most)

    def slower(self, facts: Measurements, before: str, after: str) -> Judgement:
        """Return bad where a one-sided t test on the runs gives p < .001 and the difference matters.

        Slower means faster where an improvement is searched. Stricter than the paper's 99 %, for it is asked
        again after every run. Good: the difference is below what matters with 95 %, or still open after
        `MOST_RUNS` runs of both.
        """
        first, second, machine = facts.samples[before], facts.samples[after], facts.machine
        error = math.sqrt(machine.variance * (1 / len(first.centres) + 1 / len(second.centres)))
        difference = (first.level - second.level) if self.improvement else (second.level - first.level)
        clear = difference > max(math.log1p(LEAST), error * float(stdtrit(machine.freedom, 1 - ALPHA / 10)))
        # Other work may have hit all runs of the slow one, which a test of their values cannot see.
        if clear and _undisturbed(first if self.improvement else second, machine) >= SURE:
            return Judgement.BAD
        if difference + error * float(stdtrit(machine.freedom, 0.95)) < math.log1p(LEAST):
            return Judgement.GOOD
        if not (_exhausted(first) and _exhausted(second)):
            return Judgement.UNSURE
        return Judgement.BAD if clear else Judgement.GOOD


Rule = PaperRule | MidpointRule
"""Decides on measured commits only; whoever has no sample is not asked about."""


def _exhausted(own: Sample) -> bool:
    """Tell whether more runs are not worth it: enough undisturbed ones, or twice as many in all."""
    return own.trusted >= MOST_RUNS or own.runs >= 2 * MOST_RUNS


def _log_density(level: float, own: Sample, end: Sample, machine: Machine) -> float:
    """Return the log density of a t distribution around the end's level, less what both ends share."""
    scale = machine.variance * (1 / len(own.centres) + 1 / len(end.centres))
    square = (level - end.level) ** 2 / scale
    return -(machine.freedom + 1) / 2 * math.log1p(square / machine.freedom) - math.log(scale) / 2


def _undisturbed(own: Sample, machine: Machine) -> float:
    """Return the log odds that not every run that shows this level was disturbed."""
    return -own.trusted * math.log(machine.disturbed)
