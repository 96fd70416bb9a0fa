"""Is a commit slow? The default weighs it against both ends, the paper against the last good commit."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from scipy.special import stdtrit

from abs_audit.analysis.root_cause.bisection import Judgement
from abs_audit.analysis.root_cause.samples import Sample, Spread, spread
from abs_audit.stats.anova import p_value

ALPHA = 0.01
"""Heger et al. 2013, §3: a confidence level of 99 %."""
SURE = math.log(200)
"""Log odds from which one commit counts as settled: ten such decisions are all right with 95 %."""
MOST_RUNS = 10
"""Runs of a commit after which it is decided as it stands."""
LEAST = 0.02
"""Relative difference below which two commits count as equally fast."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What has been measured so far; commits are positions in the history."""

    samples: Mapping[int, Sample]
    skipped: Mapping[int, str]
    """Commits that cannot be measured, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """Between which commits a candidate lies."""

    good: int
    """The good end of the period under search."""
    bad: int
    """Its bad end."""
    last_good: int
    """The commit last found good; moves with the search."""


class Rule(Protocol):
    """Decides on measured commits only; whoever has no sample is not asked about."""

    @property
    def name(self) -> str:
        """As users write it."""
        ...

    @property
    def first_runs(self) -> int:
        """Runs of both ends before anything is asked."""
        ...

    @property
    def beside_ends(self) -> bool:
        """Whether a candidate is measured beside one more run of both ends from the beginning."""
        ...

    def judge(self, known: Known, ends: Ends, candidate: int) -> Judgement:
        """Tell whether the candidate has the regression: good, bad or unsure."""
        ...

    def slower(self, known: Known, before: int, after: int) -> Judgement:
        """Tell whether `after` is slower than `before`: bad if it is, good if not, or unsure."""
        ...

    def log_odds(self, known: Known, ends: Ends, candidate: int) -> float | None:
        """Return the logarithm of the odds that the candidate is bad; None: the rule knows none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperRule:
    """One sample a commit, one-way analysis of variance at 99 % against the last good commit (§3, §4.1)."""

    name: str = "paper"
    first_runs: int = 1
    beside_ends: bool = False

    def judge(self, known: Known, ends: Ends, candidate: int) -> Judgement:
        """Return bad where the candidate differs from the last good commit and its mean is larger."""
        return self.slower(known, ends.last_good, candidate)

    def slower(self, known: Known, before: int, after: int) -> Judgement:
        """Return bad where p < .01 and the mean grew; never unsure."""
        one, two = known.samples[before], known.samples[after]
        differs = p_value(one.values, two.values) < ALPHA
        return Judgement.BAD if differs and two.mean > one.mean else Judgement.GOOD

    def log_odds(self, known: Known, ends: Ends, candidate: int) -> None:
        """Return None: a test's p is no probability of the hypothesis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MidpointRule:
    """Sequential likelihood between the levels of the good and the bad end, with repeats where unsure.

    The sign is that of the distance to the midpoint of both ends (geometric, as noise is proportional to the
    time); how sure it is depends on how far runs of one commit lie apart. The unit is the run, a process:
    iterations of one process share its luck, and no number of them repairs that.
    """

    name: str = "default"
    first_runs: int = 3
    beside_ends: bool = True
    sure: float = SURE
    most_runs: int = MOST_RUNS

    def judge(self, known: Known, ends: Ends, candidate: int) -> Judgement:
        """Return good or bad from `sure` log odds on, or by their sign once enough runs were made."""
        odds = self.log_odds(known, ends, candidate)
        if abs(odds) < self.sure and len(known.samples[candidate].centres) < self.most_runs:
            return Judgement.UNSURE
        return Judgement.BAD if odds > 0 else Judgement.GOOD

    def log_odds(self, known: Known, ends: Ends, candidate: int) -> float:
        """Return log p(runs | level of the bad end) − log p(runs | level of the good end).

        Both are predictive t distributions of the mean of the candidate's centres, given the runs of that
        end and the pooled spread. A level outside the two ends is moved to the nearer one: being even
        faster than the good end is no doubt about it.
        """
        samples = known.samples
        good, bad, own = samples[ends.good], samples[ends.bad], samples[candidate]
        noise = spread(samples.values())
        level = min(max(own.level, min(good.level, bad.level)), max(good.level, bad.level))
        return _log_density(level, own, bad, noise) - _log_density(level, own, good, noise)

    def slower(self, known: Known, before: int, after: int) -> Judgement:
        """Return bad where a one-sided t test on the runs gives p < .001 and the difference matters.

        Stricter than the paper's 99 %, for it is asked again after every run. Good: the difference is below
        what matters with 95 %, or still open after `most_runs` runs of both.
        """
        one, two = known.samples[before], known.samples[after]
        noise = spread(known.samples.values())
        error = math.sqrt(noise.variance * (1 / len(one.centres) + 1 / len(two.centres)))
        difference = two.level - one.level
        if difference > max(math.log1p(LEAST), error * float(stdtrit(noise.freedom, 1 - ALPHA / 10))):
            return Judgement.BAD
        if difference + error * float(stdtrit(noise.freedom, 0.95)) < math.log1p(LEAST):
            return Judgement.GOOD
        exhausted = min(len(one.centres), len(two.centres)) >= self.most_runs
        return Judgement.GOOD if exhausted else Judgement.UNSURE


def _log_density(level: float, own: Sample, end: Sample, noise: Spread) -> float:
    """Return the log density of a t distribution around the end's level, less what both ends share."""
    scale = noise.variance * (1 / len(own.centres) + 1 / len(end.centres))
    square = (level - end.level) ** 2 / scale
    return -(noise.freedom + 1) / 2 * math.log1p(square / noise.freedom) - math.log(scale) / 2
