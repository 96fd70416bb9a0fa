"""After how many values would a rule have stopped, and was that enough? Replays recorded series."""

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import ArrayLike

from abs_audit.analyses.stop.rules.order_statistics import percentile_interval
from abs_audit.analyses.stop.rules.rule import Decision, StoppingRule
from abs_audit.analyses.stop.rules.similarity import similarity
from abs_audit.stats.arrays import Floats, checked

CREDIBILITY_PERCENTILES = (0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaySettings:
    """How series are replayed and judged."""

    cap: int = 1000
    """Values after which a series ends even if the rule would go on; the most that paper 002 measured."""
    paper_quirks: bool = False
    """Judge as the authors' programs do: densities that underflow are not alike, positions count from 0."""
    looks_kept: bool = True
    """Whether each look is recorded, for pictures and for the trace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a rule saw at one look."""

    n: int
    reason: str
    figures: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """How well a stopped sample stands for the ground truth."""

    accuracy: float
    """Similarity of the two distributions, 0..1."""
    credible: tuple[bool | None, ...]
    """For p25, p50, p75, p90: the sample's percentile lies inside the truth's 95 % interval (`judge`).
    None where the ground truth is too small for an interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesReplay:
    """What a rule did on one series."""

    series: str
    stop_at: int | None
    """Values after which the rule stopped; None where the cap or the end of the series came first."""
    used: int
    """Values measured in any case."""
    reason: str
    judgement: Judgement | None
    """None where a ground truth was asked for but has no series of this name."""
    trace: tuple[Look, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Answer to: after how many values would the rule have stopped, and is that enough?"""

    rule: str
    paper_quirks: bool
    """Judged as the authors' programs do; False: as their paper says."""
    series: tuple[SeriesReplay, ...]
    runs_mean: float
    """Mean of the values used."""
    accuracy_mean: float | None
    accuracy_worst: float | None
    credibility: tuple[float | None, ...] | None
    """Share of the series whose p25, p50, p75, p90 is credible; None without any judgement."""
    warnings: tuple[str, ...]


def replay(
    rule: StoppingRule,
    series: Mapping[str, ArrayLike],
    truths: Mapping[str, ArrayLike] | None = None,
    settings: ReplaySettings | None = None,
) -> Replay:
    """Return where the rule stops on each series (values in the order measured in) and how good that is.

    Wen et al. 2023, §3.3: accuracy is PT4Cloud's similarity of the stopped sample with the ground truth,
    credibility whether its percentiles lie inside the ground truth's intervals. Without `truths` the whole
    series is the truth. That is optimistic, because it contains the sample: a warning says so. A series
    shorter than the first look is used as it is. No series, an empty one or NaN: ValueError.
    """
    if not series:
        raise ValueError("expected at least one series to replay, found none")
    settings = settings or ReplaySettings()
    source = series if truths is None else truths
    results = tuple(
        _replay_one(rule, name, checked(values), source.get(name), settings)
        for name, values in series.items()
    )
    return _summarise(rule.name, results, own_truth=truths is None, paper_quirks=settings.paper_quirks)


def judge(sample: ArrayLike, truth: ArrayLike, *, paper_quirks: bool = False) -> Judgement:
    """Return accuracy and credibility of a sample against a ground truth (Wen et al. 2023, §3.3).

    With `paper_quirks` a percentile must lie strictly inside the interval, as in the authors' program: a
    truth with many equal values, whose interval is a point, then finds nothing credible. Without, the ends
    count as inside.
    """
    values, reference = checked(sample), checked(truth)
    credible: list[bool | None] = []
    for percentile, value in zip(
        CREDIBILITY_PERCENTILES, np.quantile(values, CREDIBILITY_PERCENTILES).tolist(), strict=True
    ):
        ends = percentile_interval(reference, percentile, paper_quirks=paper_quirks)
        inside = operator.lt if paper_quirks else operator.le
        credible.append(None if ends is None else inside(ends[0], value) and inside(value, ends[1]))
    accuracy = similarity(values, reference, paper_quirks=paper_quirks)
    return Judgement(accuracy=accuracy, credible=tuple(credible))


def _replay_one(
    rule: StoppingRule, name: str, values: Floats, truth: ArrayLike | None, settings: ReplaySettings
) -> SeriesReplay:
    available = min(values.size, settings.cap)
    trace: list[Look] = []
    stop_at: int | None = None
    decision = Decision(enough=False, reason="the series is shorter than the first look", figures={})
    for n in rule.looks(available):
        decision = rule.decide(values[:n])
        if settings.looks_kept:
            trace.append(Look(n=n, reason=decision.reason, figures=decision.figures))
        if decision.enough:
            stop_at = n
            break
    used = stop_at or available
    judgement = None if truth is None else judge(values[:used], truth, paper_quirks=settings.paper_quirks)
    return SeriesReplay(
        series=name,
        stop_at=stop_at,
        used=used,
        reason=decision.reason,
        judgement=judgement,
        trace=tuple(trace),
    )


def _summarise(
    rule: str, results: tuple[SeriesReplay, ...], *, own_truth: bool, paper_quirks: bool
) -> Replay:
    judgements = [result.judgement for result in results if result.judgement is not None]
    accuracies = [judgement.accuracy for judgement in judgements]
    return Replay(
        rule=rule,
        paper_quirks=paper_quirks,
        series=results,
        runs_mean=fmean(result.used for result in results),
        accuracy_mean=fmean(accuracies) if accuracies else None,
        accuracy_worst=min(accuracies, default=None),
        credibility=_credibility(judgements) if judgements else None,
        warnings=tuple(_warnings(results, judgements, own_truth)),
    )


def _credibility(judgements: list[Judgement]) -> tuple[float | None, ...]:
    columns = zip(*(judgement.credible for judgement in judgements), strict=True)
    told = [[flag for flag in column if flag is not None] for column in columns]
    return tuple(fmean(flags) if flags else None for flags in told)


def _warnings(results: tuple[SeriesReplay, ...], judgements: list[Judgement], own_truth: bool) -> list[str]:
    unstopped = sum(result.stop_at is None for result in results)
    unjudged = len(results) - len(judgements)
    alien = sum(judgement.accuracy == 0.0 for judgement in judgements)
    total = len(results)
    texts = (
        (f"{unstopped} of {total} series ended before the rule stopped: their stop is unknown", unstopped),
        (f"{unjudged} of {total} series have no ground truth and are not judged", unjudged),
        (f"{alien} series have accuracy 0: constant, or densities that underflow", alien),
        ("the ground truth contains the stopped sample: accuracy is optimistic", own_truth),
    )
    return [text for text, applies in texts if applies]
